// Package catalog owns the shop's products as a whole: which ones are listed and who sees them,
// creating and changing them, importing and exporting catalogs, and the pictures they show.
//
// What a product is, and how it is written down, belongs to package product. The database is reached
// through Store, which package store implements; pictures through Media, which package blob
// implements. Orders, licenses and reviews ask this package for the product they are about.
package catalog
