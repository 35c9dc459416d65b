package wire

import (
	"encoding/json"

	"stoa/internal/api/web"
	"stoa/internal/shop/discount"
	"stoa/internal/shop/order"
	"stoa/internal/shop/product"
)

// Order is an order as its owner sees it (contract 3.5).
type Order struct {
	ID            string             `json:"id"`
	ProductID     string             `json:"productId"`
	ProductSlug   string             `json:"productSlug"`
	ProductName   string             `json:"productName"`
	TierID        string             `json:"tierId"`
	UserID        string             `json:"userId"`
	PaymentMethod string             `json:"paymentMethod"`
	BillingInfo   *order.BillingInfo `json:"billingInfo,omitempty"`
	Amount        json.Number        `json:"amount"`
	Currency      string             `json:"currency"`
	// Discount is absent without a code.
	Discount *OrderDiscount `json:"discount,omitempty"`
	OrderBill
	// PartlyRefunded is absent unless a part was given back.
	PartlyRefunded json.Number   `json:"partlyRefunded,omitempty"`
	Status         order.Status  `json:"status"`
	Ends           bool          `json:"ends,omitempty"`
	Trial          bool          `json:"trial,omitempty"`
	Kind           order.Kind    `json:"kind,omitempty"`
	LicenseID      string        `json:"licenseId"`
	Demo           bool          `json:"demo,omitempty"`
	CreatedAt      web.Timestamp `json:"createdAt"`
}

// OrderDiscount is what a code took off the price of an order. Order.Amount is the rest.
type OrderDiscount struct {
	Code     string            `json:"code"`
	Amount   json.Number       `json:"amount"`
	Duration discount.Duration `json:"duration"`
}

// OrderBill is what is known of the tax and the invoice of what was paid. Its members are absent if they are unknown.
type OrderBill struct {
	Net     json.Number   `json:"net,omitempty"`
	Tax     json.Number   `json:"tax,omitempty"`
	Total   json.Number   `json:"total,omitempty"`
	TaxID   string        `json:"taxId,omitempty"`
	Country string        `json:"country,omitempty"`
	Invoice *OrderInvoice `json:"invoice,omitempty"`
}

// OrderInvoice is the invoice that the payment provider made.
type OrderInvoice struct {
	Number string `json:"number"`
	URL    string `json:"url,omitempty"`
	PDF    string `json:"pdf,omitempty"`
}

func newOrderBill(o order.Listed) OrderBill {
	b := OrderBill{TaxID: o.Bill.TaxID, Country: o.Bill.Country}
	if o.Bill.Taxed {
		b.Net, b.Tax, b.Total = o.Net().Amount(), o.Tax().Amount(), o.Total().Amount()
	}
	if o.Bill.Number != "" {
		b.Invoice = &OrderInvoice{o.Bill.Number, o.Bill.URL, o.Bill.PDF}
	}
	return b
}

// Anonymous returns the bill without what tells who the buyer is: the tax id, and the pages of the invoice.
func (b OrderBill) Anonymous() OrderBill {
	b.TaxID = ""
	if b.Invoice != nil {
		b.Invoice = &OrderInvoice{Number: b.Invoice.Number}
	}
	return b
}

func newOrderDiscount(o order.Listed) *OrderDiscount {
	if o.Discount.None() {
		return nil
	}
	return &OrderDiscount{o.Discount.Code, o.Off().Amount(), o.Discount.Duration}
}

// NewOrder returns the JSON form of o.
func NewOrder(o order.Listed) Order {
	var part json.Number
	if o.PartlyRefunded > 0 {
		part = product.Money{Minor: o.PartlyRefunded, Currency: o.Amount.Currency}.Amount()
	}
	return Order{
		ID: o.ID, ProductID: o.ProductID, ProductSlug: o.ProductSlug,
		ProductName: o.ProductName, TierID: o.TierID, UserID: o.UserID,
		PaymentMethod: o.PaymentMethod, BillingInfo: o.Billing, Amount: o.Amount.Amount(), Currency: o.Amount.Currency,
		Discount: newOrderDiscount(o), OrderBill: newOrderBill(o), PartlyRefunded: part, Status: o.Status(),
		Ends: o.WillEnd(), Trial: o.Trial, Kind: o.Kind, LicenseID: o.LicenseID,
		CreatedAt: web.Timestamp(o.CreatedAt), Demo: o.Demo,
	}
}
