package stripe

import (
	"encoding/json"
	"strings"

	"stoa/internal/shop/payment"
)

// TaxBehavior says how Stripe computes tax: not at all, or from prices that include it or not.
type TaxBehavior string

// The behaviors. The names of the last two are Stripe's.
const (
	TaxOff       TaxBehavior = ""
	TaxInclusive TaxBehavior = "inclusive"
	TaxExclusive TaxBehavior = "exclusive"
)

// documents reports whether the account is set up for tax or invoices. Without both, stoa asks nothing of Stripe's
// invoices, which subscriptions have in any case.
func (p *Provider) documents() bool { return p.cfg.Tax != TaxOff || p.cfg.Invoices }

// taxID is what we read of a buyer's tax id.
type taxID struct {
	Value string `json:"value"`
}

func firstOf(ids []taxID) string {
	if len(ids) == 0 {
		return ""
	}
	return ids[0].Value
}

// automatic is what we read of whether Stripe computed the tax.
type automatic struct {
	Enabled bool `json:"enabled"`
}

// billed is what we read of the tax and the invoice of a Checkout Session. Its invoice is an id, or the invoice itself
// if that was asked for.
type billed struct {
	AmountTotal    int64     `json:"amount_total"`
	AmountSubtotal int64     `json:"amount_subtotal"`
	AutomaticTax   automatic `json:"automatic_tax"`
	TotalDetails   struct {
		Tax      int64 `json:"amount_tax"`
		Discount int64 `json:"amount_discount"`
		Shipping int64 `json:"amount_shipping"`
	} `json:"total_details"`
	Customer struct {
		Address struct {
			Country string `json:"country"`
		} `json:"address"`
		TaxIDs []taxID `json:"tax_ids"`
	} `json:"customer_details"`
	Creation automatic       `json:"invoice_creation"`
	Invoice  json.RawMessage `json:"invoice"`
}

// bill returns what the session says of tax and invoice.
func (p *Provider) bill(s billed) payment.Bill {
	tax := s.TotalDetails.Tax
	taxed := p.cfg.Tax != TaxOff || s.AutomaticTax.Enabled || tax > 0
	if !taxed && !p.documents() && !s.Creation.Enabled {
		return payment.Bill{}
	}
	b := payment.Bill{Taxed: taxed, Tax: tax, Country: s.Customer.Address.Country, TaxID: firstOf(s.Customer.TaxIDs)}
	switch {
	case s.AmountSubtotal > 0:
		before := s.AmountSubtotal - s.TotalDetails.Discount + s.TotalDetails.Shipping
		b.Added = min(max(s.AmountTotal-before, 0), tax)
	case p.cfg.Tax == TaxExclusive:
		b.Added = tax
	}
	var i invoice
	if json.Unmarshal(s.Invoice, &i) == nil { // else it is an id, or none
		i.document(&b)
	}
	return b
}

// invoiceTax is what we read of the tax in an invoice, in the present form and in those before.
type invoiceTax struct {
	AutomaticTax automatic `json:"automatic_tax"`
	TotalTaxes   []struct {
		Amount   int64  `json:"amount"`
		Behavior string `json:"tax_behavior"`
	} `json:"total_taxes"`
	TotalTaxAmounts []struct {
		Amount    int64 `json:"amount"`
		Inclusive bool  `json:"inclusive"`
	} `json:"total_tax_amounts"`
	Tax int64 `json:"tax"`

	Number  string `json:"number"`
	Page    string `json:"hosted_invoice_url"`
	PDF     string `json:"invoice_pdf"`
	Address struct {
		Country string `json:"country"`
	} `json:"customer_address"`
	TaxIDs []taxID `json:"customer_tax_ids"`
}

// sum returns all tax, and what of it was added to the prices.
func (i *invoiceTax) sum() (tax, added int64) {
	for _, t := range i.TotalTaxes {
		tax += t.Amount
		if t.Behavior == string(TaxExclusive) {
			added += t.Amount
		}
	}
	if len(i.TotalTaxes) > 0 {
		return tax, added
	}
	for _, t := range i.TotalTaxAmounts {
		tax += t.Amount
		if !t.Inclusive {
			added += t.Amount
		}
	}
	return max(tax, i.Tax), added
}

// document fills in what the invoice is called and where it is.
func (i *invoiceTax) document(b *payment.Bill) {
	b.Number, b.URL, b.PDF = i.Number, address(i.Page), address(i.PDF)
}

// address returns an address to which pages may link; "" instead of any other.
func address(url string) string {
	if !strings.HasPrefix(url, "https://") {
		return ""
	}
	return url
}

// invoiceBill returns what an invoice says of itself.
func (p *Provider) invoiceBill(i invoice) payment.Bill {
	tax, added := i.sum()
	taxed := p.cfg.Tax != TaxOff || i.AutomaticTax.Enabled || tax > 0
	if !taxed && !p.documents() && !i.ofPayment() {
		return payment.Bill{}
	}
	b := payment.Bill{Taxed: taxed, Tax: tax, Added: added, Country: i.Address.Country, TaxID: firstOf(i.TaxIDs)}
	i.document(&b)
	return b
}
