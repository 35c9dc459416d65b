// Package reference turns an OpenAPI document into one self-contained web page
// for people: no script, no font, no image, and a style sheet of its own.
//
// It knows the parts of OpenAPI 3.1 that stoa's contract uses, and nothing about
// stoa. The contract is in package api; package httpapi serves the page.
package reference
