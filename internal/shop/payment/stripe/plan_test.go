package stripe_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"stoa/internal/shop/payment"
	"stoa/internal/testkit/stripetest"
)

// team is a plan of 20.00 EUR a month.
var team = payment.Plan{
	OrderID: "order2", Minor: 2000, Exponent: 2, Currency: "EUR", Name: "Mail Pack – Team", Months: 1, At: at,
}

// plans answers with a subscription of 10.00 EUR each interval; more is put into it.
func plans(srv *stripetest.Server, interval string, more object) {
	srv.Answer(func(r stripetest.Request) *stripetest.Answer {
		if r.Path != "/v1/subscriptions/sub_1" {
			return nil
		}
		return &stripetest.Answer{Body: with(object{
			"id": "sub_1", "object": "subscription", "status": "active", "schedule": nil,
			"items": object{"object": "list", "data": []any{object{
				"id": "si_1", "object": "subscription_item", "current_period_end": month(1).Unix(), "quantity": 1,
				"price": object{"id": "price_1", "object": "price", "product": "prod_1", "recurring": object{
					"interval": interval, "interval_count": 1,
				}},
			}}},
		}, more)}
	})
}

var subscribedTo = payment.Reference{Subscription: "sub_1"}

// bill is the invoice of a change of plan.
func bill(status string, due int) object {
	return object{"latest_invoice": object{
		"id": "in_9", "object": "invoice", "billing_reason": "subscription_update", "status": status,
		"amount_due": due, "currency": "eur", "hosted_invoice_url": "https://invoice.stripe.com/i/9",
	}}
}

// updates returns the requests that change the subscription.
func updates(srv *stripetest.Server) (found []stripetest.Request) {
	for _, r := range srv.Requests("/v1/subscriptions/sub_1") {
		if r.Method == http.MethodPost {
			found = append(found, r)
		}
	}
	return found
}

// theItem are the parameters that name the item and its new price a month.
func theItem(prefix, amount string) map[string]string {
	price := prefix + "[price_data]"
	return map[string]string{
		prefix + "[id]": "si_1", prefix + "[quantity]": "1", price + "[currency]": "eur", price + "[product]": "prod_1",
		price + "[unit_amount]": amount, price + "[recurring][interval]": "month",
		price + "[recurring][interval_count]": "1",
	}
}

func TestAPreviewIsTheInvoiceOfAChangeAtOnce(t *testing.T) {
	t.Parallel()
	s, srv := account(t)

	line := func(amount int, parent string, details object) object {
		return object{
			"id": "il_1", "object": "line_item", "amount": amount, "period": object{"start": at.Unix(), "end": details["end"]},
			"parent": object{"type": parent, parent: object{"proration": details["proration"]}},
		}
	}
	month1, year, two := month(1).Unix(), month(12).Unix(), month(24).Unix()
	for name, lines := range map[string][]any{
		"classic": {
			line(-500, "invoice_item_details", object{"proration": true, "end": two}),
			line(1000, "invoice_item_details", object{"proration": true, "end": month1}),
			line(300, "invoice_item_details", object{"proration": false, "end": year}), // an extra of the operator's
		},
		"flexible, and another interval": {
			line(-500, "subscription_item_details", object{"proration": true, "end": two}),
			line(1000, "subscription_item_details", object{"proration": false, "end": month1}),
		},
	} {
		plans(srv, "month", nil)
		old := srv.Answering()
		srv.Answer(func(r stripetest.Request) *stripetest.Answer {
			if r.Path != "/v1/invoices/create_preview" {
				return old(r)
			}
			return &stripetest.Answer{Body: object{
				"object": "invoice", "billing_reason": "upcoming", "amount_due": 450, "total": 500, "currency": "eur",
				"lines": object{"object": "list", "data": lines},
			}}
		})
		got, err := s.PreviewPlan(t.Context(), subscribedTo, team)
		want := payment.Proration{Due: 450, Credit: 500, Exponent: 2, Currency: "EUR", Until: month(1)}
		if err != nil || got != want {
			t.Errorf("%s: %+v, %v; want %+v", name, got, err, want)
		}
	}
	form := theItem("subscription_details[items][0]", "2000")
	form["subscription"] = "sub_1"
	form["subscription_details[proration_behavior]"] = "always_invoice"
	form["subscription_details[proration_date]"] = "1898596800"
	wantForm(t, srv.Requests("/v1/invoices/create_preview")[0], form)
	if n := len(updates(srv)); n != 0 {
		t.Errorf("the previews changed the subscription %d times", n)
	}
}

func TestAPreviewOfALaterChangeAsksForNoInvoice(t *testing.T) {
	t.Parallel()
	s, srv := account(t)
	plans(srv, "month", nil)

	later := team
	later.Later = true
	got, err := s.PreviewPlan(t.Context(), subscribedTo, later)
	if want := (payment.Proration{Exponent: 2, Currency: "EUR", Until: month(1)}); err != nil || got != want {
		t.Errorf("preview = %+v, %v; want %+v", got, err, want)
	}
	if asked := srv.Requests("/v1/invoices/create_preview"); len(asked) != 0 {
		t.Errorf("asked for an invoice: %v", asked)
	}
}

func TestAChangeAtOnceHoldsWhenItIsPaid(t *testing.T) {
	t.Parallel()

	paid := payment.Changed{Paid: true, Until: month(1)}
	billed := payment.Changed{Invoice: "in_9", Paid: true, Minor: 450, Exponent: 2, Currency: "EUR", Until: month(1)}
	open := billed
	open.Paid, open.URL = false, "https://invoice.stripe.com/i/9"
	cycle := bill("paid", 450)
	cycle["latest_invoice"].(object)["billing_reason"] = "subscription_cycle"
	for name, tt := range map[string]struct {
		answer object
		want   payment.Changed
	}{
		"paid":        {bill("paid", 450), billed},
		"not paid":    {bill("open", 450), open},
		"nothing due": {bill("paid", 0), paid},
		"a credit":    {bill("paid", -200), paid},
		"no invoice":  {cycle, paid},
	} {
		s, srv := account(t)
		plans(srv, "month", tt.answer)
		got, err := s.ChangePlan(t.Context(), subscribedTo, team)
		if err != nil || got != tt.want {
			t.Errorf("%s: %+v, %v; want %+v", name, got, err, tt.want)
		}
		asked := updates(srv)
		if len(asked) != 1 || asked[0].IdempotencyKey != "stoa-plan-order2" {
			t.Fatalf("%s: asked %+v, want one request with the order's key", name, asked)
		}
		form := theItem("items[0]", "2000")
		form["proration_behavior"], form["payment_behavior"] = "always_invoice", "pending_if_incomplete"
		form["proration_date"], form["expand[0]"] = "1898596800", "latest_invoice"
		wantForm(t, asked[0], form)
	}
}

// Stripe waits for the next period by itself, as long as the interval stays.
func TestALaterChangeIsNotProrated(t *testing.T) {
	t.Parallel()
	s, srv := account(t)
	plans(srv, "month", bill("paid", 1000)) // of an earlier change

	later := team
	later.Later, later.Minor = true, 500
	got, err := s.ChangePlan(t.Context(), subscribedTo, later)
	if want := (payment.Changed{Paid: true, Until: month(1)}); err != nil || got != want {
		t.Errorf("change = %+v, %v; want %+v", got, err, want)
	}
	form := theItem("items[0]", "500")
	form["proration_behavior"], form["expand[0]"] = "none", "latest_invoice"
	wantForm(t, updates(srv)[0], form)
}

// Stripe would begin another interval at once, and charge it.
func TestALaterChangeOfTheIntervalIsScheduled(t *testing.T) {
	t.Parallel()

	const schedules, path = "/v1/subscription_schedules", "/v1/subscription_schedules/sched_1"
	schedule := object{
		"id": "sched_1", "object": "subscription_schedule",
		"current_phase": object{"start_date": at.Unix(), "end_date": month(12).Unix()},
	}
	for name, attached := range map[string]any{"without a schedule": nil, "with one": schedule} {
		s, srv := account(t)
		plans(srv, "year", object{"schedule": attached})
		old := srv.Answering()
		srv.Answer(func(r stripetest.Request) *stripetest.Answer {
			if strings.HasPrefix(r.Path, schedules) {
				return &stripetest.Answer{Body: schedule}
			}
			return old(r)
		})
		later := team
		later.Later = true
		got, err := s.ChangePlan(t.Context(), subscribedTo, later)
		if want := (payment.Changed{Paid: true, Until: month(1)}); err != nil || got != want {
			t.Fatalf("%s: %+v, %v; want %+v", name, got, err, want)
		}
		if attached == nil {
			wantForm(t, oneRequest(t, srv, schedules), map[string]string{"from_subscription": "sub_1"})
		}
		form := theItem("phases[1][items][0]", "2000")
		delete(form, "phases[1][items][0][id]")
		for name, value := range map[string]string{
			"metadata[orderId]": "order2", "end_behavior": "release", "proration_behavior": "none",
			"phases[0][start_date]": "1898596800", "phases[0][end_date]": "1930132800",
			"phases[0][proration_behavior]": "none", "phases[0][items][0][price]": "price_1",
			"phases[0][items][0][quantity]": "1", "phases[1][proration_behavior]": "none",
			"phases[1][billing_cycle_anchor]": "phase_start", "phases[1][duration][interval]": "month",
			"phases[1][duration][interval_count]": "1",
		} {
			form[name] = value
		}
		changed := oneRequest(t, srv, path)
		wantForm(t, changed, form)
		if changed.IdempotencyKey != "stoa-plan-order2-sched_1" {
			t.Errorf("%s: Idempotency-Key = %q", name, changed.IdempotencyKey)
		}
		if n := len(updates(srv)); n != 0 {
			t.Errorf("%s: the subscription itself was changed %d times", name, n)
		}
	}
}

// A schedule would undo the change with its next phase.
func TestAChangeAtOnceReleasesTheSchedule(t *testing.T) {
	t.Parallel()
	s, srv := account(t)
	plans(srv, "year", object{"schedule": object{"id": "sched_1", "object": "subscription_schedule"}})

	yearly := team
	yearly.Months = 12
	if _, err := s.ChangePlan(t.Context(), subscribedTo, yearly); err != nil {
		t.Fatal(err)
	}
	oneRequest(t, srv, "/v1/subscription_schedules/sched_1/release")
	if got := updates(srv)[0].Form.Get("items[0][price_data][recurring][interval]"); got != "year" {
		t.Errorf("interval = %q, want a year", got)
	}
}

// Stripe refuses to end what a schedule steers.
func TestASubscriptionWithAScheduleEndsWithItsPeriod(t *testing.T) {
	t.Parallel()

	for name, scheduled := range map[string]any{"with a schedule": "sched_1", "without": nil} {
		s, srv := account(t)
		released := false
		srv.Answer(func(r stripetest.Request) *stripetest.Answer {
			switch {
			case strings.HasSuffix(r.Path, "/release"):
				released = true
				return nil
			case r.Method == http.MethodGet:
				return &stripetest.Answer{Body: object{"id": "sub_1", "object": "subscription", "schedule": scheduled}}
			case !released:
				return failure(http.StatusBadRequest, "")
			}
			return &stripetest.Answer{Body: object{"id": "sub_1", "object": "subscription", "canceled_at": at.Unix()}}
		})
		noted, err := s.EndLater(t.Context(), subscribedTo)
		if scheduled == nil {
			if !errors.Is(err, payment.ErrRefused) || len(updates(srv)) != 1 {
				t.Errorf("%s: %v after %d requests, want ErrRefused after one", name, err, len(updates(srv)))
			}
			continue
		}
		if err != nil || !noted.Equal(at) {
			t.Errorf("%s: EndLater = %s, %v", name, noted, err)
		}
		oneRequest(t, srv, "/v1/subscription_schedules/sched_1/release")
	}
}

func TestChangesOfPlanTellRefusalsFromOutages(t *testing.T) {
	t.Parallel()

	inexact := team
	inexact.Currency, inexact.Exponent, inexact.Minor = "KWD", 3, 5124
	for name, tt := range map[string]struct {
		r       payment.Reference
		plan    payment.Plan
		answer  *stripetest.Answer
		refused bool
	}{
		"no subscription":          {payment.Reference{Payment: "pi_1"}, team, nil, true},
		"an inexact amount":        {subscribedTo, inexact, nil, true},
		"a subscription that went": {subscribedTo, team, failure(http.StatusNotFound, "resource_missing"), true},
		"one that has ended": {subscribedTo, team, &stripetest.Answer{Body: object{
			"id": "sub_1", "object": "subscription", "status": "canceled",
		}}, true},
		"one without an item": {subscribedTo, team, &stripetest.Answer{Body: object{
			"id": "sub_1", "object": "subscription", "status": "active",
		}}, true},
		"an outage": {subscribedTo, team, failure(http.StatusInternalServerError, ""), false},
		"no right":  {subscribedTo, team, failure(http.StatusForbidden, ""), false},
	} {
		s, srv := account(t)
		srv.Answer(func(stripetest.Request) *stripetest.Answer { return tt.answer })
		_, previewed := s.PreviewPlan(t.Context(), tt.r, tt.plan)
		_, changed := s.ChangePlan(t.Context(), tt.r, tt.plan)
		for _, err := range []error{previewed, changed} {
			if err == nil || errors.Is(err, payment.ErrRefused) != tt.refused {
				t.Errorf("%s: %v; want it refused: %v", name, err, tt.refused)
			}
		}
	}
}

func TestWhatEventsOfAChangeMean(t *testing.T) {
	t.Parallel()

	invoice := object{
		"id": "in_9", "billing_reason": "subscription_update", "amount_paid": 450, "currency": "eur",
		"parent": object{"subscription_details": object{"metadata": ours, "subscription": "sub_1"}},
	}
	// As before 2025, with the marks of prorations on the lines themselves.
	lines := object{"lines": object{"data": []any{
		object{"type": "invoiceitem", "proration": true, "amount": -500, "period": object{"end": month(12).Unix()}},
		object{"type": "invoiceitem", "proration": true, "amount": 950, "period": object{"end": month(1).Unix()}},
	}}}
	ref := payment.Reference{Invoice: "in_9", Subscription: "sub_1"}
	adjusted := payment.Event{
		Kind: payment.Adjusted, OrderID: "order1", Reference: ref, Minor: 450, Exponent: 2, Currency: "EUR", Until: month(1),
	}
	abandoned := payment.Event{Kind: payment.AdjustmentFailed, OrderID: "order1", Reference: ref}
	expired := abandoned
	expired.Reference = subscribedTo
	sub := object{
		"id": "sub_1", "metadata": ours, "status": "active", "cancel_at_period_end": false, "latest_invoice": "in_10",
		"schedule": "sched_1", "pending_update": object{"expires_at": month(1).Unix()},
	}
	goesOn := payment.Event{Kind: payment.WillRenew, OrderID: "order1", Reference: subscribedTo}
	checkMeanings(t, []meaning{
		{"paid", "invoice.paid", with(invoice, lines), adjusted},
		{"another system's", "invoice.paid", object{"id": "in_9", "billing_reason": "manual"}, payment.Event{}},
		{"not paid at first", "invoice.payment_failed", invoice, payment.Event{}},
		{"voided", "invoice.voided", invoice, abandoned},
		{"given up", "invoice.marked_uncollectible", invoice, abandoned},
		{"a later period's is voided", "invoice.voided", with(invoice, object{"billing_reason": "subscription_cycle"}), payment.Event{}},
		{"too late", "customer.subscription.pending_update_expired", sub, expired},
		{"waiting, or scheduled", "customer.subscription.updated", sub, goesOn},
	})
}
