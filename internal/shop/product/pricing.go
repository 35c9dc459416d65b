package product

import (
	"stoa/internal/base/errs"
	"stoa/internal/base/text"
)

// price reads the fields price and currency. It returns false if either is absent or
// faulty, and then at most the currency. Without required, having neither is not a fault.
func (r reader) price(o object, required bool) (Money, bool) {
	amount, ok := o.decimal("price")
	_, own := o.filled("currency")
	currency := o.currency()
	switch {
	case own:
	case r.currency != "":
		currency = r.currency
	case required || ok:
		r.fault(o.node, o.at("currency"), errs.CodeRequired, "currency is required, here or at the product%s.",
			r.fileHint(" or the file"))
	}
	if currency == "" || currency == badCurrency {
		return Money{}, false
	} else if !ok {
		return Money{Currency: currency}, false
	}
	m, err := ParseMoney(amount, currency)
	if err != nil {
		r.fault(o.fields["price"], o.at("price"), errs.CodeOutOfRange, "%s.", err)
	}
	return m, err == nil
}

// badCurrency stands for a faulty currency, so that prices that inherit it are not
// faults as well.
const badCurrency = "bad"

// currency reads the field of that name. It returns "" if it is absent, and
// badCurrency if it is faulty.
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

// pricing reads the price that lists show. If it is absent, it follows from the tiers.
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
	case p.Type == "": // is a fault already
	case p.Type != Free && p.Type != Paid:
		r.fault(f.fields["type"], f.at("type"), errs.CodeUnknownValue, "type must be free or paid.")
	case p.Type == Paid:
		if _, given := f.get("price"); !given { // a faulty one is a fault already
			f.required("price")
		}
	}
	switch {
	case !priced: // absent, or a fault already
	case p.Type == Paid && p.Price.Minor == 0:
		r.fault(f.fields["price"], f.at("price"), errs.CodeOutOfRange, "price must be above 0 if type is paid.")
	case p.Type == Free && p.Price.Minor != 0:
		r.fault(f.fields["price"], f.at("price"), errs.CodeOutOfRange, "price must be 0 or left out if type is free.")
	}
	if p.Type == Free || !priced {
		p.Price = Money{}
	}
	return p
}

// listPrice returns the price of the cheapest tier that costs something, or Free if
// none does.
func listPrice(tiers []Tier) Pricing {
	out := Pricing{Type: Free}
	for _, t := range tiers {
		if t.Price.Minor > 0 && (out.Type == Free || t.Price.Rank() < out.Price.Rank()) {
			out = Pricing{Type: Paid, Price: t.Price}
		}
	}
	return out
}
