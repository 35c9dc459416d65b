package gateway

import (
	"testing"

	"stoa/internal/base/reqctx"
)

func TestStaffAreNamedByTheirRoleOnTheirRoutesOnly(t *testing.T) {
	t.Parallel()

	for _, tt := range []struct {
		who   reqctx.Caller
		route string
		want  string
	}{
		{reqctx.Caller{UserID: "u", Role: "SUPPORT"}, CallerAdmin, "SUPPORT"},
		{reqctx.Caller{UserID: "u", Role: "MAIL_DESK"}, CallerAdmin, "MAIL_DESK"},
		{reqctx.Caller{UserID: "u", Role: "SUPPORT"}, CallerShop, ""},
		{reqctx.Caller{UserID: "u", Role: reqctx.RoleAdmin}, CallerAdmin, ""},
		{reqctx.Caller{UserID: "u", Role: reqctx.RoleUser}, CallerAdmin, ""},
		{reqctx.Caller{Service: "erp", Role: reqctx.RoleAdmin}, CallerAdmin, ""},
		{reqctx.Caller{}, CallerAdmin, ""},
	} {
		if got := staffRole(tt.who, tt.route); got != tt.want {
			t.Errorf("%+v at %s is %q, want %q", tt.who, tt.route, got, tt.want)
		}
	}
}
