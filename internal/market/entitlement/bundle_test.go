package entitlement_test

import (
	"context"
	"net/http"
	"testing"

	"stoa/internal/extension"
	"stoa/internal/extension/plugin"
	"stoa/internal/market/entitlement"
	"stoa/internal/testkit"
)

// Of two bundles that brought the same plugin, the license of one is enough: that the other's lapses and returns
// changes nothing, whichever is asked first.
func TestTheLicenseOfOneBundleIsEnough(t *testing.T) {
	t.Parallel()

	testkit.OnEachEngine(t, func(t *testing.T, options ...testkit.Option) {
		t.Helper()
		p := newPair(t, options...)
		for _, slug := range []string{"first", "second"} {
			p.bundle(t, slug)
		}
		turns := &turns{p.b.Entitlements.Plugins, ""}
		p.b.Entitlements.Plugins = turns
		for _, slug := range []string{"first", "second"} {
			p.lapse(t, slug)
			p.renew(t, slug)
			turns.are(t, slug+" while the other holds", "")
		}
		p.lapse(t, "first")
		p.lapse(t, "second")
		turns.are(t, "both lapse", "lapse pay ")
		p.renew(t, "second")
		p.renew(t, "first")
		turns.are(t, "both return", "return pay ")
		p.lapse(t, "second")
		p.lapse(t, "first")
		turns.are(t, "both lapse, the other way round", "lapse pay ")
		p.renew(t, "first")
		turns.are(t, "one returns", "return pay ")
	})
}

// bundle installs a bundle with the plugin pay, and a license.
func (p *pair) bundle(t *testing.T, slug string) {
	t.Helper()
	archive := testkit.Bundle(t, testkit.BundleManifest(slug, "1.0.0", map[string]any{"kind": "plugin", "path": "pay.zip"}),
		map[string][]byte{"pay.zip": testkit.ExternalPlugin(t, "pay", nil)})
	if res := p.b.Install(t, p.b.Admin.Access, "bundle", archive); res.Status != http.StatusCreated {
		t.Fatalf("%d %s", res.Status, res.Body)
	}
	// As if it had upgraded the plugin, which would need a service that answers.
	if _, err := p.b.DB.Conn().Write.ExecContext(t.Context(), `UPDATE bundle_items SET outcome = 'upgraded'`); err != nil {
		t.Fatal(err)
	}
	of := p.of
	of.Kind, of.Slug = extension.Bundle, slug
	p.cameFrom(t, "bundles", of)
	p.renew(t, slug)
}

// renew gives a bundle a license that holds.
func (p *pair) renew(t *testing.T, slug string) {
	t.Helper()
	of := p.of
	of.Kind, of.Slug = extension.Bundle, slug
	if _, err := p.b.Entitlements.Activate(t.Context(), of, p.a.BuyKey(t, "", "once")); err != nil {
		t.Fatal(err)
	}
}

// lapse revokes the license of a bundle.
func (p *pair) lapse(t *testing.T, slug string) {
	t.Helper()
	l, err := p.b.Entitlements.Get(t.Context(), extension.Bundle, slug)
	if err != nil {
		t.Fatal(err)
	}
	key, err := p.b.Entitlements.Keys.Open(l.Sealed, l.ID)
	if err != nil {
		t.Fatal(err)
	}
	p.key = string(key)
	p.revoke(t)
	if _, err := p.b.Entitlements.Check(t.Context(), extension.Bundle, slug); err != nil {
		t.Fatal(err)
	}
}

// turns notes what stops and starts.
type turns struct {
	entitlement.Plugins

	noted string
}

func (n *turns) are(t *testing.T, what, want string) {
	t.Helper()
	if n.noted != want {
		t.Errorf("%s: %q, want %q", what, n.noted, want)
	}
	n.noted = ""
}

// Lapse implements entitlement.Plugins.
func (n *turns) Lapse(ctx context.Context, st plugin.Store, slug string) (func(), error) {
	n.noted += "lapse " + slug + " "
	return n.Plugins.Lapse(ctx, st, slug)
}

// Return implements entitlement.Plugins.
func (n *turns) Return(ctx context.Context, st plugin.Store, slug string) (func(), error) {
	n.noted += "return " + slug + " "
	return n.Plugins.Return(ctx, st, slug)
}
