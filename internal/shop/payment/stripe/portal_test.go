package stripe_test

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"stoa/internal/shop/payment"
	"stoa/internal/testkit/stripetest"
)

const (
	configurations = "/v1/billing_portal/configurations"
	portalSessions = "/v1/billing_portal/sessions"
	back           = "https://shop.example/orders/order1"
)

// portals answers as an account whose list of configurations has what the test puts there.
type portals struct {
	mu   sync.Mutex
	list []any
	off  map[string]bool // configurations that were switched off
}

func (p *portals) answer(r stripetest.Request) *stripetest.Answer {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case r.Path == configurations && r.Method == http.MethodGet:
		return list(r.Path, p.list...)
	case r.Path == configurations:
		made := configured("bpc_1", "1")
		for _, there := range p.list {
			if there.(object)["id"] == "bpc_1" {
				return &stripetest.Answer{Body: made} // the same key
			}
		}
		p.list = append(p.list, made)
		return &stripetest.Answer{Body: made}
	case r.Path == portalSessions && p.off[r.Form.Get("configuration")]:
		return failure(http.StatusBadRequest, "")
	case r.Path == portalSessions:
		return &stripetest.Answer{Body: object{
			"id": "bps_1", "object": "billing_portal.session", "url": "https://billing.stripe.com/" + r.Form.Get("customer"),
		}}
	case r.Path == "/v1/checkout/sessions/cs_1":
		return &stripetest.Answer{Body: object{"id": "cs_1", "object": "checkout.session", "customer": "cus_2"}}
	case r.Path == "/v1/checkout/sessions/cs_2":
		return &stripetest.Answer{Body: object{"id": "cs_2", "object": "checkout.session", "customer": nil}}
	case r.Path == "/v1/subscriptions/sub_1":
		return &stripetest.Answer{Body: object{"id": "sub_1", "object": "subscription", "customer": "cus_3"}}
	case r.Path == "/v1/invoices/in_1":
		return &stripetest.Answer{Body: object{"id": "in_1", "object": "invoice", "customer": "cus_4"}}
	}
	return failure(http.StatusNotFound, "resource_missing")
}

func configured(id, version string) object {
	return object{"id": id, "object": "billing_portal.configuration", "active": true, "metadata": object{"stoaPortal": version}}
}

func TestThePortalIsOfTheCustomerAndChangesNoPlan(t *testing.T) {
	t.Parallel()
	s, srv := account(t)
	srv.Answer(new(portals).answer)

	for want, r := range map[string]payment.Reference{
		"cus_1": {Session: "cs_1", Subscription: "sub_1", Customer: "cus_1"},
		"cus_2": {Session: "cs_1"}, // an order from before customers were kept
		"cus_3": {Subscription: "sub_1"},
		"cus_4": {Invoice: "in_1"}, // of a change of plan
	} {
		url, err := s.OpenPortal(t.Context(), r, back)
		if err != nil || url != "https://billing.stripe.com/"+want {
			t.Errorf("%+v: %q, %v; want the portal of %s", r, url, err, want)
		}
	}
	asked := srv.Requests(portalSessions)
	wantForm(t, asked[0], map[string]string{
		"customer": asked[0].Form.Get("customer"), "configuration": "bpc_1", "return_url": back,
	})
	var made []stripetest.Request
	for _, r := range srv.Requests(configurations) {
		if r.Method == http.MethodPost {
			made = append(made, r)
		}
	}
	if len(made) != 1 || made[0].IdempotencyKey != "stoa-portal-1" {
		t.Fatalf("made %+v, want one configuration", made)
	}
	wantForm(t, made[0], map[string]string{
		"metadata[stoaPortal]": "1", "features[customer_update][enabled]": "true",
		"features[customer_update][allowed_updates][0]": "address", "features[customer_update][allowed_updates][1]": "tax_id",
		"features[invoice_history][enabled]": "true", "features[payment_method_update][enabled]": "true",
		"features[subscription_cancel][enabled]": "true", "features[subscription_cancel][mode]": "at_period_end",
		"features[subscription_update][enabled]": "false",
	})
}

func TestThePortalIsConfiguredOnce(t *testing.T) {
	t.Parallel()

	shared := &portals{list: []any{configured("bpc_operator", ""), configured("bpc_old", "0")}, off: map[string]bool{}}
	posts := 0
	for range 3 { // processes, one after the other
		s, srv := account(t)
		srv.Answer(shared.answer)
		for range 2 {
			if _, err := s.OpenPortal(t.Context(), payment.Reference{Customer: "cus_1"}, back); err != nil {
				t.Fatal(err)
			}
		}
		for _, r := range srv.Requests(configurations) {
			if r.Method == http.MethodPost {
				posts++
			}
		}
		if n := len(srv.Requests(configurations)); n > 2 {
			t.Errorf("asked for configurations %d times", n)
		}
	}
	if posts != 1 || len(shared.list) != 3 {
		t.Errorf("made %d configurations, there are %d", posts, len(shared.list))
	}
}

// Somebody may switch the configuration off at Stripe while stoa runs.
func TestAConfigurationThatIsSwitchedOffIsReplaced(t *testing.T) {
	t.Parallel()
	s, srv := account(t)
	p := &portals{list: []any{configured("bpc_first", "1")}, off: map[string]bool{}}
	srv.Answer(p.answer)

	of := payment.Reference{Customer: "cus_1"}
	if _, err := s.OpenPortal(t.Context(), of, back); err != nil {
		t.Fatal(err)
	}
	p.mu.Lock()
	p.off["bpc_first"], p.list = true, nil
	p.mu.Unlock()
	if _, err := s.OpenPortal(t.Context(), of, back); err != nil {
		t.Errorf("after it was switched off: %v", err)
	}
	if last := srv.Requests(portalSessions); last[len(last)-1].Form.Get("configuration") != "bpc_1" {
		t.Errorf("opened with %v", last[len(last)-1].Form)
	}
}

func TestThePortalTellsRefusalsFromOutages(t *testing.T) {
	t.Parallel()

	for name, r := range map[string]payment.Reference{
		"nothing known": {Payment: "pi_1"}, "no customer": {Session: "cs_2"}, "no such page": {Session: "cs_9"},
	} {
		s, srv := account(t)
		srv.Answer(new(portals).answer)
		if _, err := s.OpenPortal(t.Context(), r, back); !errors.Is(err, payment.ErrRefused) {
			t.Errorf("%s: %v, want ErrRefused", name, err)
		}
	}
	for _, path := range []string{configurations, portalSessions, "/v1/checkout/sessions/cs_1"} {
		for status, refused := range map[int]bool{
			http.StatusForbidden: false, http.StatusInternalServerError: false, http.StatusNotFound: true,
		} {
			s, srv := account(t)
			srv.Answer(func(r stripetest.Request) *stripetest.Answer {
				if strings.HasPrefix(r.Path, path) {
					return failure(status, "")
				}
				return new(portals).answer(r)
			})
			_, err := s.OpenPortal(t.Context(), payment.Reference{Session: "cs_1"}, back)
			if err == nil || errors.Is(err, payment.ErrRefused) != refused {
				t.Errorf("%s: %v; want it refused: %v", fmt.Sprint(path, " ", status), err, refused)
			}
		}
	}
}
