// Package msix stands for a module that only the tests of nfpm import and that the module
// proxy does not have, so that go mod tidy finds something. Nothing is built with it.
package msix
