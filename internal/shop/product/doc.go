// Package product defines a product: its fields and pricing tiers, money, and the documents that
// describe products (docs/catalog.md). A document is a catalog in YAML or JSON, or a single product
// or a change to one in an API request. All of them share one reader and one writer.
//
// It does no I/O: package catalog stores products and looks up the pictures they name. Package
// producttest makes catalogs for tests.
package product
