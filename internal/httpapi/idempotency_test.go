package httpapi_test

import (
	"net/http"
	"testing"

	"stoa/internal/testkit"
)

// A key that is not honoured must not be ignored: its sender would repeat a
// purchase in the belief that nothing is bought twice.
func TestIdempotencyKeyIsRefusedNotIgnored(t *testing.T) {
	t.Parallel()

	a := testkit.New(t)
	admin := a.Admin(t, "root").Access
	for _, path := range []string{
		"/api/marketplace/products/x/purchase", "/api/marketplace/products/x/activate",
		"/api/v1/admin/extensions/plugin/install", "/api/v1/admin/plugins/x/instances",
	} {
		res := a.Do(t, testkit.Request{
			Method: http.MethodPost, Path: path, Token: admin, Body: "{}", Header: http.Header{"Idempotency-Key": {"k1"}},
		})
		if res.Status != http.StatusNotImplemented {
			t.Errorf("POST %s with a key = %d %s, want 501", path, res.Status, res.Body)
		}
	}
}
