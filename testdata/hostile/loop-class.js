// An endless loop while a class is defined.
// ends: statement_limit
class A { static { for (;;); } }
