package httpapi_test

import (
	"net/http"
	"strings"
	"testing"

	"stoa/internal/testkit"
)

// Buyers who return from the payment page come to their order, whether it exists or not;
// an address without an order has a page of its own.
func TestBuyersReturnToTheirOrder(t *testing.T) {
	t.Parallel()

	a := testkit.New(t)
	a.Client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	const order = "tz4a98xxat96iws9zmbrgj3a"
	for path, want := range map[string]string{
		"/payment/success?order=" + order:   "/orders/" + order + "?payment=success",
		"/payment/cancelled?order=" + order: "/orders/" + order + "?payment=cancelled",
	} {
		res := a.Do(t, opened(path))
		if res.Status != http.StatusSeeOther || res.Header.Get("Location") != want {
			t.Errorf("%s = %d to %q, want %q", path, res.Status, res.Header.Get("Location"), want)
		}
		// Browsers without scripts get a page about the payment.
		said := map[bool]string{true: "is being confirmed", false: "was not made"}[strings.Contains(path, "success")]
		page := a.Do(t, opened(want))
		if page.Status != http.StatusOK || !strings.Contains(string(page.Body), said) {
			t.Errorf("%s = %d without %q", want, page.Status, said)
		}
	}
	for _, query := range []string{"", "?order=", "?order=1", "?order=%2F%2Fevil.example", "?order=" + order + "x"} {
		res := a.Do(t, opened("/payment/success"+query))
		if res.Status != http.StatusOK || !strings.Contains(string(res.Body), "Thank you") {
			t.Errorf("/payment/success%s = %d, want the page", query, res.Status)
		}
	}
}
