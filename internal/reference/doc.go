// Package reference renders an OpenAPI document as a single web page, with an inline
// style sheet and without scripts, fonts or images.
//
// It supports the parts of OpenAPI 3.1 that stoa's contract uses, but knows nothing
// about stoa. Package api has the contract, and package httpapi serves the page.
package reference
