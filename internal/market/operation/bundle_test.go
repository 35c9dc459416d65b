package operation_test

import (
	"context"
	"encoding/base64"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/extension"
	"stoa/internal/extension/install"
	"stoa/internal/testkit"
	"stoa/internal/testkit/tuftest"
)

// bundle has the market offer a bundle of one plugin, in a product of the same name, and sign permissions for it.
func (s *stage) bundle(t *testing.T, version string, inner []byte, item object, signed ...string) {
	t.Helper()
	item["kind"], item["path"] = "plugin", "pay.zip"
	archive := acme.Sign(t, testkit.Bundle(t, testkit.BundleManifest("starter", version, item), map[string][]byte{"pay.zip": inner}))
	custom := tuftest.Custom("starter", version, testkit.T0)
	custom.Kind, custom.Permissions = extension.Bundle, append([]string{}, signed...)
	custom.Publisher.Key = base64.StdEncoding.EncodeToString(acme.Public())
	s.m.Carry("starter", custom, archive)
	s.m.Publish()
}

// The plugins of a bundle get what was consented to, whatever the bundle says, and an upgrade adds to it only that.
func TestABundleGetsWhatWasConsentedTo(t *testing.T) {
	t.Parallel()

	testkit.OnEnginesOfRun(t, func(t *testing.T, options ...testkit.Option) {
		all := []string{"users:read", "users:email", "orders:read"}
		s := newStage(t, false, options...)
		item := func() object {
			return object{"instances": []object{
				{"instanceKey": "default", "grantedPermissions": all},
				{"instanceKey": "second"},
				{"instanceKey": "third", "grantedPermissions": all},
			}}
		}
		s.bundle(t, "1.0.0", unsigned(t, "pay", "1.0.0", all...), item(), all...)
		wantSteps(t, s.settled(t, s.install(t, "starter", "", "users:read")), "downloaded", "verified", "installed", "running")
		instances := s.Do(t, testkit.Get(s.admin.Access, "/api/v1/admin/plugins/pay/instances"))
		items, _ := instances.Get(t, "data.items").([]any)
		if len(items) != 3 {
			t.Fatalf("%s", instances.Body)
		}
		for _, in := range items {
			if got := in.(object)["grantedPermissions"]; !cmp.Equal(got, any([]any{"users:read"})) {
				t.Errorf("%v has %v", in.(object)["instanceKey"], got)
			}
		}

		more := item()
		more["instances"] = append(more["instances"].([]object), object{"instanceKey": "fourth", "grantedPermissions": all})
		s.bundle(t, "1.1.0", unsigned(t, "pay", "1.1.0", all...), more, all...)
		s.settled(t, s.install(t, "starter", "", "orders:read"))
		if got := s.granted(t, "pay"); s.version(t, "pay") != "1.1.0" || !cmp.Equal(got, []any{"users:read", "orders:read"}) {
			t.Errorf("upgraded: %v", got)
		}
		instances = s.Do(t, testkit.Get(s.admin.Access, "/api/v1/admin/plugins/pay/instances?q=fourth"))
		items, _ = instances.Get(t, "data.items").([]any)
		if len(items) != 1 || !cmp.Equal(items[0].(object)["grantedPermissions"], any([]any{"orders:read"})) {
			t.Errorf("%s", instances.Body)
		}

		// What is installed again gets nothing because it once had it.
		if res := s.Do(t, testkit.Delete(s.admin.Access, "/api/v1/admin/extensions/bundle/starter?items=true")); res.Status != http.StatusOK {
			t.Fatalf("%d %s", res.Status, res.Body)
		}
		s.settled(t, s.install(t, "starter", "", "orders:read"))
		instances = s.Do(t, testkit.Get(s.admin.Access, "/api/v1/admin/plugins/pay/instances"))
		items, _ = instances.Get(t, "data.items").([]any)
		for _, in := range items {
			if got := in.(object)["grantedPermissions"]; !cmp.Equal(got, any([]any{"orders:read"})) && !cmp.Equal(got, any([]any{})) {
				t.Errorf("again: %v has %v", in.(object)["instanceKey"], got)
			}
		}
		if len(items) != 4 {
			t.Errorf("%s", instances.Body)
		}
	})
}

// A package that asks for more than was signed does not fit, and neither does a bundle with such an item.
func TestAPackageThatAsksForMoreThanWasSigned(t *testing.T) {
	t.Parallel()

	s := newStage(t, false)
	s.bundle(t, "1.0.0", unsigned(t, "pay", "1.0.0", "users:read", "orders:read"), object{}, "orders:read")
	wantLast(t, s.settled(t, s.install(t, "starter", "", "orders:read")), "MARKET_UNTRUSTED")
	if got := s.version(t, "pay"); got != "" {
		t.Errorf("%s is installed", got)
	}
	s.sign(t, "1.1.0", plugin(t, acme, "tool", "1.1.0", "users:email")) // nothing is signed
	wantLast(t, s.settled(t, s.install(t, "tool", "")), "MARKET_UNTRUSTED")
}

// racing are transactions before one of which something else is installed.
type racing struct {
	install.Transactions

	turn   bool // before the first one of bundles; else before the second one of others
	before func()
	calls  int
}

func (r *racing) InTurn(ctx context.Context, fn func(tx extension.Tx) error) error {
	if before := r.before; r.turn && before != nil {
		r.before = nil
		before()
	}
	return r.Transactions.InTurn(ctx, fn)
}

func (r *racing) InTx(ctx context.Context, fn func(tx extension.Tx) error) error {
	if r.calls++; r.calls == 2 && !r.turn {
		r.before()
	}
	return r.Transactions.InTx(ctx, fn)
}

// What was uploaded is not replaced by an item of a bundle, or by a package, of a market: neither if it is there
// before, nor if it comes while the other is installed.
func TestAPackageFromElsewhereIsNotReplaced(t *testing.T) {
	t.Parallel()

	testkit.OnEnginesOfRun(t, func(t *testing.T, options ...testkit.Option) {
		for name, tt := range map[string]struct {
			product, slug string
			race          bool
			same          bool // the bytes
		}{
			"an item":                            {"starter", "pay", false, false},
			"an item of the same bytes":          {"starter", "pay", false, true},
			"an item, at once":                   {"starter", "pay", true, false},
			"an item of the same bytes, at once": {"starter", "pay", true, true},
			"a package, at once":                 {"tool", "tool", true, false},
			"the same bytes, at once":            {"tool", "tool", true, true},
		} {
			t.Run(name, func(t *testing.T) {
				s := newStage(t, false, append(options, acme.Trusted)...)
				permissions := []string{"storage:read", "events:publish"}
				inner := plugin(t, acme, tt.slug, "1.0.0", permissions...)
				uploaded, version := inner, "1.0.0"
				if !tt.same {
					uploaded, version = unsigned(t, tt.slug, "0.5.0", permissions...), "0.5.0"
				}
				if tt.slug == "tool" {
					s.offer(t, false, inner, "1.0.0")
				} else {
					s.bundle(t, "1.0.0", inner, object{}, permissions...)
				}
				upload := func() {
					if res := s.Install(t, s.admin.Access, "plugin", uploaded); res.Status != http.StatusCreated {
						t.Errorf("%d %s", res.Status, res.Body)
					}
				}
				if tt.race {
					installer := s.Operations.Installer
					installer.Records = &racing{Transactions: installer.Records, turn: tt.slug != "tool", before: upload}
				} else {
					upload()
				}
				op := s.settled(t, s.install(t, tt.product, "", "storage:read"))
				wantLast(t, op, "CONFLICT")
				shown := s.Do(t, testkit.Get(s.admin.Access, "/api/v1/admin/plugins/"+tt.slug))
				if shown.Text(t, "data.version") != version || shown.Text(t, "data.source") == "official-market" {
					t.Errorf("%s", shown.Body)
				}
				if !tt.race && !cmp.Equal(op.Get(t, "data.error.details.packages"), any([]any{"plugin/pay"})) {
					t.Errorf("%s", op.Body)
				}
			})
		}
	})
}

// A market signs for a bundle what its items ask for.
func TestABundleBetweenTwoStoas(t *testing.T) {
	t.Parallel()

	p := newPair(t)
	p.publishAs(t, "bare", extension.Bundle, acme.Sign(t, testkit.Bundle(t,
		testkit.BundleManifest("starter", "1.0.0", object{"kind": "plugin", "path": "pay.zip"}, object{"kind": "plugin", "path": "see.zip"}),
		map[string][]byte{
			"pay.zip": unsigned(t, "pay", "1.0.0", "storage:read", "orders:read"), "see.zip": unsigned(t, "see", "1.0.0", "users:read"),
		})))
	wantSteps(t, p.settled(t, p.install(t, "bare", "", "orders:read", "users:read")), "downloaded", "verified", "installed", "running")
	if pay, see := p.granted(t, "pay"), p.granted(t, "see"); !cmp.Equal(pay, []any{"orders:read"}) || !cmp.Equal(see, []any{"users:read"}) {
		t.Errorf("granted %v, %v", pay, see)
	}
}
