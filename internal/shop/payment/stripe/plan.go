package stripe

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/stripe/stripe-go/v85"

	"stoa/internal/shop/payment"
)

// PreviewPlan implements payment.Provider.
func (p *Provider) PreviewPlan(
	ctx context.Context, r payment.Reference, plan payment.Plan,
) (payment.Proration, error) {
	c, err := p.newChange(ctx, r, plan)
	if err != nil {
		return payment.Proration{}, err
	}
	out := payment.Proration{Currency: plan.Currency, Until: c.until()}
	out.Exponent, _ = payment.Units(plan.Currency)
	if plan.Later {
		return out, nil
	}
	params := &stripe.InvoiceCreatePreviewParams{
		Subscription: &r.Subscription,
		SubscriptionDetails: &stripe.InvoiceCreatePreviewSubscriptionDetailsParams{
			Items: []*stripe.InvoiceCreatePreviewSubscriptionDetailsItemParams{{
				ID: &c.item.ID, Quantity: stripe.Int64(1),
				PriceData: &stripe.InvoiceCreatePreviewSubscriptionDetailsItemPriceDataParams{
					Currency: &c.currency, Product: &c.product, UnitAmount: &c.amount, TaxBehavior: c.taxBehavior(),
					Recurring: &stripe.InvoiceCreatePreviewSubscriptionDetailsItemPriceDataRecurringParams{
						Interval: &c.interval, IntervalCount: &c.count,
					},
				},
			}},
			ProrationBehavior: stripe.String("always_invoice"), ProrationDate: c.prorated(),
		},
	}
	preview, err := p.client.V1Invoices.CreatePreview(ctx, params)
	if err != nil {
		return payment.Proration{}, explain("preview a change of plan", err)
	}
	var i invoice
	if err := json.Unmarshal(preview.LastResponse.RawJSON, &i); err != nil {
		return payment.Proration{}, fmt.Errorf("stripe: read the preview of a change of plan: %w", err)
	}
	out.Due, out.Credit, out.Until = max(i.AmountDue, 0), i.credit(), cmp.Or(i.until(), out.Until)
	return out, nil
}

// ChangePlan implements payment.Provider.
func (p *Provider) ChangePlan(ctx context.Context, r payment.Reference, plan payment.Plan) (payment.Changed, error) {
	c, err := p.newChange(ctx, r, plan)
	if err != nil {
		return payment.Changed{}, err
	}
	switch {
	case plan.Later && c.otherInterval():
		// Stripe begins another interval at once, unless a schedule says when.
		return payment.Changed{Paid: true, Until: c.until()}, p.schedule(ctx, c)
	case c.sub.Schedule != nil:
		// It would undo the change when its next phase begins.
		if err := p.release(ctx, c.sub.Schedule.ID); err != nil {
			return payment.Changed{}, err
		}
	}
	params := &stripe.SubscriptionUpdateParams{
		Items: []*stripe.SubscriptionUpdateItemParams{{
			ID: &c.item.ID, Quantity: stripe.Int64(1),
			PriceData: &stripe.SubscriptionUpdateItemPriceDataParams{
				Currency: &c.currency, Product: &c.product, UnitAmount: &c.amount, TaxBehavior: c.taxBehavior(),
				Recurring: &stripe.SubscriptionUpdateItemPriceDataRecurringParams{
					Interval: &c.interval, IntervalCount: &c.count,
				},
			},
		}},
		ProrationBehavior: stripe.String("none"),
	}
	if !plan.Later {
		params.ProrationBehavior, params.ProrationDate = stripe.String("always_invoice"), c.prorated()
		params.PaymentBehavior = stripe.String("pending_if_incomplete")
	}
	params.AddExpand("latest_invoice")
	params.SetIdempotencyKey("stoa-plan-" + plan.OrderID)
	sub, err := p.client.V1Subscriptions.Update(ctx, r.Subscription, params)
	if err != nil {
		return payment.Changed{}, explain("change the plan of a subscription", err)
	}
	if plan.Later {
		return payment.Changed{Paid: true, Until: c.until()}, nil
	}
	return changed(sub), nil
}

// changed returns what the change of a subscription at once came to.
func changed(sub *stripe.Subscription) payment.Changed {
	out := payment.Changed{Paid: true}
	if sub.Items != nil && len(sub.Items.Data) > 0 {
		out.Until = time.Unix(sub.Items.Data[0].CurrentPeriodEnd, 0).UTC()
	}
	i := sub.LatestInvoice
	if i == nil || string(i.BillingReason) != changeInvoice || i.AmountDue <= 0 {
		return out
	}
	out.Invoice, out.Minor, out.Currency = i.ID, i.AmountDue, strings.ToUpper(string(i.Currency))
	out.Exponent, _ = payment.Units(out.Currency)
	if out.Paid = i.Status == stripe.InvoiceStatusPaid; !out.Paid {
		out.URL = i.HostedInvoiceURL
	}
	return out
}

// lookUpInvoice asks what became of the invoice of a change of plan. It reads it in the same way as a webhook.
func (p *Provider) lookUpInvoice(ctx context.Context, id string) (payment.Event, error) {
	found, err := p.client.V1Invoices.Retrieve(ctx, id, nil)
	if err != nil {
		return payment.Event{}, explain("look at an invoice", err)
	}
	out := payment.Event{Type: "invoice looked at"}
	object := found.LastResponse.RawJSON
	switch found.Status {
	case stripe.InvoiceStatusPaid:
		err = p.readInvoice(ctx, &out, object)
		if t := found.StatusTransitions; t != nil && t.PaidAt != 0 {
			out.At = time.Unix(t.PaidAt, 0).UTC()
		}
	case stripe.InvoiceStatusVoid, stripe.InvoiceStatusUncollectible:
		err = readAbandoned(ctx, &out, object)
	case stripe.InvoiceStatusDraft, stripe.InvoiceStatusOpen:
	}
	return out, err
}

// change is a change of plan in Stripe's words.
type change struct {
	plan payment.Plan
	sub  *stripe.Subscription
	item *stripe.SubscriptionItem // what is paid for

	amount            int64
	currency, product string
	interval          string
	count             int64
}

// newChange looks at the subscription that is to be changed.
func (p *Provider) newChange(ctx context.Context, r payment.Reference, plan payment.Plan) (change, error) {
	c := change{plan: plan, currency: strings.ToLower(plan.Currency)}
	if r.Subscription == "" {
		return c, fmt.Errorf("stripe: the order has no subscription: %w", payment.ErrRefused)
	}
	var err error
	if c.amount, err = toStripe(plan.Minor, plan.Exponent, plan.Currency); err != nil {
		return c, err
	}
	c.interval, c.count = interval(plan.Months)
	params := new(stripe.SubscriptionRetrieveParams)
	params.AddExpand("schedule")
	if c.sub, err = p.client.V1Subscriptions.Retrieve(ctx, r.Subscription, params); err != nil {
		return c, explain("look at a subscription", err)
	}
	over := c.sub.Status == stripe.SubscriptionStatusCanceled || c.sub.Status == stripe.SubscriptionStatusIncompleteExpired
	if over || c.sub.Items == nil || len(c.sub.Items.Data) == 0 || c.sub.Items.Data[0].Price == nil ||
		c.sub.Items.Data[0].Price.Product == nil {
		return c, fmt.Errorf("stripe: subscription %s cannot be changed: %w", r.Subscription, payment.ErrRefused)
	}
	c.item = c.sub.Items.Data[0]
	c.product = c.item.Price.Product.ID
	return c, nil
}

// until returns the end of the current period.
func (c change) until() time.Time {
	if c.item.CurrentPeriodEnd == 0 {
		return time.Time{}
	}
	return time.Unix(c.item.CurrentPeriodEnd, 0).UTC()
}

// prorated returns the time for which the change is computed; nil is now.
func (c change) prorated() *int64 {
	if c.plan.At.IsZero() {
		return nil
	}
	at := c.plan.At.Unix()
	return &at
}

// taxBehavior returns how prices hold tax, as they did so far; nil if that was never said.
func (c change) taxBehavior() *string {
	switch b := c.item.Price.TaxBehavior; b {
	case stripe.PriceTaxBehaviorInclusive, stripe.PriceTaxBehaviorExclusive:
		return stripe.String(string(b))
	default:
		return nil
	}
}

// otherInterval reports whether the time between two payments changes.
func (c change) otherInterval() bool {
	now := c.item.Price.Recurring
	return now == nil || string(now.Interval) != c.interval || now.IntervalCount != c.count
}

// schedule makes the change begin with the next period, though its interval is another. A subscription has at most
// one schedule, so a repeated call finds that of the first.
func (p *Provider) schedule(ctx context.Context, c change) error {
	s := c.sub.Schedule
	if s == nil {
		params := &stripe.SubscriptionScheduleCreateParams{FromSubscription: &c.sub.ID}
		var err error
		if s, err = p.client.V1SubscriptionSchedules.Create(ctx, params); err != nil {
			return explain("schedule a change of plan", err)
		}
	}
	if s.CurrentPhase == nil {
		return fmt.Errorf("stripe: schedule %s has no current phase: %w", s.ID, payment.ErrRefused)
	}
	none := stripe.String("none")
	params := &stripe.SubscriptionScheduleUpdateParams{
		Metadata: map[string]string{metadataKey: c.plan.OrderID}, EndBehavior: stripe.String("release"),
		ProrationBehavior: none,
		Phases: []*stripe.SubscriptionScheduleUpdatePhaseParams{{
			StartDate: &s.CurrentPhase.StartDate, EndDate: &s.CurrentPhase.EndDate, ProrationBehavior: none,
			Items: []*stripe.SubscriptionScheduleUpdatePhaseItemParams{{
				Price: &c.item.Price.ID, Quantity: stripe.Int64(1),
			}},
		}, {
			Duration: &stripe.SubscriptionScheduleUpdatePhaseDurationParams{
				Interval: &c.interval, IntervalCount: &c.count,
			},
			BillingCycleAnchor: stripe.String("phase_start"), ProrationBehavior: none,
			Items: []*stripe.SubscriptionScheduleUpdatePhaseItemParams{{
				Quantity: stripe.Int64(1),
				PriceData: &stripe.SubscriptionItemPriceDataParams{
					Currency: &c.currency, Product: &c.product, UnitAmount: &c.amount, TaxBehavior: c.taxBehavior(),
					Recurring: &stripe.SubscriptionItemPriceDataRecurringParams{
						Interval: &c.interval, IntervalCount: &c.count,
					},
				},
			}},
		}},
	}
	params.SetIdempotencyKey("stoa-plan-" + c.plan.OrderID + "-" + s.ID)
	_, err := p.client.V1SubscriptionSchedules.Update(ctx, s.ID, params)
	return explain("schedule a change of plan", err)
}

// releaseOf lets a subscription go on without its schedule, and reports whether it had one.
func (p *Provider) releaseOf(ctx context.Context, subscription string) (bool, error) {
	sub, err := p.client.V1Subscriptions.Retrieve(ctx, subscription, nil)
	if err != nil {
		return false, explain("look at a subscription", err)
	}
	if sub.Schedule == nil {
		return false, nil
	}
	return true, p.release(ctx, sub.Schedule.ID)
}

// release lets a subscription go on without its schedule.
func (p *Provider) release(ctx context.Context, schedule string) error {
	_, err := p.client.V1SubscriptionSchedules.Release(ctx, schedule, nil)
	return explain("release the schedule of a subscription", err)
}
