package shop_test

import (
	"testing"

	"stoa/internal/testkit"
)

func TestVerifyRefusals(t *testing.T) {
	t.Parallel()
	a := testkit.NewShop(t)
	key := a.BuyKey(t, "", "once")
	a.Activate(t, key, "a.example")

	testkit.WantRefused(t, a.Verify(t, "mail-pack", "x", "a.example"), "not_found")
	testkit.WantRefused(t, a.Verify(t, "mail-pack", testkit.UnknownKey(), "a.example"), "not_found")
	testkit.WantRefused(t, a.Verify(t, "bare", key, "a.example"), "not_found")
	testkit.WantRefused(t, a.Verify(t, "mail-pack", key, "b.example"), "not_activated")
	testkit.WantFlatError(t, a.Verify(t, "nope", key, "a.example"), 404, "NOT_FOUND")
	testkit.WantFlatError(t, a.Verify(t, "mail-pack", key, "\xff"), 400, "VALIDATION_ERROR")
	missing := a.Fetch(t, testkit.Products+"/mail-pack/license/verify")
	testkit.WantFlatError(t, missing, 400, "VALIDATION_ERROR")
	if got := testkit.IssuePaths(t, missing); got != "licenseKey instanceId" {
		t.Errorf("issues = %q", got)
	}
}
