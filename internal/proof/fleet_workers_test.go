package proof

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"stoa/internal/testkit"
	"stoa/internal/testkit/ziptest"
)

// buyer buys licenses, activates them for instances and verifies them.
type buyer struct {
	*desk

	name, token string
	purchases   []bought
	activations []activation
}

func newBuyer(d *desk, name string) *buyer {
	return &buyer{desk: d, name: name, token: d.register(name).access}
}

func (b *buyer) work(ctx context.Context) {
	for ctx.Err() == nil && b.buy() {
	}
}

// buy buys one license and uses it. It returns false if it is not sold.
func (b *buyer) buy() bool {
	a := b.insist(http.MethodPost, app+"/purchase", b.withKey(b.token), map[string]any{
		"tierId": "seats-3", "paymentMethod": "card", "billingInfo": map[string]string{"email": "buyer@example.com"},
	}, http.StatusOK)
	var got bought
	if err := json.Unmarshal(a.body, &got); err != nil || got.LicenseKey == "" {
		b.t.Error(odd(a))
		return false
	}
	b.purchases = append(b.purchases, got)
	for i := range 1 + b.rng.IntN(3) {
		b.rest()
		use := activation{got.LicenseKey, instance(i)}
		b.insist(http.MethodPost, app+"/activate", b.withKey(""),
			map[string]string{"licenseKey": use.key, "instanceId": use.instance}, http.StatusOK)
		b.activations = append(b.activations, use)
		for range 3 {
			b.rest()
			b.verify(b.activations[b.rng.IntN(len(b.activations))])
		}
	}
	return true
}

// verify fails the test unless a license is valid.
func (b *buyer) verify(use activation) {
	b.t.Helper()
	q := url.Values{"licenseKey": {use.key}, "instanceId": {use.instance}}
	a := b.insist(http.MethodGet, app+"/license/verify?"+q.Encode(), nil, nil, http.StatusOK)
	if o, err := a.license(); err == nil && o.verdict != granted {
		b.t.Errorf("verify of %s = %s", use.instance, a.body)
	}
	if !strings.Contains(string(a.body), `"valid":true`) {
		b.t.Errorf("the activation of %s was answered, but verify says %s", use.instance, a.body)
	}
}

func (b *buyer) audit(tb testing.TB) {
	tb.Helper()
	ledger := ledger{purchases: make(map[string]bought)}
	for i, p := range b.purchases {
		ledger.purchases[fmt.Sprint(i)] = p
	}
	ledger.checkPurchases(tb, b.f.cluster)
	for _, use := range b.activations {
		b.verify(use)
	}
	n := b.f.number(tb, fmt.Sprintf(`SELECT count(*) FROM orders o JOIN users u ON u.id = o.user_id WHERE u.username = '%s'`,
		b.name))
	if n != len(b.purchases) {
		tb.Errorf("%d purchases are %d orders", len(b.purchases), n)
	}
	tb.Logf("a buyer made %d purchases and %d activations", len(b.purchases), len(b.activations))
}

// member keeps a session alive, and begins another at times.
type member struct {
	*desk

	name      string
	tokens    tokenPair
	refreshes int
}

func newMember(d *desk, name string) *member {
	return &member{desk: d, name: name, tokens: d.register(name)}
}

func (m *member) work(ctx context.Context) {
	for n := 1; ctx.Err() == nil; n++ {
		if n%20 == 0 {
			m.tokens = m.signIn(m.name)
		}
		m.refresh()
		a := m.insist(http.MethodGet, "/auth/me", bearer(m.tokens.access), nil, http.StatusOK)
		if !strings.Contains(string(a.body), m.name) {
			m.t.Errorf("me = %s", a.body)
		}
		for range 20 {
			m.rest()
		}
	}
}

// refresh exchanges the refresh token. A lost answer may be asked for again within ten
// seconds; after longer, the user has to sign in.
func (m *member) refresh() {
	m.t.Helper()
	m.move()
	first := time.Now()
	for end := first.Add(stubborn); ; {
		a, ok := m.once(http.MethodPost, "/auth/refresh", nil, map[string]string{"refresh_token": m.tokens.refresh})
		next, is := a.tokens()
		switch {
		case ok && is:
			m.tokens = next
			m.refreshes++
			return
		case ok && a.status == http.StatusUnauthorized && time.Since(first) > 9*time.Second,
			a.status == http.StatusTooManyRequests: // of one session
			m.tokens = m.signIn(m.name)
			return
		case ok:
			m.t.Errorf("refresh: %v", odd(a))
			return
		case time.Now().After(end):
			m.t.Error("refresh is not answered")
			return
		}
		<-time.After(50 * time.Millisecond)
	}
}

func (m *member) audit(tb testing.TB) {
	tb.Helper()
	m.refresh()
	m.signIn(m.name)
	tb.Logf("%s refreshed %d times", m.name, m.refreshes)
}

// publisher upgrades an internal plugin.
type publisher struct {
	*desk

	admin string
	minor int
}

func (p *publisher) publish() {
	p.t.Helper()
	p.minor++
	manifest := testkit.InternalManifest("inside", "index.js")
	manifest["version"] = p.version()
	archive := ziptest.Plugin(p.t, manifest, map[string]string{
		"index.js": fmt.Sprintf(`module.exports = async (app) => { app.get('/api/version', async () => ({ version: %q })) }`,
			p.version()),
	})
	p.insist(http.MethodPost, "/api/v1/admin/extensions/plugin/install", p.withKey(p.admin), archive,
		http.StatusCreated, http.StatusOK)
}

func (p *publisher) version() string { return fmt.Sprintf("1.%d.0", p.minor) }

func (p *publisher) work(ctx context.Context) {
	for ctx.Err() == nil {
		p.publish()
		// Every replica serves the version that was answered within a second; a machine may stand
		// still for longer.
		for end := time.Now().Add(time.Minute); ; {
			a := p.insist(http.MethodGet, inside, nil, nil, http.StatusOK)
			if strings.Contains(string(a.body), p.version()) {
				break
			}
			if time.Now().After(end) {
				p.t.Errorf("version %s was installed, and a replica answers %s", p.version(), a.body)
				break
			}
			p.rest()
		}
		<-time.After(time.Second)
	}
}

func (p *publisher) audit(tb testing.TB) {
	tb.Helper()
	manifest := p.f.text(tb, `SELECT manifest_json FROM plugin_packages WHERE slug = 'inside'`)
	if !strings.Contains(manifest, fmt.Sprintf("%q", p.version())) {
		tb.Errorf("version %s was installed, and now it is %s", p.version(), manifest)
	}
	tb.Logf("a plugin was upgraded %d times", p.minor-1)
}

// caller calls both plugins.
type caller struct{ *desk }

func (c *caller) work(ctx context.Context) {
	for ctx.Err() == nil {
		c.call()
	}
}

// call calls each plugin once.
func (c *caller) call() {
	c.insist(http.MethodGet, inside, nil, nil, http.StatusOK)
	c.rest()
	id := fmt.Sprintf("%016x", c.rng.Uint64())
	if a, ok := c.once(http.MethodPost, outsidePath, nil, map[string]string{"id": id}); ok {
		if a.status != http.StatusOK {
			c.t.Errorf("call: %v", odd(a))
		}
		c.f.outside.acknowledged(id)
	}
	c.rest()
}

func (*caller) audit(testing.TB) {}
