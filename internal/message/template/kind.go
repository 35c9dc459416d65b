package template

import (
	"slices"

	"stoa/internal/message/mail"
)

// Kind is a mail whose words a shop may choose.
type Kind string

// The kinds.
const (
	Receipt         Kind = "receipt"
	Trial           Kind = "trial"
	TrialEnding     Kind = "trial_ending"
	TrialEnded      Kind = "trial_ended"
	Refund          Kind = "refund"
	Claim           Kind = "claim"
	PasswordReset   Kind = "password_reset"
	PasswordChanged Kind = "password_changed"
)

// Kinds are all kinds whose words a shop may choose, as they are listed.
var Kinds = []Kind{Receipt, Trial, TrialEnding, TrialEnded, Refund, Claim, PasswordReset, PasswordChanged}

// The variables of these kinds. None holds what a buyer wrote.
const (
	ShopName     = "shopName"
	ShopURL      = "shopUrl"
	SupportEmail = "supportEmail"
	ProductName  = "productName"
	TierName     = "tierName"
	Amount       = "amount"
	OrderID      = "orderId"
	OrderDate    = "orderDate"
	LicenseKey   = "licenseKey"
	ExpiresAt    = "expiresAt"
	Seats        = "seats"
	DiscountCode = "discountCode"
	RefundAmount = "refundAmount"
	Link         = "link"
)

var (
	ofShop    = []string{ShopName, ShopURL, SupportEmail}
	ofProduct = []string{ProductName, TierName}
	ofLicense = []string{ExpiresAt, Seats}
	ofOrder   = []string{Amount, OrderID, OrderDate}
)

// variables has those of each kind.
var variables = map[Kind][]string{
	Receipt: slices.Concat(ofShop, ofProduct, ofOrder, []string{LicenseKey}, ofLicense,
		[]string{DiscountCode, Link}),
	Trial:           slices.Concat(ofShop, ofProduct, []string{OrderID, OrderDate, LicenseKey}, ofLicense, []string{Link}),
	TrialEnding:     slices.Concat(ofShop, ofProduct, []string{LicenseKey}, ofLicense, []string{Link}),
	TrialEnded:      slices.Concat(ofShop, ofProduct, []string{LicenseKey}, ofLicense, []string{Link}),
	Refund:          slices.Concat(ofShop, ofProduct, ofOrder, []string{RefundAmount, Seats}),
	Claim:           slices.Concat(ofShop, []string{Link}),
	PasswordReset:   slices.Concat(ofShop, []string{Link}),
	PasswordChanged: ofShop,
}

// required are the variables without which a mail of the kind is of no use.
var required = map[Kind]string{Receipt: LicenseKey, Trial: LicenseKey, Claim: Link, PasswordReset: Link}

// Variables returns the names of the variables of the kind; none of a kind that there is not.
func (k Kind) Variables() []string {
	if of, ok := fixed[k]; ok {
		return of
	}
	return variables[k]
}

// Known reports whether there is such a kind, whose words a shop may choose.
func (k Kind) Known() bool { return slices.Contains(Kinds, k) }

// Guarded reports whether the mail is about who has an account: its words are for those who may change
// settings.
func (k Kind) Guarded() bool { return k == Claim || k == PasswordReset || k == PasswordChanged }

// has reports whether a variable is one of the kind.
func (k Kind) has(name string) bool { return slices.Contains(k.Variables(), name) }

// secret reports whether a variable opens something, so that it stands alone on its line.
func secret(name string) bool {
	return name == Link || name == LicenseKey || name == DisownLink || name == Code
}

// Message returns a message of the kind, whose words are chosen when it is sent.
func (k Kind) Message(to, language string, values map[string]string) mail.Message {
	return mail.Message{To: to, Draft: &mail.Draft{Kind: string(k), Language: language, Values: values}}
}
