// Package intl serves the host calls behind the guest's Intl: the prelude reads
// options and makes the objects of ECMA-402, this side knows locales.
//
//   - intl.resolve takes {"service", "locales", "options"} and answers with the
//     resolved options;
//   - intl.format takes that request again, a verb and arguments, and answers
//     with text or JSON. What a request resolves to is kept for the call;
//   - intl.locales works on identifiers alone.
//
// Data is package cldr, numbers are package number, dates are package dates.
// Lists, relative times, names, order and segments are files here. Package gen
// made the data.
package intl
