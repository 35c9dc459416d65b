// Package catalog manages the shop's products: listing and searching them, who may see them, creating
// and changing them, importing and exporting catalogs, and their pictures.
//
// Package product defines a product and the documents that describe it. The database is reached
// through Store, which package store implements, and pictures through Media, which package blob
// implements. Orders, licenses and reviews get their products from this package.
package catalog
