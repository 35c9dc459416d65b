// Package web has the sources of the console and the storefront, and embeds what is built
// of them. They are clients of the public API; package webapp serves them.
package web

import "embed"

// Dist has the built files below dist/assets, once `make build` has made them.
//
//go:embed all:dist
var Dist embed.FS

// Texts has every text of console, storefront and stoa's other pages, one file a
// language: texts/en.json.
//
//go:embed texts
var Texts embed.FS

// Tokens is the style sheet with the colors and fonts of every page, also of those that
// load no files.
//
//go:embed src/theme/tokens.css
var Tokens string
