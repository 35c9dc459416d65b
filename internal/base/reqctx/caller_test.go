package reqctx_test

import (
	"testing"

	"stoa/internal/base/reqctx"
)

// Plugins ask this, too: what they open to administrators is no way around a second factor.
func TestStaffWithoutTheSecondFactorThatIsAskedForAreNoAdministrators(t *testing.T) {
	t.Parallel()

	admin := reqctx.Caller{UserID: "u1", Role: reqctx.RoleAdmin, SessionID: "s1"}
	if !admin.IsAdmin() {
		t.Error("an administrator is none")
	}
	if admin.FactorDue = reqctx.SecondFactor; admin.IsAdmin() {
		t.Error("without the second factor, too")
	}
}
