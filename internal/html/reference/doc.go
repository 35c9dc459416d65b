// Package reference renders an OpenAPI document as a single web page, with an inline
// style sheet and script, and without requests, fonts or images. The page can be read
// without its script, which searches, marks the section being read, and copies.
//
// It supports the parts of OpenAPI 3.1 that stoa's document uses, but knows nothing
// about stoa. The module's package api has the document, and internal/api serves the page.
package reference
