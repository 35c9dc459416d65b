package permission_test

import (
	"slices"
	"testing"

	"stoa/internal/base/permission"
)

func TestASetHasWhatItsNamesSayAndInclude(t *testing.T) {
	t.Parallel()

	s := permission.Parse("audit:read extensions:use:shop-helper orders:read unknown:verb extensions:use:NO")
	want := "orders:read audit:read audit:customers extensions:use:shop-helper"
	if s.String() != want || permission.Parse(want) != s {
		t.Errorf("it has %q", s)
	}
	for name, has := range map[permission.Name]bool{
		"orders:read": true, "audit:customers": true, "extensions:use:shop-helper": true, permission.Any: true,
		"orders:refund": false, "extensions:use": false, "extensions:use:other": false, "unknown:verb": false, "": false,
	} {
		if s.Has(name) != has {
			t.Errorf("has %q: %v", name, !has)
		}
	}
	all := permission.Of(permission.UseExtensions, permission.UsePlugin("shop-helper"))
	if all.String() != "extensions:use" || !all.Has(permission.UsePlugin("other")) || all.Has("extensions:use:NO") {
		t.Errorf("the right to use all plugins is %q", all)
	}
	if (permission.Set{}).Has(permission.Any) {
		t.Error("who has nothing has something")
	}
}

func TestSetsAreCompared(t *testing.T) {
	t.Parallel()

	use, one := permission.Of(permission.UseExtensions), permission.Of(permission.UsePlugin("a1"), permission.ReadOrders)
	for _, tt := range []struct {
		s, other permission.Set
		lacks    permission.Name
		both     string
	}{
		{use, one, "orders:read", "extensions:use:a1"},
		{one, use, "extensions:use", "extensions:use:a1"},
		{permission.All(), one, "", "orders:read extensions:use:a1"},
		{one, permission.Set{}, "", ""},
		{permission.Set{}, permission.Set{}, "", ""},
	} {
		if got := tt.s.Lacks(tt.other); got != tt.lacks {
			t.Errorf("%q lacks %q of %q", tt.s, got, tt.other)
		}
		if got := tt.s.And(tt.other).String(); got != tt.both {
			t.Errorf("%q and %q have %q", tt.s, tt.other, got)
		}
	}
}

// The set is one word: a permission too many would share a bit with another.
func TestEveryPermissionHasItsOwnPlace(t *testing.T) {
	t.Parallel()

	for _, name := range permission.Catalog() {
		if got := permission.Of(name).Names(); got[0] != name && name != permission.ReadAudit || !permission.Known(name) {
			t.Errorf("%s is %v", name, got)
		}
	}
	if n := len(permission.Catalog()); n > 64 {
		t.Errorf("%d permissions do not fit", n)
	}
}

// Support reads addresses, and an analyst does not: what a role has is what operators were promised.
func TestBuiltInRolesHaveWhatTheirJobsNeed(t *testing.T) {
	t.Parallel()

	if got := permission.StaffRoles(); !slices.Equal(got, []string{"ADMIN", "OPERATOR", "CATALOG", "SUPPORT", "FINANCE", "ANALYST"}) {
		t.Errorf("roles are %q", got)
	}
	for role, want := range map[string]string{
		"USER":    "",
		"SUPPORT": "overview:read users:read users:email users:sessions users:security users:impersonate orders:read discounts:read licenses:read licenses:seats reviews:read products:read extensions:use deliveries:read audit:customers",
		"FINANCE": "overview:read users:read users:email orders:read orders:refund orders:cancel discounts:read discounts:write reports:read licenses:read licenses:write licenses:grant licenses:revoke products:read audit:customers",
		"ANALYST": "overview:read orders:read discounts:read reports:read licenses:read reviews:read products:read deliveries:read",
		"ADMIN":   permission.All().String(),
	} {
		if got := permission.OfRole(role, "keys:rotate"); got.String() != want {
			t.Errorf("%s has %q", role, got)
		}
	}
	if got := permission.OfRole("HELPERS", "orders:read"); got != permission.Of(permission.ReadOrders) {
		t.Errorf("an own role has %q", got)
	}
}
