package plugin_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/base/errs"
	"stoa/internal/extension/plugin"
	"stoa/internal/testkit/dbtest"
)

// internalService returns a service with the internal plugin worker.
func internalService(tb testing.TB, change ...func(*stops)) (*plugin.Service, *stops, plugin.Installed) {
	tb.Helper()
	s, processes, _ := serviceOn(tb, dbtest.SQLite(tb))
	for _, c := range change {
		c(processes)
	}
	m, err := parse(tb, map[string]any{
		"schemaVersion": 1, "slug": "worker", "name": "Worker", "version": "1.0.0",
		"runtimeType": "internal-fastify", "entryModule": "index.js",
		"configSchema": map[string]any{"mode": map[string]any{"type": "string"}},
	})
	if err != nil {
		tb.Fatal(err)
	}
	in, err := s.Add(tb.Context(), plugin.Package{
		Source: plugin.SourceLocalZip, InstallPath: "plugins/worker/1", ZipHash: "w", Manifest: m,
	}, false)
	if err != nil {
		tb.Fatal(err)
	}
	return s, processes, in
}

func settings(text string) plugin.SettingsInput {
	var in plugin.SettingsInput
	if err := json.Unmarshal([]byte(text), &in); err != nil {
		panic(err)
	}
	return in
}

func TestSettingsChangeAndHoldFromTheNextCall(t *testing.T) {
	t.Parallel()
	s, processes, in := internalService(t)
	processes.take()
	steps := []struct {
		input string
		want  plugin.Settings
		stops bool
	}{
		{
			`{"timeoutMs":5000,"memoryMb":256,"keepRunning":true,"startTimeoutMs":120000}`,
			plugin.Settings{TimeoutMs: 5000, MemoryMb: 256, KeepRunning: true, StartTimeoutMs: 120_000},
			true,
		},
		{
			`{"timeoutMs":5000,"isolation":"instance"}`,
			plugin.Settings{TimeoutMs: 5000, MemoryMb: 256, KeepRunning: true, StartTimeoutMs: 120_000},
			false,
		},
		{
			`{"environment":{"API_URL":"https://x.example","DEBUG":""},"keepRunning":null,"memoryMb":null}`,
			plugin.Settings{
				TimeoutMs: 5000, StartTimeoutMs: 120_000,
				Environment: map[string]string{"API_URL": "https://x.example", "DEBUG": ""},
			},
			true,
		},
		{ // as a GET shows it: names, which change nothing
			`{"environment":["DEBUG","API_URL"]}`,
			plugin.Settings{
				TimeoutMs: 5000, StartTimeoutMs: 120_000,
				Environment: map[string]string{"API_URL": "https://x.example", "DEBUG": ""},
			},
			false,
		},
		{
			`{"environment":{"DEBUG":null,"ABSENT":null,"MORE":"1"}}`,
			plugin.Settings{
				TimeoutMs: 5000, StartTimeoutMs: 120_000,
				Environment: map[string]string{"API_URL": "https://x.example", "MORE": "1"},
			},
			true,
		},
		{`{"environment":null,"timeoutMs":null,"startTimeoutMs":null}`, plugin.Settings{}, true},
		{`{"isolation":"shared","maxConcurrency":10000}`, plugin.Settings{Isolation: "shared", MaxConcurrency: 10_000}, true},
		{`{"isolation":"instance","maxConcurrency":null}`, plugin.Settings{}, true},
	}
	for _, step := range steps {
		if _, err := s.ChangeSettings(t.Context(), "worker", settings(step.input)); err != nil {
			t.Fatalf("%s: %v", step.input, err)
		}
		found, err := s.ByID(t.Context(), "worker", in.Instance.ID)
		got := found.Package.Settings
		if strings.Contains(got.Sealed, "x.example") {
			t.Error("the environment is stored in the clear")
		}
		got.Sealed, got.Version = "", 0
		if diff := cmp.Diff(step.want, got); diff != "" || err != nil {
			t.Errorf("%s: %v (-want +got):\n%s", step.input, err, diff)
		}
		if stopped := processes.take(); (len(stopped) == 1 && stopped[0] == in.Instance.ID) != step.stops {
			t.Errorf("%s: stopped %v, want it %t", step.input, stopped, step.stops)
		}
		if !found.Revision().Replaces(in.Revision()) {
			t.Errorf("%s: a process with the old settings would go on", step.input)
		}
	}
}

// Each bound, and one beyond (contract 4.8).
func TestSettingsHaveBounds(t *testing.T) {
	t.Parallel()
	s, _, _ := internalService(t)
	variables := func(n, size int) string {
		all := make(map[string]string)
		for i := range n {
			all[fmt.Sprintf("V%02d", i)] = ""
		}
		all["V00"] = strings.Repeat("x", size-3*n) // the names have three bytes each
		text, _ := json.Marshal(all)
		return string(text)
	}
	tests := []struct{ name, least, most, below, above string }{
		{"timeoutMs", "1000", "120000", "999", "120001"},
		{"startTimeoutMs", "1000", "120000", "999", "120001"},
		{"memoryMb", "64", "4096", "63", "4097"},
		{"maxConcurrency", "1", "10000", "0", "10001"},
		{"environment", "{}", variables(64, 32<<10), `{"` + strings.Repeat("A", 65) + `":""}`, variables(64, 32<<10+1)},
		{"environment", `{"` + strings.Repeat("A", 64) + `":null}`, "null", `{"1":""}`, variables(65, 1000)},
	}
	for _, tt := range tests {
		for _, value := range []string{tt.least, tt.most} {
			if _, err := s.ChangeSettings(t.Context(), "worker", settings(`{"`+tt.name+`":`+value+`}`)); err != nil {
				t.Errorf("%s %.80s: %v", tt.name, value, err)
			}
		}
		if _, err := s.ChangeSettings(t.Context(), "worker", settings(`{"environment":null}`)); err != nil {
			t.Fatal(err)
		}
		for _, value := range []string{tt.below, tt.above} {
			_, err := s.ChangeSettings(t.Context(), "worker", settings(`{"`+tt.name+`":`+value+`}`))
			if errs.KindOf(err) != errs.Invalid {
				t.Errorf("%s %.80s: got %v, want a refusal", tt.name, value, err)
			}
		}
	}
}

func TestSettingsAreRefusedWithEveryFault(t *testing.T) {
	t.Parallel()
	s, _, _ := internalService(t)
	m, err := parse(t, map[string]any{
		"schemaVersion": 1, "slug": "far", "name": "Far", "version": "1.0.0",
		"runtimeType": "external-http", "externalBaseUrl": "https://far.example",
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Add(t.Context(), plugin.Package{Source: plugin.SourceLocalZip, ZipHash: "f", Manifest: m},
		false); err != nil {
		t.Fatal(err)
	}
	tests := []struct{ slug, input, faults string }{
		{
			"worker", `{"timeoutMs":999,"startTimeoutMs":120001,"memoryMb":63,"keepRunning":"yes"}`,
			"timeoutMs out_of_range, startTimeoutMs out_of_range, memoryMb out_of_range, keepRunning wrong_type",
		},
		{
			"worker", `{"timeoutMs":"1","memoryMb":4097,"startTimeoutMs":1000.5}`,
			"timeoutMs wrong_type, startTimeoutMs wrong_type, memoryMb out_of_range",
		},
		{"worker", `{"memoryMb":1e300}`, "memoryMb out_of_range"},
		{"worker", `{"isolation":"none","maxConcurrency":0}`, "isolation unknown_value, maxConcurrency out_of_range"},
		{"worker", `{"isolation":true,"maxConcurrency":10001}`, "isolation wrong_type, maxConcurrency out_of_range"},
		{
			"worker", `{"allowCookies":1,"allowAuthorization":"a","allowCors":"yes","allowSameOrigin":[]}`,
			"allowCookies wrong_type, allowAuthorization wrong_type, allowCors wrong_type, allowSameOrigin wrong_type",
		},
		{"worker", `{"environment":{"1A":"x","A B":"y","OK":"z"}}`, "environment.1A invalid, environment.A B invalid"},
		{"worker", `{"environment":["A"]}`, "environment wrong_type"},
		{"worker", `{"environment":{"A":1,"B":"b"}}`, "environment.A wrong_type"},
		{"worker", `{"environment":{"A":"b","B":"a\u0000b"}}`, "environment.B out_of_range"},
		{"worker", `{"environment":{"A":"` + strings.Repeat("a", 32<<10) + `"}}`, "environment out_of_range"},
		{"far", `{"isolation":"shared"}`, "isolation unsupported"},
		{
			"far", `{"keepRunning":true,"memoryMb":128,"startTimeoutMs":2000,"environment":{"A":"b"}}`,
			"keepRunning unsupported, startTimeoutMs unsupported, memoryMb unsupported, environment unsupported",
		},
		{"far", `{"keepRunning":"no","memoryMb":false}`, "keepRunning unsupported, memoryMb unsupported"},
	}
	for _, tt := range tests {
		_, err := s.ChangeSettings(t.Context(), tt.slug, settings(tt.input))
		e, ok := errors.AsType[*errs.Error](err)
		if !ok || e.Kind != errs.Invalid {
			t.Errorf("%.80s: got %v, want VALIDATION_ERROR", tt.input, err)
			continue
		}
		var faults []string
		for _, is := range e.Details["issues"].([]errs.Issue) {
			faults = append(faults, is.Path+" "+is.Code)
		}
		if got := strings.Join(faults, ", "); got != tt.faults {
			t.Errorf("%.80s: faults %s, want %s", tt.input, got, tt.faults)
		}
	}
	p, err := s.ChangeSettings(t.Context(), "far",
		settings(`{"timeoutMs":2000,"maxConcurrency":3,"isolation":"instance"}`))
	if err != nil || p.Settings.Timeout(time.Hour) != 2*time.Second || p.Settings.MaxConcurrency != 3 {
		t.Errorf("an external plugin: %+v, %v", p.Settings, err)
	}
	if _, err := s.ChangeSettings(t.Context(), "none", settings(`{}`)); errs.KindOf(err) != errs.NotFound {
		t.Errorf("an unknown plugin: %v", err)
	}
}

// A plugin that does not load is installed, disabled, and says why (contract 4.5).
func TestAPluginThatFailsItsTrialIsDisabled(t *testing.T) {
	t.Parallel()
	failed := plugin.Failure{
		At: time.Date(2030, 3, 1, 12, 0, 1, 0, time.UTC), Message: "Error: no", File: "index.js",
		Line: 3,
	}
	s, processes, in := internalService(t, func(p *stops) { p.failure = failed })
	if in.Instance.Enabled || !processes.registered || !slices.Contains(processes.tried, in.Instance.ID) {
		t.Errorf("enabled %t, registered %t, tried %v", in.Instance.Enabled, processes.registered, processes.tried)
	}
	states, err := s.Statuses(t.Context(), []plugin.Installed{in})
	if err != nil || states[0].State != plugin.StateIdle || !cmp.Equal(states[0].LastError, failed) {
		t.Errorf("Statuses = %+v, %v", states, err)
	}
	on, err := s.UpdateInstance(t.Context(), "worker", in.Instance.ID, plugin.Input{Enabled: raw("true")}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if states, err = s.Statuses(t.Context(), []plugin.Installed{on}); err != nil || !states[0].LastError.IsZero() {
		t.Errorf("after a change: %+v, %v; the failure was another version's", states, err)
	}

	s, _, in = internalService(t, func(p *stops) { p.untried = errors.New("no Node.js") })
	if states, err = s.Statuses(t.Context(), []plugin.Installed{in}); !in.Instance.Enabled || err != nil ||
		!states[0].LastError.IsZero() {
		t.Errorf("untried: enabled %t, %+v, %v; want it enabled, and nobody to blame", in.Instance.Enabled, states, err)
	}
}
