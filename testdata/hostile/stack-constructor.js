// A constructor that needs one of its own.
// ends: stack_limit
class A { constructor() { this.a = new A(); } }
return new A();
