package proof

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"stoa/internal/extension/sign"
	"stoa/internal/testkit"
	"stoa/internal/testkit/needtest"
	"stoa/internal/testkit/porttest"
	"stoa/internal/testkit/waittest"
)

// boughtOnes is how many plugins are bought of the market, with a kill for each.
const boughtOnes = 18

// seller is a stoa that sells plugins to others, one product for each.
type seller struct {
	*process

	cluster     *cluster
	fingerprint string
	admin       string
}

// newSeller starts a market with n products.
func newSeller(t *testing.T, n int) *seller {
	t.Helper()
	const acme = testkit.Publisher("acme")
	c := newCluster(t, sqlite, 0, "STOA_MARKET=on", "STOA_TRUSTED_KEYS=acme="+sign.EncodePublic(acme.Public()))
	run := func(args ...string) string {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), stoa(t), args...)
		cmd.Env = append(os.Environ(), c.env...)
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("stoa %v: %v", args, err)
		}
		return string(out)
	}
	var more strings.Builder
	more.WriteString("currency: EUR\nproducts:\n")
	for i := range n {
		fmt.Fprintf(&more, "- {slug: %s, name: P, category: other, shortDescription: A., description: A., icon: /i.svg,\n"+
			"   pricingTiers: [{id: one, name: One, price: 9}]}\n", sold(i))
	}
	file := filepath.Join(c.dir, "sold.yaml")
	if err := os.WriteFile(file, []byte(more.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	_, said, _ := strings.Cut(run("market", "init", "--root="+filepath.Join(c.dir, "root.pem")), "fingerprint: ")
	run("catalog", "import", file)
	p := &process{tb: t, env: c.env, address: porttest.Free(t)}
	p.begin(t)
	s := &seller{process: p, cluster: c}
	s.fingerprint, _, _ = strings.Cut(said, "\n")
	s.admin = p.signIn(t, "/auth/login", map[string]string{"email": adminEmail, "password": adminPassword})
	for i := range n {
		archive := acme.Sign(t, testkit.PluginArchive(t, testkit.InternalManifest(sold(i), "index.js"), map[string]string{
			"index.js": `module.exports = async (app) => { app.get('/api/hello', async () => ({ hello: 1 })) }`,
		}))
		s.put(t, "/api/v1/admin/products/"+sold(i)+"/package", archive)
	}
	return s
}

// sold is the slug of a product, and of its plugin.
func sold(i int) string { return fmt.Sprintf("sold-%d", i) }

// put sends an archive.
func (s *seller) put(t *testing.T, path string, archive []byte) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPut, s.URL()+path, strings.NewReader(string(archive)))
	if err != nil {
		t.Fatal(err)
	}
	req.Header = bearer(s.admin)
	req.Header.Set("Content-Type", "application/zip")
	res, err := httpClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusCreated {
		t.Fatalf("%s: %s", path, res.Status)
	}
}

// killAfter are the steps of an operation after which somebody is killed; the first is the payment alone.
var killAfter = []string{"", "paid", "activated", "downloaded", "verified", "installed"}

// A stoa buys plugins of another one. After each payment the buyer, the market or both are killed (kill -9) at
// every step of the way to the running plugin, and started again. Every plugin runs in the end, with one
// order, one license and one seat each.
func TestAPurchaseBetweenStoasSurvivesAKill(t *testing.T) {
	t.Parallel()
	needtest.Long(t, "it kills processes and starts them again")
	notShort(t)

	n := amount(t, boughtOnes)
	for _, engine := range []string{sqlite, postgres} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()

			a := newSeller(t, n)
			b := &customerStoa{cluster: newCluster(t, engine, 1, "STOA_MARKET_ALLOW=127.0.0.0/8"), from: a}
			b.join(t)
			rng := rand.New(rand.NewPCG(newSeed(t), 0))
			steps := make(map[string]int) // after which step the kill came
			for i := range n {
				operation := b.buy(t, sold(i))
				steps[b.awaitStep(t, operation, killAfter[i%len(killAfter)])]++
				<-time.After(time.Duration(rng.Int64N(int64(50 * time.Millisecond))))
				victims := [][]*process{{b.processes[0]}, {b.processes[0]}, {a.process}, {b.processes[0], a.process}}[rng.IntN(4)]
				for _, p := range victims {
					p.kill()
				}
				for _, p := range victims {
					if err := p.start(); err != nil {
						t.Fatal(err)
					}
				}
				b.wantRunning(t, operation, sold(i))
			}
			t.Logf("kills by the last step before them: %v", steps)
			for what, query := range map[string]string{
				"orders":   `SELECT count(*) FROM orders WHERE status = 'paid'`,
				"licenses": `SELECT count(*) FROM licenses`,
				"seats":    `SELECT count(*) FROM license_instances WHERE instance_id = '127.0.0.1'`,
			} {
				if got := a.cluster.number(t, query); got != n {
					t.Errorf("%s: %d, want %d", what, got, n)
				}
			}
			if got := b.number(t, `SELECT count(*) FROM package_licenses WHERE state = 'valid'`); got != n {
				t.Errorf("valid licenses: %d, want %d", got, n)
			}
		})
	}
}

// customerStoa is a stoa that buys.
type customerStoa struct {
	*cluster

	from          *seller
	admin, market string
}

// join adds the market.
func (b *customerStoa) join(t *testing.T) {
	t.Helper()
	b.admin = b.processes[0].signIn(t, "/auth/login", map[string]string{"email": adminEmail, "password": adminPassword})
	var added struct{ Data struct{ Market string } }
	b.must(t, http.MethodPost, "/api/v1/admin/markets",
		map[string]any{"url": b.from.URL(), "rootFingerprint": b.from.fingerprint}, &added)
	b.market = added.Data.Market
}

// must sends a request as the administrator and reads its answer.
func (b *customerStoa) must(t *testing.T, method, path string, body, into any) {
	t.Helper()
	a, err := b.processes[0].call(t.Context(), method, path, bearer(b.admin), body)
	if err != nil || a.status >= http.StatusMultipleChoices {
		t.Fatalf("%s: %v, %d %s", path, err, a.status, a.body)
	}
	if err := json.Unmarshal(a.body, into); err != nil {
		t.Fatal(err)
	}
}

// buy buys a plugin and pays it, and returns the operation.
func (b *customerStoa) buy(t *testing.T, slug string) string {
	t.Helper()
	var started struct {
		Data struct{ OperationID, CheckoutURL string }
	}
	b.must(t, http.MethodPost, "/api/v1/admin/markets/"+b.market+"/purchases",
		map[string]any{"productSlug": slug, "tierId": "one", "grants": []string{}}, &started)
	checkout, err := url.Parse(started.Data.CheckoutURL)
	if err != nil {
		t.Fatal(err)
	}
	a, err := b.from.call(t.Context(), http.MethodPost, "/api/marketplace/products/"+slug+"/purchase", nil,
		map[string]any{"tierId": "one", "paymentMethod": "card", "handoffId": checkout.Query().Get("handoff")})
	if err != nil || a.status != http.StatusOK {
		t.Fatalf("pay: %v, %d %s", err, a.status, a.body)
	}
	return started.Data.OperationID
}

type marketOperation struct {
	State, Step string
	Error       *struct{ Code, Message string }
}

func (b *customerStoa) operation(t *testing.T, id string) marketOperation {
	t.Helper()
	var got struct{ Data marketOperation }
	b.must(t, http.MethodGet, "/api/v1/admin/market-operations/"+id, nil, &got)
	return got.Data
}

// awaitStep waits until an operation has come as far as a step, and returns how far it is by then.
func (b *customerStoa) awaitStep(t *testing.T, id, step string) (got string) {
	t.Helper()
	waittest.Until(t, fmt.Sprintf("the step %q", step), func() error {
		got = b.operation(t, id).Step
		if slices.Index(killAfter, got) >= slices.Index(killAfter, step) || got == "running" {
			return nil
		}
		return fmt.Errorf("it is at %q", got)
	})
	return got
}

// wantRunning waits until an operation is done, and calls the plugin.
func (b *customerStoa) wantRunning(t *testing.T, id, slug string) {
	t.Helper()
	var last marketOperation
	waittest.Until(t, "the end of an operation", func() error {
		if last = b.operation(t, id); last.State == "pending" {
			return fmt.Errorf("it is at %q", last.Step)
		}
		return nil
	})
	if last.State != "done" {
		t.Fatalf("%s: %+v", slug, last)
	}
	a, err := b.processes[0].call(t.Context(), http.MethodGet, "/api/v1/shop/plugins/"+slug+"/api/hello", nil, nil)
	if err != nil || a.status != http.StatusOK {
		t.Errorf("%s: %v, %d %s", slug, err, a.status, a.body)
	}
}
