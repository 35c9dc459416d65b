package catalog

import "context"

// Generation identifies a state of what a page of the shop shows. Two that are equal mean that nothing
// of it has changed between them. Each belongs to one kind of page, and is compared with no other's.
type Generation struct {
	Number    int64
	Downloads int64 // of the product, on its page
}

// Present is how the shop is at a moment.
type Present struct {
	// Shop is the generation of what all pages together show, apart from downloads: products, reviews,
	// packages that products carry, and the shop's settings.
	Shop Generation
	// List is the generation of lists of products, which purchases may put into another order.
	List Generation
	// Product is the generation of one product's page, which shows its downloads.
	Product Generation

	OnSale   bool // the product exists and is published
	ThemeApp bool // a theme app serves the shop's addresses
}

// Generations tells whether pages of the shop show something that has changed. The database counts
// changes, whoever makes them, in the transaction of the change: what is read after a generation is of
// that generation, or newer. Package store implements it.
type Generations interface {
	// Present returns how the shop is now, and the product with that slug, if there is one.
	Present(ctx context.Context, slug string) (Present, error)
}
