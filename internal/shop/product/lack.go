package product

import (
	"stoa/internal/base/errs"
)

// Lacks returns what keeps p from being published, as the faults that publishing it would have. It is
// empty for a product that is published or ready to be.
func (p Product) Lacks() []errs.Issue {
	if p.Published {
		return nil
	}
	p.Published = true
	d := &Document{bare: true}
	reader{Document: d}.product(productTree(p), "")
	return d.issues.List()
}
