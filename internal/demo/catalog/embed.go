// Package catalog is the demo's catalogue: a dozen products and their pictures,
// in the form that stoa catalog import reads (docs/catalog.md).
package catalog

import "embed"

// FS holds the catalogue and, in media/, what it shows.
//
//go:embed catalog.yaml media/*.svg
var FS embed.FS

// File is the catalogue's name in FS.
const File = "catalog.yaml"
