// Package catalog is the demo's catalog: a dozen products and their pictures,
// in the form that stoa catalog import reads (docs/catalog.md).
package catalog

import "embed"

// FS holds the catalog and, in media/, what it shows.
//
//go:embed catalog.yaml media/*.svg
var FS embed.FS

// File is the catalog's name in FS.
const File = "catalog.yaml"
