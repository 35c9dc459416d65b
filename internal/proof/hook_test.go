package proof

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"

	"stoa/internal/testkit/needtest"
	"stoa/internal/testkit/ziptest"
)

const (
	owners    = 4               // clients, each with instances of its own
	arriveIn  = 4 * time.Minute // leases of killed processes end after half a minute
	hookedAPI = "/api/v1/admin/plugins/hooked/instances"
)

// Clients create, disable, enable and delete instances while processes are killed
// (kill -9) at random moments: between recording a hook, sending it and noting the
// answer. Every hook that was recorded arrives, those of each installation in order, and
// a hook was recorded for every change that happened.
func TestHooksSurviveAKill(t *testing.T) {
	t.Parallel()
	needtest.Long(t, "it waits for the leases of killed processes to end")
	notShort(t)

	onBothEngines(t, func(t *testing.T, c *cluster) {
		seed := newSeed(t)
		got := newPlugin()
		srv := httptest.NewServer(got)
		defer srv.Close()
		admin := c.people(t).admin
		got.install(t, c.processes[0], admin, srv.URL)

		ctx, stop := context.WithCancel(t.Context())
		var work sync.WaitGroup
		for i := range owners {
			rng := rand.New(rand.NewPCG(seed, uint64(i)))
			work.Go(func() {
				for n := 0; ctx.Err() == nil; n++ {
					useInstance(ctx, c.processes[rng.IntN(len(c.processes))], admin, fmt.Sprintf("i%d-%d", i, n), rng)
				}
			})
		}
		killAndStart(t, c, rand.New(rand.NewPCG(seed, owners)), amount(t, kills))
		stop()
		work.Wait()

		c.delivered(t)
		got.check(t, c, 20)
	})
}

// delivered waits until all hooks have arrived.
func (c *cluster) delivered(tb testing.TB) {
	tb.Helper()
	end := time.Now().Add(arriveIn)
	for c.number(tb, `SELECT count(*) FROM deliveries WHERE state <> 'delivered'`) > 0 && time.Now().Before(end) {
		<-time.After(100 * time.Millisecond)
	}
}

// useInstance creates an instance, disables and enables it, and deletes it. What fails
// because of a kill is left as it is.
func useInstance(ctx context.Context, p *process, admin, key string, rng *rand.Rand) {
	header := http.Header{"Authorization": {"Bearer " + admin}}
	a, err := p.call(ctx, http.MethodPost, hookedAPI, header, map[string]any{"instanceKey": key})
	if err != nil || a.status != http.StatusCreated {
		return
	}
	var created struct {
		Data struct{ InstallationID string }
	}
	if json.Unmarshal(a.body, &created) != nil {
		return
	}
	path := hookedAPI + "/" + created.Data.InstallationID
	for i := range rng.IntN(4) {
		if _, err := p.call(ctx, http.MethodPatch, path, header, map[string]any{"enabled": i%2 == 1}); err != nil {
			return
		}
	}
	if rng.IntN(2) == 0 {
		_, _ = p.call(ctx, http.MethodDelete, path, header, nil)
	}
}

// plugin is the service of the external plugin hooked. It remembers the hooks it got.
type plugin struct {
	mu    sync.Mutex
	first map[string][]string // ids by installation, each when it came first
	times map[string]int      // by id
}

func newPlugin() *plugin {
	return &plugin{first: make(map[string][]string), times: make(map[string]int)}
}

func (p *plugin) install(tb testing.TB, at *process, admin, base string) {
	tb.Helper()
	archive := ziptest.Plugin(tb, map[string]any{
		"schemaVersion": 1, "slug": "hooked", "name": "Hooked", "version": "1.0.0",
		"runtimeType": "external-http", "externalBaseUrl": base,
		"lifecycle": map[string]bool{"onInstall": true, "onEnable": true, "onDisable": true, "onUninstall": true},
	}, nil)
	keeper := &shelf{c: &cluster{processes: []*process{at}}, admin: admin}
	a, err := keeper.send(tb.Context(), http.MethodPost, "/api/v1/admin/extensions/plugin/install", archive)
	if err != nil || a.status != http.StatusCreated {
		tb.Fatalf("install: %v, %d %s", err, a.status, a.body)
	}
}

func (p *plugin) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	id, installation := r.Header.Get("X-Hook-Id"), r.Header.Get("X-Installation-Id")
	if id == "" {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.times[id]++; p.times[id] == 1 {
		p.first[installation] = append(p.first[installation], id)
	}
	w.WriteHeader(http.StatusNoContent)
}

// check compares what arrived with what was recorded, which must be a number of hooks at
// least.
func (p *plugin) check(tb testing.TB, c *cluster, least int) {
	tb.Helper()
	rows, err := c.db.QueryContext(tb.Context(), `SELECT id, target, state FROM deliveries WHERE kind = 'hook' ORDER BY seq`)
	if err != nil {
		tb.Fatal(err)
	}
	defer rows.Close()
	recorded := make(map[string][]string)
	total := 0
	for rows.Next() {
		var id, target, state string
		if err := rows.Scan(&id, &target, &state); err != nil {
			tb.Fatal(err)
		}
		if state != "delivered" {
			tb.Errorf("hook %s of %s is %s", id, target, state)
		}
		recorded[target] = append(recorded[target], id)
		total++
	}
	if err := rows.Err(); err != nil {
		tb.Fatal(err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	again := 0
	for _, n := range p.times {
		again += n - 1
	}
	tb.Logf("%d hooks of %d instances, %d of them sent again", total, len(recorded), again)
	for target, ids := range recorded {
		if !slices.Equal(p.first[target], ids) {
			tb.Errorf("%s got %v, recorded were %v", target, p.first[target], ids)
		}
	}
	for what, count := range map[string]string{
		"onInstall":   `SELECT count(*) FROM plugin_instances WHERE package_slug = 'hooked'`,
		"onUninstall": `SELECT count(*) FROM plugin_instances WHERE package_slug = 'hooked' AND deleted_at_ms IS NOT NULL`,
	} {
		hooks := c.number(tb, `SELECT count(*) FROM deliveries WHERE kind = 'hook' AND name = '`+what+`'`)
		if happened := c.number(tb, count); hooks != happened {
			tb.Errorf("%d hooks %s for %d instances", hooks, what, happened)
		}
	}
	if total < least {
		tb.Errorf("%d hooks are too few to prove anything", total)
	}
}
