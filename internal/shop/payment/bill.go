package payment

import "cmp"

// Bill is what a provider says of the tax and the invoice of a payment. Its zero value: nothing.
type Bill struct {
	// Taxed says that the tax of the payment is known: Tax, which may be 0, in the units of the payment. Added is the
	// part of it that came on top of the price.
	Taxed      bool
	Tax, Added int64
	// Country is the buyer's (ISO 3166), TaxID as the buyer gave it. Empty if unknown.
	Country, TaxID string
	// Number, URL and PDF are of the invoice: what it is called, its page and its file. Empty if there is none, or it
	// is not known yet.
	Number, URL, PDF string
}

// With returns the bill with what another one about the same payment adds to it.
func (b Bill) With(other Bill) Bill {
	if !b.Taxed {
		b.Taxed, b.Tax, b.Added = other.Taxed, other.Tax, other.Added
	}
	b.Country, b.TaxID = cmp.Or(b.Country, other.Country), cmp.Or(b.TaxID, other.TaxID)
	b.Number, b.URL, b.PDF = cmp.Or(b.Number, other.Number), cmp.Or(b.URL, other.URL), cmp.Or(b.PDF, other.PDF)
	return b
}

// CreditNote is what a provider has written about a refund of an invoice.
type CreditNote struct{ Invoice, Number string }
