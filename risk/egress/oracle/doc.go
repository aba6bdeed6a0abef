// Package oracle compares the sanitiser with gitleaks. It is a module of its own
// because gitleaks brings two hundred others along.
package oracle
