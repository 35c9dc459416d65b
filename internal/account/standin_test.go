package account

import (
	"slices"
	"testing"

	"stoa/internal/base/permission"
	"stoa/internal/base/reqctx"
)

// A process that remembers a session reads it again after a change to its user's role, to whoever acts in it, and to
// the role of whoever acts.
func TestAChangeToWhoActsAsAUserIsNoticed(t *testing.T) {
	t.Parallel()

	own := Alive{User: User{ID: "ada", Role: "OWN_ROLE"}}
	acted := own
	acted.StandIn, acted.StandInRole = StandIn{ID: "sam"}, "HELPERS"
	for _, tt := range []struct {
		name  string
		alive Alive
		want  []string
	}{
		{"by themselves", own, []string{"role OWN_ROLE"}},
		{"by staff with a role of the shop's", acted, []string{"role OWN_ROLE", "sam", "role HELPERS"}},
	} {
		if got := tt.alive.about(); !slices.Equal(got, tt.want) {
			t.Errorf("%s: rows about %q, want %q", tt.name, got, tt.want)
		}
	}
}

// Whoever acts as a user needs the right to all the time, and nobody acts as staff.
func TestWhoActsAsAUserNeedsTheRightAllTheTime(t *testing.T) {
	t.Parallel()

	reads := permission.Of(permission.Impersonate)
	writes := permission.Of(permission.Impersonate, permission.ImpersonateToWrite)
	for _, tt := range []struct {
		name     string
		role     reqctx.Role
		writable bool
		rights   permission.Set
		want     bool
	}{
		{"reading", reqctx.RoleUser, false, reads, true},
		{"writing", reqctx.RoleUser, true, writes, true},
		{"writing, with the right to read", reqctx.RoleUser, true, reads, false},
		{"without a right", reqctx.RoleUser, false, permission.Set{}, false},
		{"as staff", "SUPPORT", false, writes, false},
	} {
		alive := Alive{
			User: User{ID: "ada", Role: tt.role}, StandIn: StandIn{ID: "sam", Writable: tt.writable}, StandInRights: tt.rights,
		}
		if got := alive.stands(); got != tt.want {
			t.Errorf("%s: %t, want %t", tt.name, got, tt.want)
		}
	}
}
