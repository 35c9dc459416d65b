// Package goods has the demo's catalog: twelve products and their pictures, in the format
// that stoa catalog import reads (docs/catalog.md).
package goods

import "embed"

// FS has the catalog and, in media/, its pictures.
//
//go:embed catalog.yaml media/*.svg
var FS embed.FS

// File is the catalog's name in FS.
const File = "catalog.yaml"
