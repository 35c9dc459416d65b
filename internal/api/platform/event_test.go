package platform_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"stoa/internal/extension/plugin"
	"stoa/internal/testkit"
	"stoa/internal/testkit/waittest"
)

// publish publishes an event of a plugin.
func (h holder) publish(t *testing.T, body any) testkit.Response {
	t.Helper()
	return h.DoUnchecked(t, testkit.Post(h.token, "/api/v1/platform/events", body))
}

// published returns how many events of plugins are recorded.
func published(t *testing.T, a *testkit.App) (n int) {
	t.Helper()
	err := a.DB.Conn().Read.QueryRowContext(t.Context(), `SELECT count(*) FROM events WHERE type LIKE 'echo.%'`).Scan(&n)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestPluginsPublishEvents(t *testing.T) {
	t.Parallel()
	testkit.OnEngines(t, func(t *testing.T, a *testkit.App) {
		e := a.InstallEcho(t, map[string]any{
			"permissions": []string{"events:publish", "events:subscribe"},
			"events":      map[string]any{"subscribe": []string{"echo.*"}, "path": "/on-event"},
		})
		h := holder{e, tokenOf(t, e, e.ID)}
		res := h.Do(t, testkit.Post(h.token, "/api/v1/platform/events", map[string]any{
			"type": "echo.points_earned", "data": map[string]any{"points": 25, "text": "<&>\u2028"},
		}))
		wantStatus(t, "publish", res, http.StatusAccepted)
		var r *http.Request
		waittest.True(t, "the subscriber's call", func() bool { r = e.Reached(); return r != nil })
		if r.URL.Path != "/on-event" || r.Header.Get("X-Hook-Id") == "" {
			t.Errorf("the subscriber got %v", r)
		}
		var data string
		err := a.DB.Conn().Read.QueryRowContext(t.Context(), `SELECT data_json FROM events WHERE id = $1`,
			res.Text(t, "data.id")).Scan(&data)
		if err != nil || !strings.Contains(data, `"points":25`) {
			t.Errorf("recorded %s, %v", data, err)
		}

		change(t, e, e.ID, map[string]any{"grantedPermissions": []string{"events:subscribe"}})
		res = h.Do(t, testkit.Post(h.token, "/api/v1/platform/events", map[string]any{
			"type": "echo.x", "data": map[string]any{},
		}))
		testkit.WantError(t, res, http.StatusForbidden, "PERMISSION_NOT_GRANTED")
		if got := res.Text(t, "error.details.permission"); got != "events:publish" {
			t.Errorf("details.permission = %s", got)
		}
		if got := published(t, a); got != 1 {
			t.Errorf("%d events are recorded, want 1", got)
		}
	})
}

// eventBytes is the data of events of which a known number fits into the allowance.
var eventBytes = map[string]any{"x": strings.Repeat("x", 63<<10-len(`{"x":""}`))}

// A plugin may publish 32 MiB of events a day, each counted with 1 KiB more than its
// data: 512 of 63 KiB.
func TestEventsOfPluginsAreBounded(t *testing.T) {
	t.Parallel()
	testkit.OnEngines(t, func(t *testing.T, a *testkit.App) {
		h := grantedTo(t, a, "events:publish")
		event := map[string]any{"type": "echo.x", "data": eventBytes}
		for i := range 512 {
			if res := h.publish(t, event); res.Status != http.StatusAccepted {
				t.Fatalf("event %d of 512: %d %s", i+1, res.Status, res.Body)
			}
		}
		a.Clock.Advance(time.Minute) // the limit of calls is another
		res := h.publish(t, event)
		testkit.WantError(t, res, http.StatusTooManyRequests, "RATE_LIMIT_EXCEEDED")
		if got := res.Header.Get("Retry-After"); got != "109" { // an event in 168.75 s, one minute of which is over
			t.Errorf("Retry-After: %s, want 109", got)
		}
		a.Clock.Advance(108 * time.Second)
		testkit.WantError(t, h.publish(t, event), http.StatusTooManyRequests, "RATE_LIMIT_EXCEEDED")
		a.Clock.Advance(time.Second)
		wantStatus(t, "once there is room", h.publish(t, event), http.StatusAccepted)
		testkit.WantError(t, h.publish(t, event), http.StatusTooManyRequests, "RATE_LIMIT_EXCEEDED")
		if got := published(t, a); got != 513 {
			t.Errorf("%d events are recorded, want 513", got)
		}

		other := holder{h.Echo, tokenOf(t, h.Echo, h.Instance(t, "other"))} // has an allowance of its own
		wantStatus(t, "another installation", other.publish(t, event), http.StatusAccepted)
	})
}

// Of events that are published at once, none gets more room than there is.
func TestParallelEventsDoNotExceedTheBound(t *testing.T) {
	t.Parallel()
	testkit.OnBothEngines(t, func(t *testing.T, a *testkit.App) {
		h := grantedTo(t, a, "events:publish")
		_, err := a.DB.Conn().Write.ExecContext(t.Context(), `
			INSERT INTO plugin_event_use (installation_id, spent_until_ms) VALUES ($1, $2)`,
			h.ID, a.Clock.Now().Add(24*time.Hour-3*168750*time.Millisecond).UnixMilli()) // room for three
		if err != nil {
			t.Fatal(err)
		}
		var (
			wg       sync.WaitGroup
			accepted atomic.Int32
		)
		for range 12 {
			wg.Go(func() {
				if h.publish(t, map[string]any{"type": "echo.x", "data": eventBytes}).Status == http.StatusAccepted {
					accepted.Add(1)
				}
			})
		}
		wg.Wait()
		if got, rows := accepted.Load(), published(t, a); got != 3 || rows != 3 {
			t.Errorf("%d accepted and %d recorded, want 3", got, rows)
		}
	})
}

func TestEventsOfPluginsHaveAForm(t *testing.T) {
	t.Parallel()
	a := testkit.New(t)
	h := grantedTo(t, a, "events:publish")
	some := map[string]any{}
	full := strings.Repeat("x", plugin.MaxEventData-len(`{"x":""}`))
	for _, tt := range []struct {
		name string
		body any
		want string // paths of issues; empty if there are none
	}{
		{"nothing", map[string]any{}, "type data"},
		{"null", map[string]any{"type": nil, "data": nil}, "type data"},
		{"wrong types", map[string]any{"type": 5, "data": "x"}, "type data"},
		{"an array", map[string]any{"type": "echo.x", "data": []any{}}, "data"},
		{"the platform's type", map[string]any{"type": "order.paid", "data": some}, "type"},
		{"another plugin's type", map[string]any{"type": "echo2.x", "data": some}, "type"},
		{"no subject", map[string]any{"type": "echo", "data": some}, "type"},
		{"no verb", map[string]any{"type": "echo.", "data": some}, "type"},
		{"a pattern", map[string]any{"type": "echo.*", "data": some}, "type"},
		{"a line feed", map[string]any{"type": "echo.x\n", "data": some}, "type"},
		{"a long type", map[string]any{"type": "echo." + strings.Repeat("x", 124), "data": some}, "type"},
		{"the longest type", map[string]any{"type": "echo." + strings.Repeat("x", 123), "data": some}, ""},
		{"large data", map[string]any{"type": "echo.x", "data": map[string]any{"x": full + "x"}}, "data"},
		{"the largest data", map[string]any{"type": "echo.x", "data": map[string]any{"x": full}}, ""},
		{"spaces do not count", json.RawMessage(
			`{"type": "echo.x", "data": {` + strings.Repeat(" ", plugin.MaxEventData) + `}}`), ""},
	} {
		before := published(t, a)
		res := h.publish(t, tt.body)
		if tt.want == "" {
			wantStatus(t, tt.name, res, http.StatusAccepted)
			continue
		}
		testkit.WantError(t, res, http.StatusBadRequest, "VALIDATION_ERROR")
		if got := testkit.IssuePaths(t, res); got != tt.want {
			t.Errorf("%s: faults of %q in %s, want %q", tt.name, got, res.Body, tt.want)
		}
		if got := published(t, a); got != before {
			t.Errorf("%s: an event was recorded", tt.name)
		}
	}
}

// A plugin whose slug is "order" must not be able to publish order.paid.
func TestNoPluginPublishesEventsOfThePlatform(t *testing.T) {
	t.Parallel()
	for _, slug := range []string{"order", "webhook"} {
		a := testkit.New(t)
		e := a.InstallEcho(t, map[string]any{"slug": slug, "permissions": []string{"events:publish"}})
		a.DoUnchecked(t, testkit.Get("", fmt.Sprintf("/api/v1/shop/plugins/%s/api/x", slug)))
		token := e.Reached().Header.Get("X-Platform-Token")
		res := a.DoUnchecked(t, testkit.Post(token, "/api/v1/platform/events",
			map[string]any{"type": slug + ".paid", "data": map[string]any{}}))
		testkit.WantError(t, res, http.StatusBadRequest, "VALIDATION_ERROR")
	}
}
