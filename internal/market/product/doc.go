// Package product owns what a product is: its fields and pricing tiers, money, and the documents in
// which people write products down (docs/catalog.md): catalogs in YAML or JSON, single products and
// changes to them over the API. All of them go through one reader and one writer.
//
// It does no I/O: package catalog stores products and finds the pictures they name. Tests find
// ready-made catalogs in package producttest.
package product
