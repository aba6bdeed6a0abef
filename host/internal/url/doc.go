// Package url is URL and URLSearchParams on Go's side: the WHATWG URL Standard,
// which is what browsers do and what net/url is not.
//
// Nothing is kept between calls. The guest holds a URL as its text and gets all
// parts of it at once, so that reading one costs nothing.
//
//	parse.go   a URL's parts, and changing one
//	form.go    the pairs of a query
package url
