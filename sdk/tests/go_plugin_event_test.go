package tests

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"

	"stoa.example/sdk/go/plugin"

	"stoa/internal/testkit"
	"stoa/internal/testkit/waittest"
)

// What a plugin publishes reaches its own handler of events, through stoa.
func TestTheClientPublishesEvents(t *testing.T) {
	t.Parallel()

	v, got := &plugin.Verifier{}, make(chan plugin.Event, 10)
	published := make(chan string, 1)
	mux := http.NewServeMux()
	mux.HandleFunc("POST /api/visits", func(_ http.ResponseWriter, r *http.Request) {
		p, ctx := plugin.FromContext(r.Context()).Platform, r.Context()
		for typ, code := range map[string]string{"other.x": "VALIDATION_ERROR", "visits": "VALIDATION_ERROR"} {
			var refused *plugin.Error
			if _, err := p.Publish(ctx, typ, nil); !errors.As(err, &refused) || refused.Code != code {
				t.Errorf("Publish of %s = %v, want %s", typ, err, code)
			}
		}
		id, err := p.Publish(ctx, "visits.counted", map[string]any{"n": 1, "text": "<&>ß"})
		if err != nil {
			t.Errorf("Publish = %v", err)
		}
		published <- id
	})
	mux.Handle("POST /events", &plugin.Events{On: map[string]plugin.EventFunc{
		"visits.*": func(_ context.Context, e plugin.Event) error { got <- e; return nil },
	}})
	srv := httptest.NewServer(v.Handler(mux))
	t.Cleanup(srv.Close)
	s := installPlugin(t, srv.URL)
	v.Secrets = []string{s.secret}
	permissions := append([]string{"events:publish"}, allPermissions...)
	res := s.Install(t, s.admin, "plugin", testkit.PluginArchive(t, visitsManifest(srv.URL, map[string]any{
		"version": "1.1.0", "permissions": permissions,
		"events": map[string]any{"subscribe": []string{"visits.*"}, "path": "/events"},
	}), nil))
	if res.Status != http.StatusOK {
		t.Fatalf("upgrade = %d %s", res.Status, res.Body)
	}
	s.change(t, map[string]any{
		"enabled": true, "config": map[string]any{"greeting": "Hi"}, "grantedPermissions": permissions,
	})
	s.visit(t, s.admin)

	id, e := waittest.Next(t, "what publishing said", published), waittest.Next(t, "the event", got)
	var data struct {
		N    int
		Text string
	}
	if err := json.Unmarshal(e.Data, &data); err != nil || data.N != 1 || data.Text != "<&>ß" {
		t.Errorf("data %s, %v", e.Data, err)
	}
	if e.ID != id || e.Type != "visits.counted" || e.HookID == "" || e.Attempt != 1 || e.OccurredAt.IsZero() {
		t.Errorf("got %+v, want the event %s", e, id)
	}
}
