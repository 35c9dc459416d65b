package product

import (
	"stoa/internal/errs"
	"stoa/internal/text"
)

// price reads the fields price and currency, and reports false if one of them is
// wrong or absent. The one without the other is a fault only if needed.
func (r reader) price(o object, needed bool) (Money, bool) {
	amount, ok := o.decimal("price")
	_, own := o.filled("currency")
	currency := o.currency()
	switch {
	case own:
	case r.currency != "":
		currency = r.currency
	case needed || ok:
		r.fault(o.node, o.at("currency"), errs.CodeRequired,
			"currency is required%s.", r.otherwise(", here or at the top of the file"))
	}
	if !ok || currency == "" || currency == badCurrency {
		return Money{}, false
	}
	m, err := ParseMoney(amount, currency)
	if err != nil {
		r.fault(o.fields["price"], o.at("price"), errs.CodeOutOfRange, "%s.", err)
	}
	return m, err == nil
}

// badCurrency stands for a currency that was reported: what inherits it is not
// reported again.
const badCurrency = "bad"

// currency reads the field of that name. It returns "" for none.
func (o object) currency() string {
	if _, ok := o.filled("currency"); !ok {
		return ""
	}
	code := o.text("currency", text.Short)
	if code == "" {
		return badCurrency
	}
	if _, ok := Exponent(code); !ok {
		o.doc.fault(o.fields["currency"], o.at("currency"), errs.CodeUnknownValue,
			"%q is not a currency code of ISO 4217 such as EUR.", text.Clip(code))
		return badCurrency
	}
	return code
}

// pricing reads what lists show. Left out, it is the cheapest tier that costs
// something, or free if none does.
func (r reader) pricing(o object, tiers []Tier) Pricing {
	n, ok := o.get("pricing")
	if !ok {
		return listPrice(tiers)
	}
	f := r.object(n, o.at("pricing"), "type", "price", "currency")
	f.required("type")
	p := Pricing{Type: PricingType(f.text("type", text.Short))}
	var priced bool
	p.Price, priced = r.price(f, p.Type == Paid)
	switch {
	case p.Type == "": // reported
	case p.Type != Free && p.Type != Paid:
		r.fault(f.fields["type"], f.at("type"), errs.CodeUnknownValue, "type must be free or paid.")
	case p.Type == Paid:
		if _, given := f.get("price"); !given { // what is given was reported
			f.required("price")
		}
	}
	switch {
	case !priced: // reported, or absent
	case p.Type == Paid && p.Price.Minor == 0:
		r.fault(f.fields["price"], f.at("price"), errs.CodeOutOfRange, "what is paid for has a price above 0.")
	case p.Type == Free && p.Price.Minor != 0:
		r.fault(f.fields["price"], f.at("price"), errs.CodeOutOfRange, "what is free has no price.")
	}
	if p.Type == Free {
		p.Price = Money{}
	}
	return p
}

func listPrice(tiers []Tier) Pricing {
	out := Pricing{Type: Free}
	for _, t := range tiers {
		if t.Price.Minor > 0 && (out.Type == Free || t.Price.Rank() < out.Price.Rank()) {
			out = Pricing{Type: Paid, Price: t.Price}
		}
	}
	return out
}
