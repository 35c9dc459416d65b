package plugin_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/base/errs"
	"stoa/internal/extension/plugin"
	"stoa/internal/store"
	"stoa/internal/testkit/dbtest"
	"stoa/internal/testkit/pgtest"
	"stoa/internal/trust/seal"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Main(m)) }

// stops remembers which installations were stopped, started and tried.
type stops struct {
	mu  sync.Mutex
	ids []string

	started    []plugin.Installed
	tried      []string
	registered bool
	failure    plugin.Failure // of the next trial
	untried    error
}

func (s *stops) Stop(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ids = append(s.ids, id)
}

func (s *stops) Start(in plugin.Installed) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.started = append(s.started, in)
}

func (s *stops) RuntimeStatus(string) plugin.RuntimeStatus {
	return plugin.RuntimeStatus{State: plugin.StateIdle}
}

func (s *stops) Try(_ context.Context, in plugin.Installed, register bool) (plugin.Failure, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tried = append(s.tried, in.Instance.ID)
	s.registered = register
	return s.failure, s.untried
}

func (s *stops) Logs(string, int64) ([]plugin.LogEntry, <-chan struct{}) { return nil, nil }

func (s *stops) take() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	ids := s.ids
	s.ids = nil
	return ids
}

// service returns a service with one package, pay, and its default instance.
func service(tb testing.TB) (*plugin.Service, *stops, plugin.Installed) {
	tb.Helper()
	return serviceOn(tb, dbtest.SQLite(tb))
}

func serviceOn(tb testing.TB, database string) (*plugin.Service, *stops, plugin.Installed) {
	tb.Helper()
	db := dbtest.Open(tb, database)
	key, err := seal.ParseKey(seal.GenerateKey())
	if err != nil {
		tb.Fatal(err)
	}
	stopped := &stops{}
	s := &plugin.Service{
		Store: store.NewPlugin(db), Now: func() time.Time { return time.Date(2030, 3, 1, 12, 0, 0, 0, time.UTC) },
		Configs: key.Box("c"), Secrets: key.Box("s"), Processes: stopped,
	}
	m, err := parse(tb, valid(map[string]any{"permissions": []string{"a:b", "c:d"}}))
	if err != nil {
		tb.Fatal(err)
	}
	in, err := s.Add(tb.Context(),
		plugin.Package{Source: plugin.SourceLocalZip, InstallPath: "plugins/pay/1", ZipHash: "h", Manifest: m}, false)
	if err != nil {
		tb.Fatal(err)
	}
	return s, stopped, in
}

func raw(text string) json.RawMessage { return json.RawMessage(text) }

// What runs with an old state must end: after a change that matters, never for
// one that failed or changed nothing.
func TestStopperIsToldOfChanges(t *testing.T) {
	t.Parallel()

	s, stopped, in := service(t)
	ctx, id := t.Context(), in.Instance.ID
	other, err := s.CreateInstance(ctx, "pay", plugin.Input{Key: raw(`"other"`)})
	if err != nil {
		t.Fatal(err)
	}
	update := func(input plugin.Input, match plugin.Match) func() error {
		return func() error { _, err := s.UpdateInstance(ctx, "pay", id, input, match); return err }
	}
	steps := []struct {
		name string
		do   func() error
		fail bool
		want []string
	}{
		{"created", func() error { return nil }, false, nil},
		{"nothing asked for", update(plugin.Input{}, nil), false, nil},
		{"the state it has", update(plugin.Input{Enabled: raw(`true`)}, nil), false, nil},
		{"refused", update(plugin.Input{Config: raw(`[]`)}, nil), true, nil},
		{"stale", update(plugin.Input{Enabled: raw(`false`)}, func(int64) bool { return false }), true, nil},
		{"configured", update(plugin.Input{Config: raw(`{"a":1}`)}, nil), false, []string{id}},
		{"disabled", update(plugin.Input{Enabled: raw(`false`)}, nil), false, []string{id}},
		{"enabled", update(plugin.Input{Enabled: raw(`true`)}, nil), false, []string{id}},
		{"deleting the default instance", func() error { return s.DeleteInstance(ctx, "pay", id, nil) }, true, nil},
		{
			"deleted", func() error { return s.DeleteInstance(ctx, "pay", other.Instance.ID, nil) }, false,
			[]string{other.Instance.ID},
		},
		{"uninstalled", func() error { _, err := s.Uninstall(ctx, "pay"); return err }, false, []string{id}},
	}
	for _, step := range steps {
		if err := step.do(); (err != nil) != step.fail {
			t.Errorf("%s: %v", step.name, err)
		}
		if diff := cmp.Diff(step.want, stopped.take()); diff != "" {
			t.Errorf("%s: stopped (-want +got):\n%s", step.name, diff)
		}
	}
	// What is enabled with another state is started with it.
	var started []string
	for _, in := range stopped.started {
		started = append(started, fmt.Sprint(in.Instance.ID, " ", in.Instance.Version, " ", string(in.Instance.Config)))
	}
	want := []string{other.Instance.ID + " 1 ", id + ` 2 {"a":1}`, id + ` 4 {"a":1}`}
	if diff := cmp.Diff(want, started); diff != "" {
		t.Errorf("started (-want +got):\n%s", diff)
	}
}

func TestFinder(t *testing.T) {
	t.Parallel()

	s, _, in := service(t)
	ctx := t.Context()
	want, err := s.UpdateInstance(ctx, "pay", in.Instance.ID,
		plugin.Input{Config: raw(`{"b":1,"a":"x"}`), Granted: raw(`["c:d"]`), Enabled: raw(`false`)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := string(want.Instance.Config); got != `{"a":"x","b":1}` {
		t.Errorf("config = %s", got)
	}
	byID, err := s.ByID(ctx, "pay", in.Instance.ID)
	if diff := cmp.Diff(want, byID); diff != "" || err != nil {
		t.Errorf("ByID = %v (-want +got):\n%s", err, diff)
	}
	byKey, err := s.ByKey(ctx, "pay", "default")
	if diff := cmp.Diff(want, byKey); diff != "" || err != nil {
		t.Errorf("ByKey = %v (-want +got):\n%s", err, diff)
	}
	for _, args := range [][2]string{
		{"nope", in.Instance.ID},
		{"pay", "00000000-0000-4000-8000-000000000000"},
		{"pay", ""},
		{"pay", "\x00"},
		{"", in.Instance.ID},
		{"\xff", in.Instance.ID},
	} {
		if _, err := s.ByID(ctx, args[0], args[1]); errs.KindOf(err) != errs.NotFound {
			t.Errorf("ByID(%q, %q) = %v, want not found", args[0], args[1], err)
		}
	}
	for _, args := range [][2]string{
		{"nope", "default"},
		{"pay", "nope"},
		{"pay", ""},
		{"pay", "\x00"},
		{"\x00", "default"},
	} {
		if _, err := s.ByKey(ctx, args[0], args[1]); errs.KindOf(err) != errs.NotFound {
			t.Errorf("ByKey(%q, %q) = %v, want not found", args[0], args[1], err)
		}
	}
}

func TestSigningSecretsOldAndNew(t *testing.T) {
	t.Parallel()

	s, _, _ := service(t)
	now := s.Now()
	s.Now = func() time.Time { return now }
	list := func() []string {
		secrets, err := s.SigningSecrets(t.Context(), "pay")
		if err != nil {
			t.Fatal(err)
		}
		return secrets
	}
	one := list()
	rotated, err := s.RotateSecret(t.Context(), "pay")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{rotated.Current, one[0]}, list()); diff != "" || rotated.Current == one[0] {
		t.Errorf("after a rotation (-want +got):\n%s", diff)
	}
	now = now.Add(plugin.SecretOverlap)
	if diff := cmp.Diff([]string{rotated.Current}, list()); diff != "" {
		t.Errorf("after the overlap (-want +got):\n%s", diff)
	}
	if _, err := s.SigningSecrets(t.Context(), "nope"); errs.KindOf(err) != errs.NotFound {
		t.Errorf("SigningSecrets of nothing = %v, want not found", err)
	}
}

// Whoever comes first, no instance of an uninstalled package is left enabled.
func TestUninstallAgainstChanges(t *testing.T) {
	t.Parallel()

	dbtest.OnBoth(t, uninstallAgainstChanges)
}

func uninstallAgainstChanges(t *testing.T, database string) {
	t.Helper()
	s, _, in := serviceOn(t, database)
	ctx := t.Context()
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			_, err := s.CreateInstance(ctx, "pay", plugin.Input{Key: raw(fmt.Sprintf(`"k%d"`, i))})
			if err != nil && !errors.Is(err, plugin.ErrNotFound) {
				t.Errorf("CreateInstance = %v", err)
			}
		})
		wg.Go(func() {
			_, err := s.UpdateInstance(ctx, "pay", in.Instance.ID, plugin.Input{Config: raw(fmt.Sprintf(`{"a":%d}`, i))}, nil)
			if err != nil && !errors.Is(err, plugin.ErrNotFound) {
				t.Errorf("UpdateInstance = %v", err)
			}
		})
	}
	wg.Go(func() {
		if _, err := s.Uninstall(ctx, "pay"); err != nil {
			t.Errorf("Uninstall = %v", err)
		}
	})
	wg.Wait()
	list, _, err := s.Store.ListInstances(ctx, "pay", plugin.InstanceQuery{Limit: 99})
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range list {
		if one.Enabled {
			t.Errorf("instance %s is enabled", one.Key)
		}
	}
}

// A config is bound to its instance: moved to another row it does not open.
func TestConfigIsSealedForItsInstance(t *testing.T) {
	t.Parallel()

	s, _, in := service(t)
	ctx := t.Context()
	if _, err := s.UpdateInstance(ctx, "pay", in.Instance.ID, plugin.Input{Config: raw(`{"a":"x"}`)}, nil); err != nil {
		t.Fatal(err)
	}
	_, stored, err := s.Store.FindByID(ctx, "pay", in.Instance.ID)
	if err != nil || stored.Config != nil || stored.Sealed == "" {
		t.Fatalf("stored = %+v, %v; want only a sealed config", stored, err)
	}
	other, err := s.CreateInstance(ctx, "pay", plugin.Input{Key: raw(`"other"`)})
	if err != nil {
		t.Fatal(err)
	}
	_, moved, err := s.Store.FindByID(ctx, "pay", other.Instance.ID)
	if err != nil {
		t.Fatal(err)
	}
	moved.Sealed, moved.Version = stored.Sealed, moved.Version+1
	if err := s.Store.UpdateInstance(ctx, moved); err != nil {
		t.Fatal(err)
	}
	if got, err := s.ByID(ctx, "pay", other.Instance.ID); err == nil || errs.KindOf(err) != errs.Internal {
		t.Errorf("ByID = %s, %v; want an internal error", got.Instance.Config, err)
	}
}
