package stripe

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/stripe/stripe-go/v85"

	"stoa/internal/shop/payment"
)

// Begin implements payment.Provider. A charge that recurs becomes a subscription, and Stripe charges the
// later periods by itself.
func (p *Provider) Begin(ctx context.Context, c payment.Charge) (payment.Checkout, error) {
	amount, err := toStripe(c.Minor, c.Exponent, c.Currency)
	if err != nil {
		return payment.Checkout{}, err
	}
	metadata := map[string]string{metadataKey: c.OrderID}
	price := &stripe.CheckoutSessionCreateLineItemPriceDataParams{
		Currency: stripe.String(strings.ToLower(c.Currency)), UnitAmount: &amount,
		ProductData: &stripe.CheckoutSessionCreateLineItemPriceDataProductDataParams{Name: &c.Name},
	}
	params := &stripe.CheckoutSessionCreateParams{
		Mode:              stripe.String(string(stripe.CheckoutSessionModePayment)),
		ClientReferenceID: &c.OrderID,
		Metadata:          metadata,
		LineItems:         []*stripe.CheckoutSessionCreateLineItemParams{{PriceData: price, Quantity: stripe.Int64(1)}},
		SuccessURL:        stripe.String(strings.ReplaceAll(p.cfg.SuccessURL, OrderPlaceholder, c.OrderID)),
		CancelURL:         stripe.String(strings.ReplaceAll(p.cfg.CancelURL, OrderPlaceholder, c.OrderID)),
	}
	if c.Email != "" {
		params.CustomerEmail = &c.Email
	}
	if c.Months == 0 {
		params.CustomerCreation = stripe.String(string(stripe.CheckoutSessionCustomerCreationAlways)) // as for a subscription
		params.PaymentIntentData = &stripe.CheckoutSessionCreatePaymentIntentDataParams{Metadata: metadata}
	} else {
		params.Mode = stripe.String(string(stripe.CheckoutSessionModeSubscription))
		params.SubscriptionData = &stripe.CheckoutSessionCreateSubscriptionDataParams{Metadata: metadata}
		each, count := interval(c.Months)
		price.Recurring = &stripe.CheckoutSessionCreateLineItemPriceDataRecurringParams{
			Interval: &each, IntervalCount: &count,
		}
	}
	p.askForTax(params, price)
	if c.Off > 0 {
		coupon, err := p.coupon(ctx, c)
		if err != nil {
			return payment.Checkout{}, err
		}
		params.Discounts = []*stripe.CheckoutSessionCreateDiscountParams{{Coupon: &coupon}}
	}
	params.SetIdempotencyKey("stoa-order-" + c.OrderID)
	session, err := p.client.V1CheckoutSessions.Create(ctx, params)
	if err != nil {
		return payment.Checkout{}, explain("open a checkout page", err)
	}
	return payment.Checkout{Session: session.ID, URL: session.URL}, nil
}

// askForTax lets the page compute tax and make an invoice, as far as the account is set up for it.
func (p *Provider) askForTax(
	params *stripe.CheckoutSessionCreateParams, price *stripe.CheckoutSessionCreateLineItemPriceDataParams,
) {
	if p.cfg.Tax != TaxOff {
		params.AutomaticTax = &stripe.CheckoutSessionCreateAutomaticTaxParams{Enabled: stripe.Bool(true)}
		params.TaxIDCollection = &stripe.CheckoutSessionCreateTaxIDCollectionParams{Enabled: stripe.Bool(true)}
		params.BillingAddressCollection = stripe.String(string(stripe.CheckoutSessionBillingAddressCollectionRequired))
		price.TaxBehavior = stripe.String(string(p.cfg.Tax))
	}
	if p.cfg.Invoices && *params.Mode == string(stripe.CheckoutSessionModePayment) {
		params.InvoiceCreation = &stripe.CheckoutSessionCreateInvoiceCreationParams{
			Enabled: stripe.Bool(true),
			InvoiceData: &stripe.CheckoutSessionCreateInvoiceCreationInvoiceDataParams{
				Metadata: params.Metadata, // so that invoice.paid names the order, which may come first
			},
		}
	}
}

// coupon makes what takes Off off the first invoice of a subscription, and returns its id. It is an amount, and
// not a percentage, so that Stripe's rounding cannot differ from ours.
func (p *Provider) coupon(ctx context.Context, c payment.Charge) (string, error) {
	off, err := toStripe(c.Off, c.Exponent, c.Currency)
	if err != nil {
		return "", err
	}
	params := &stripe.CouponCreateParams{
		Duration: stripe.String(string(stripe.CouponDurationOnce)), AmountOff: &off,
		Currency: stripe.String(strings.ToLower(c.Currency)), Name: &c.OffName, MaxRedemptions: stripe.Int64(1),
		Metadata: map[string]string{metadataKey: c.OrderID},
	}
	params.SetIdempotencyKey("stoa-coupon-" + c.OrderID)
	made, err := p.client.V1Coupons.Create(ctx, params)
	if err != nil {
		return "", explain("make a coupon", err)
	}
	return made.ID, nil
}

// interval returns the interval of that many months, and how many of it. Whole years are given as such, which reads
// better on the page.
func interval(months int) (of string, count int64) {
	if months%12 == 0 {
		return string(stripe.PriceRecurringIntervalYear), int64(months / 12)
	}
	return string(stripe.PriceRecurringIntervalMonth), int64(months)
}

// Cancel implements payment.Provider.
func (p *Provider) Cancel(ctx context.Context, r payment.Reference) error {
	if r.Session == "" {
		return nil
	}
	_, err := p.client.V1CheckoutSessions.Expire(ctx, r.Session, nil)
	if err = explain("close a checkout page", err); !errors.Is(err, payment.ErrRefused) {
		return err
	}
	// The page is no longer open. Only a completed page is an error.
	session, getErr := p.client.V1CheckoutSessions.Retrieve(ctx, r.Session, nil)
	switch {
	case hasCode(getErr, stripe.ErrorCodeResourceMissing): // it belongs to another account, or to test mode
		return nil
	case getErr != nil:
		return explain("look at a checkout page", getErr)
	case session.Status == stripe.CheckoutSessionStatusComplete:
		return err
	}
	return nil
}

// LookUp implements payment.Provider. It reads the page in the same way as a webhook.
func (p *Provider) LookUp(ctx context.Context, r payment.Reference) (payment.Event, error) {
	if r.Session == "" && r.Invoice != "" {
		return p.lookUpInvoice(ctx, r.Invoice)
	}
	params := new(stripe.CheckoutSessionRetrieveParams)
	params.AddExpand("payment_intent")
	params.AddExpand("subscription")
	if p.documents() {
		params.AddExpand("invoice")
	}
	page, err := p.client.V1CheckoutSessions.Retrieve(ctx, r.Session, params)
	if err != nil {
		return payment.Event{}, explain("look at a checkout page", err)
	}
	out := payment.Event{Type: "checkout.session looked at"}
	if err := p.readSession(ctx, &out, page.LastResponse.RawJSON); err != nil {
		return payment.Event{}, err
	}
	if out.Kind == payment.Unrelated && neverPaid(page) {
		if err := readFailure(ctx, &out, page.LastResponse.RawJSON); err != nil {
			return payment.Event{}, err
		}
	}
	out.ID = map[payment.EventKind]string{payment.Paid: "paid ", payment.Failed: "failed "}[out.Kind] + r.Session
	return out, nil
}

// neverPaid reports whether an unpaid page cannot be paid any more: it expired, or the bank refused the
// payment after the buyer completed the page.
func neverPaid(page *stripe.CheckoutSession) bool {
	switch page.Status {
	case stripe.CheckoutSessionStatusExpired:
		return true
	case stripe.CheckoutSessionStatusComplete:
	default:
		return false
	}
	if intent := page.PaymentIntent; intent != nil {
		return intent.Status == stripe.PaymentIntentStatusRequiresPaymentMethod ||
			intent.Status == stripe.PaymentIntentStatusCanceled
	}
	sub := page.Subscription
	return sub != nil && (sub.Status == stripe.SubscriptionStatusIncompleteExpired ||
		sub.Status == stripe.SubscriptionStatusCanceled)
}

// session is what we read of a Checkout Session.
type session struct {
	ID            string   `json:"id"`
	Metadata      metadata `json:"metadata"`
	PaymentStatus string   `json:"payment_status"`
	AmountTotal   int64    `json:"amount_total"`
	Currency      string   `json:"currency"`
	PaymentIntent id       `json:"payment_intent"`
	Invoice       id       `json:"invoice"`
	Subscription  id       `json:"subscription"`
	Customer      id       `json:"customer"`
}

// identify fills in what the event is about.
func (s *session) identify(e *payment.Event) {
	e.OrderID = s.Metadata[metadataKey]
	e.Reference = payment.Reference{
		Session: s.ID, Payment: string(s.PaymentIntent),
		Invoice: string(s.Invoice), Subscription: string(s.Subscription), Customer: string(s.Customer),
	}
}

// readSession reads that the buyer completed a page. The order is paid then, or after the bank's answer,
// which is another event.
func (p *Provider) readSession(_ context.Context, e *payment.Event, object json.RawMessage) error {
	var s session
	if !decode(e, object, &s) || s.PaymentStatus == string(stripe.CheckoutSessionPaymentStatusUnpaid) {
		return nil
	}
	s.identify(e)
	e.Kind, e.Minor, e.Currency = payment.Paid, s.AmountTotal, strings.ToUpper(s.Currency)
	e.Exponent, _ = payment.Units(e.Currency)
	var b billed
	if decode(e, object, &b) {
		e.Bill = p.bill(b)
	}
	return nil
}

// readFailure reads that a page will never be paid.
func readFailure(_ context.Context, e *payment.Event, object json.RawMessage) error {
	var s session
	if decode(e, object, &s) {
		s.identify(e)
		e.Kind = payment.Failed
	}
	return nil
}
