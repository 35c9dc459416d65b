package ops_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"stoa/internal/testkit/needtest"
	"stoa/internal/testkit/porttest"
	"stoa/internal/testkit/waittest"
)

// prometheus is a server that scrapes stoa.
type prometheus struct {
	url    string
	client *http.Client
}

// newPrometheus starts a Prometheus with the alert rules, which scrapes an ops address every
// second as the job stoa until the test ends.
func newPrometheus(t *testing.T, scraped string) prometheus {
	t.Helper()
	program := needtest.Program(t, "prometheus", "Debian: apt-get install prometheus")
	rules, err := filepath.Abs(monitoring + "alerts.yml")
	if err != nil {
		t.Fatal(err)
	}
	dir, addr := t.TempDir(), porttest.Free(t)
	file := filepath.Join(dir, "prometheus.yml")
	config := fmt.Sprintf("global: {scrape_interval: 1s, evaluation_interval: 1s}\nrule_files: [%q]\n"+
		"scrape_configs: [{job_name: stoa, static_configs: [{targets: [%q]}]}]\n", rules, scraped)
	if err := os.WriteFile(file, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), program, "--config.file="+file, "--storage.tsdb.path="+filepath.Join(dir, "data"),
		"--web.listen-address="+addr, "--log.level=warn")
	cmd.Stderr = t.Output()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Wait() }) // killed when the test's context ended
	return prometheus{"http://" + addr, &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}}
}

// ask decodes the data of an answer of the HTTP API. It returns the error of a bad query.
func (p prometheus) ask(t *testing.T, path string, query url.Values, data any) error {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, p.url+"/api/v1/"+path+"?"+query.Encode(), nil)
	if err != nil {
		return err
	}
	res, err := p.client.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	answer := struct {
		Status, Error string
		Warnings      []string
		Data          any
	}{Data: data}
	if err := json.NewDecoder(res.Body).Decode(&answer); err != nil {
		return fmt.Errorf("%s: %w", res.Status, err)
	}
	if answer.Status != "success" || len(answer.Warnings) > 0 {
		return fmt.Errorf("%s: %s %q", res.Status, answer.Error, answer.Warnings)
	}
	return nil
}

// series returns the labels of the series that a query gives.
func (p prometheus) series(t *testing.T, expr string) (list []map[string]string, err error) {
	t.Helper()
	var found struct {
		Result []struct {
			Metric map[string]string
		}
	}
	err = p.ask(t, "query", url.Values{"query": {expr}}, &found)
	for _, one := range found.Result {
		list = append(list, one.Metric)
	}
	return list, err
}

var legendRE = regexp.MustCompile(`\{\{(\w+)\}\}`)

// A real Prometheus scrapes a stoa: every query of the dashboard gives series with the labels that
// their names have, every rule can be evaluated, and every metric that they name is there.
func TestARealPrometheusAnswersTheDashboardAndTheAlerts(t *testing.T) {
	t.Parallel()

	srv := httptest.NewServer(busyShop(t).OpsHandler())
	t.Cleanup(srv.Close)
	p := newPrometheus(t, srv.Listener.Addr().String())
	waittest.Until(t, "three scrapes of a plugin that has been probed", func() error {
		list, err := p.series(t, `count_over_time(stoa_plugin_healthy{job="stoa"}[10m]) >= 3`)
		if err == nil && len(list) == 0 {
			err = fmt.Errorf("not yet")
		}
		return err
	})
	// What Grafana puts in their place.
	variables := strings.NewReplacer("$job", "stoa", "$instance", ".+", "$__rate_interval", "10m")
	queries := dashboardQueries(t)
	for _, q := range queries {
		var list []map[string]string
		waittest.Until(t, "the dashboard's "+q.Expr, func() (err error) { // what happens late has few scrapes yet
			if list, err = p.series(t, variables.Replace(q.Expr)); err == nil && len(list) == 0 {
				err = fmt.Errorf("it gives no series")
			}
			return err
		})
		for _, label := range legendRE.FindAllStringSubmatch(q.Legend, -1) {
			if list[0][label[1]] == "" {
				t.Errorf("the dashboard's %s gives %v, without the %s of its legend", q.Expr, list[0], label[1])
			}
		}
		p.checkMetrics(t, q.Expr)
	}
	for _, label := range []string{"job", "instance"} { // the dashboard's variables
		var values []string
		err := p.ask(t, "label/"+label+"/values", url.Values{"match[]": {"stoa_build_info"}}, &values)
		if err != nil || len(values) == 0 {
			t.Errorf("stoa_build_info has no %s: %v", label, err)
		}
	}
	exprs := alertExprs(t)
	for _, expr := range exprs {
		if _, err := p.series(t, expr); err != nil {
			t.Errorf("the alert's %s: %v", expr, err)
		}
		p.checkMetrics(t, expr)
	}
	p.checkRules(t, len(exprs))
	if len(queries) < 30 || len(exprs) < 10 {
		t.Errorf("there are %d queries and %d alerts", len(queries), len(exprs))
	}
}

// checkMetrics checks that each metric of an expression has been scraped.
func (p prometheus) checkMetrics(t *testing.T, expr string) {
	t.Helper()
	waittest.Until(t, "the metrics of "+expr, func() error { // after a scrape that was late, there are none for a while
		var faults []error
		for _, m := range metricRE.FindAllStringSubmatch(expr, -1) {
			list, err := p.series(t, m[1]+`{job="stoa"}`)
			if err == nil && len(list) == 0 {
				err = fmt.Errorf("Prometheus has no %s", m[1])
			}
			faults = append(faults, err)
		}
		return errors.Join(faults...)
	})
}

// checkRules checks that Prometheus has evaluated so many rules without an error.
func (p prometheus) checkRules(t *testing.T, want int) {
	t.Helper()
	waittest.Until(t, "the rules are evaluated", func() error {
		var rules struct {
			Groups []struct {
				Rules []struct{ Name, Health, LastError string }
			}
		}
		err := p.ask(t, "rules", nil, &rules)
		var ok int
		for _, g := range rules.Groups {
			for _, r := range g.Rules {
				if r.Health == "err" {
					t.Fatalf("%s: %s", r.Name, r.LastError)
				}
				if r.Health == "ok" {
					ok++
				}
			}
		}
		if err == nil && ok != want {
			err = fmt.Errorf("%d of %d are", ok, want)
		}
		return err
	})
}
