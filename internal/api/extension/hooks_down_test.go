package extension_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/testkit"
	"stoa/internal/testkit/waittest"
)

// answers makes the service answer with a status from now on.
func (k *hookKit) answers(status int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.answer = func(call) int { return status }
}

// A plugin is down while its instance is disabled and enabled. Back within the time of the
// schedule, it gets all hooks in order by itself; after a day, once they are replayed.
func TestAPluginThatWasDownGetsItsHooksInOrder(t *testing.T) {
	t.Parallel()

	for name, hours := range map[string]int{"for half a day": 12, "for a day": 24} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			testkit.OnEngines(t, func(t *testing.T, a *testkit.App) {
				k := newHookKit(t, a)
				k.answers(http.StatusServiceUnavailable)
				k.install(t, nil, "")
				instance := k.path(t)
				k.quiet(t)
				for hour := range hours {
					if hour%6 == 0 {
						k.do(t, testkit.Patch(k.admin, instance, map[string]any{"enabled": hour%12 != 0}))
					}
					k.later(time.Hour)
					k.quiet(t)
				}
				k.answers(http.StatusOK)
				k.forget()
				if hours == 24 {
					since := map[string]any{"since": testkit.T0.Format(time.RFC3339)}
					k.do(t, testkit.Post(k.admin, pluginsPath+"hooked/hooks/replay", since))
				}
				k.later(11 * time.Hour) // the next attempt is due by then
				k.quiet(t)
				want := []string{"default onInstall", "default onEnable"}
				for range hours / 12 {
					want = append(want, "default onDisable", "default onEnable")
				}
				if diff := cmp.Diff(k.names(), want); diff != "" {
					t.Errorf("hooks (-got +want):\n%s", diff)
				}
			})
		})
	}
}

func TestHooksHeedTheAnswer(t *testing.T) {
	t.Parallel()

	for _, tt := range []struct {
		name   string
		status int
		state  string
		wait   time.Duration // until the next attempt, at least
	}{
		{"later", http.StatusServiceUnavailable, "waiting", time.Hour},
		{"gone", http.StatusGone, "dead", 0},
		{"without end", http.StatusOK, "delivered", 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()

			k := newHookKit(t, testkit.New(t))
			k.header = http.Header{"Retry-After": {"3600"}}
			k.more = func(w http.ResponseWriter) {
				_, err := w.Write([]byte(strings.Repeat("x", 5000)))
				for tt.state == "delivered" && err == nil {
					_, err = w.Write([]byte(strings.Repeat("x", 5000)))
				}
			}
			k.answers(tt.status)
			k.install(t, map[string]any{"lifecycle": map[string]any{"onInstall": true}}, "")
			k.quiet(t)
			hook := items(t, k.do(t, testkit.Get(k.admin, pluginsPath+"hooked/hooks")))[0]
			attempt := hook["attempts"].([]any)[0].(map[string]any)
			if hook["state"] != tt.state || attempt["status"] != float64(tt.status) || attempt["durationMs"] == nil {
				t.Errorf("hook = %v, want it %s", hook, tt.state)
			}
			if got, _ := attempt["response"].(string); len(got) != 4096 {
				t.Errorf("%d bytes of the answer are kept, want 4096", len(got))
			}
			next, _ := hook["nextAttemptAt"].(string)
			if tt.wait == 0 {
				if next != "" {
					t.Errorf("the next attempt is at %s", next)
				}
				return
			}
			at, err := time.Parse(time.RFC3339, next)
			if err != nil || at.Before(k.Clock.Now().Add(tt.wait)) {
				t.Errorf("the next attempt is at %s, %v; want it an hour later", next, err)
			}
		})
	}
}

// What a hook prints is in the log of its instance, also if that was disabled by then.
func TestHooksOfADisabledInstancePrintIntoItsLog(t *testing.T) {
	t.Parallel()

	a := testkit.New(t, realTime)
	k := &hookKit{App: a, admin: a.Admin(t, "root").Access}
	m := testkit.InternalManifest("inner", "index.js")
	m["lifecycle"] = map[string]any{"onDisable": true}
	res := a.Install(t, k.admin, "plugin", testkit.PluginArchive(t, m, map[string]string{"index.js": `
		exports.default = async () => {}
		exports.lifecycle = { onDisable: (body) => console.log('closing ' + body.instanceKey) }`}))
	if res.Status != http.StatusCreated {
		t.Fatalf("install: %d %s", res.Status, res.Body)
	}
	instance := pluginsPath + "inner/instances/" + res.Text(t, "data.defaultInstance.installationId")
	k.do(t, testkit.Patch(k.admin, instance, map[string]any{"enabled": false}))
	waittest.True(t, "the log has what the hook printed", func() bool {
		return strings.Contains(string(k.do(t, testkit.Get(k.admin, instance+"/logs")).Body), "closing default")
	})
}
