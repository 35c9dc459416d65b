package ops_test

import (
	"encoding/json"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v4"

	"stoa/internal/app"
	"stoa/internal/store"
	"stoa/internal/testkit"
	"stoa/internal/testkit/needtest"
	"stoa/internal/testkit/waittest"
	"stoa/internal/trust/audit/export"
)

const monitoring = "../../../deploy/monitoring/"

// promtool accepts the rules. Each fires when it should, and only then.
func TestAlertRulesFire(t *testing.T) {
	t.Parallel()
	promtool := needtest.Program(t, "promtool", "Debian: apt-get install prometheus")
	runs := [][]string{{"check", "rules", monitoring + "alerts.yml"}, {"test", "rules", monitoring + "alerts_test.yml"}}
	if needtest.Proving() { // it takes most of the time
		runs = append(runs, []string{"test", "rules", monitoring + "alerts_silent_test.yml"})
	}
	for _, args := range runs {
		if out, err := exec.CommandContext(t.Context(), promtool, args...).CombinedOutput(); err != nil {
			t.Errorf("promtool %s: %v\n%s", args, err, out)
		}
	}
}

// busyShop returns a stoa that has done a bit of everything.
func busyShop(t *testing.T) *testkit.App {
	t.Helper()
	a := testkit.NewShop(t, func(tb testing.TB, cfg *app.Config) {
		to, err := export.Open(filepath.Join(tb.TempDir(), "audit.jsonl"), "")
		if err != nil {
			tb.Fatal(err)
		}
		cfg.AuditStream, cfg.HealthInterval, cfg.MetricsInstallations = to, 50*time.Millisecond, 10
		cfg.BodyMemory = 16 << 20
	})
	e := a.InstallEcho(t, nil)
	e.Fetch(t, testkit.EchoPath+"/api/x")
	key := a.BuyKey(t, "", "once")
	a.Activate(t, key, "shop.example.org")
	a.Verify(t, "mail-pack", key, "shop.example.org")
	if err := store.NewBackupJobs(a.DB).Succeeded(t.Context(), "", store.BackupJob{Kind: store.BackupTaken}); err != nil {
		t.Fatal(err)
	}
	return a
}

// realMetrics returns the labels of each metric of a busy shop.
func realMetrics(t *testing.T) map[string]map[string]bool {
	t.Helper()
	a := busyShop(t)
	var text string
	waittest.True(t, "a plugin that was probed", func() bool {
		w, r := httptest.NewRecorder(), httptest.NewRequestWithContext(t.Context(), "GET", "http://localhost/metrics", nil)
		a.OpsHandler().ServeHTTP(w, r)
		text = w.Body.String()
		return strings.Contains(text, "stoa_plugin_healthy{")
	})
	return samples(text)
}

var (
	sampleRE = regexp.MustCompile(`(?m)^([a-z_]+)(?:\{(.*)\})? \S+$`)
	labelRE  = regexp.MustCompile(`([a-z_]+)="`)
)

func samples(text string) map[string]map[string]bool {
	all := map[string]map[string]bool{"up": {}} // Prometheus's own
	for _, m := range sampleRE.FindAllStringSubmatch(text, -1) {
		if all[m[1]] == nil {
			all[m[1]] = make(map[string]bool)
		}
		for _, l := range labelRE.FindAllStringSubmatch(m[2], -1) {
			all[m[1]][l[1]] = true
		}
	}
	return all
}

var (
	metricRE  = regexp.MustCompile(`\b((?:stoa|go|process)_[a-z_]+|up)\b(?:\{([^}]*)\})?`)
	groupRE   = regexp.MustCompile(`\bby \(([^)]*)\)`)
	matcherRE = regexp.MustCompile(`([a-z_]+)(?:=~|!=|!~|=)"`)
)

// Each metric that the dashboard and the alerts name exists, with the labels they use. job and
// instance are Prometheus's; it calls stoa's own job exported_job.
func TestTheDashboardAndTheAlertsNameRealMetrics(t *testing.T) {
	t.Parallel()
	real := realMetrics(t)
	var checked int
	exprs := alertExprs(t)
	for _, q := range dashboardQueries(t) {
		exprs = append(exprs, q.Expr)
	}
	for _, expr := range exprs {
		groups := groupRE.FindAllStringSubmatch(expr, -1)
		for _, m := range metricRE.FindAllStringSubmatch(groupRE.ReplaceAllString(expr, ""), -1) {
			labels, exists := real[m[1]]
			if !exists {
				t.Errorf("%s is no metric of stoa's, in %s", m[1], expr)
				continue
			}
			checked++
			var used []string
			for _, l := range matcherRE.FindAllStringSubmatch(m[2], -1) {
				used = append(used, l[1])
			}
			for _, g := range groups {
				used = append(used, strings.Split(strings.ReplaceAll(g[1], " ", ""), ",")...)
			}
			for _, l := range used {
				if own := strings.TrimPrefix(l, "exported_"); !labels[own] && l != "job" && l != "instance" {
					t.Errorf("%s has no label %s, in %s", m[1], own, expr)
				}
			}
		}
	}
	if checked < 50 {
		t.Errorf("%d uses of metrics were found", checked)
	}
}

// dashboardQuery is a query of the dashboard, and how its series are called.
type dashboardQuery struct {
	Expr   string `json:"expr"`
	Legend string `json:"legendFormat"`
}

func dashboardQueries(t *testing.T) (list []dashboardQuery) {
	t.Helper()
	var d struct {
		Panels []struct {
			Targets []dashboardQuery `json:"targets"`
		} `json:"panels"`
	}
	text, err := os.ReadFile(monitoring + "dashboard.json")
	if err == nil {
		err = json.Unmarshal(text, &d)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range d.Panels {
		list = append(list, p.Targets...)
	}
	return list
}

// alertExprs returns the expressions of the alerts, each of which docs/monitoring.md explains,
// and alerts_test.yml and alerts_silent_test.yml test.
func alertExprs(t *testing.T) (list []string) {
	t.Helper()
	var rules struct {
		Groups []struct {
			Rules []struct {
				Alert string `yaml:"alert"`
				Expr  string `yaml:"expr"`
			} `yaml:"rules"`
		} `yaml:"groups"`
	}
	text, err := os.ReadFile(monitoring + "alerts.yml")
	if err == nil {
		err = yaml.Unmarshal(text, &rules)
	}
	docs, missing := os.ReadFile("../../../docs/monitoring.md")
	tests, untested := os.ReadFile(monitoring + "alerts_test.yml")
	silence, unheard := os.ReadFile(monitoring + "alerts_silent_test.yml")
	if err != nil || missing != nil || untested != nil || unheard != nil {
		t.Fatal(err, missing, untested, unheard)
	}
	for _, g := range rules.Groups {
		for _, r := range g.Rules {
			list = append(list, r.Expr)
			if !strings.Contains(string(docs), "\n### "+r.Alert+"\n") {
				t.Errorf("docs/monitoring.md does not say what to do about %s", r.Alert)
			}
			if !strings.Contains(string(tests), "name: "+r.Alert+"\n") {
				t.Errorf("alerts_test.yml has no test of %s", r.Alert)
			}
			if !strings.Contains(string(silence), "name: \""+r.Alert+": ") {
				t.Errorf("alerts_silent_test.yml has no test of %s", r.Alert)
			}
		}
	}
	return list
}
