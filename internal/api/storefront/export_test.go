package storefront

// Counts returns how many pages are kept, and how many of those of which there may be any number.
func (c *Kept) Counts() (pages, oneOfMany int) { return c.pages.Len(), c.oneOfMany.Len() }
