package tests

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"stoa/internal/app"
	"stoa/internal/testkit"
	"stoa/internal/testkit/dbtest"
	"stoa/internal/testkit/logtest"
	"stoa/internal/testkit/waittest"
)

// report is what order-reports stores.
type report struct {
	Period int64
	Worker string
}

// Of three stoas over one PostgreSQL, one works; when it ends, another one goes on and does nothing again.
func TestOneOfThreeReplicasReportsOrders(t *testing.T) {
	t.Parallel()
	url := dbtest.Postgres(t)
	dir := t.TempDir()
	shared := func(_ testing.TB, cfg *app.Config) {
		cfg.DatabaseURL, cfg.DataDir, cfg.Now = url, dir, time.Now // the plugin's clock is real
	}
	keeper, log := startKeeper(t, shared)
	a, _ := testkit.New(t, shared), testkit.New(t, shared)
	admin := a.Admin(t, "root").Access
	id := install(t, a, admin, "order-reports", nil)
	const path = "/api/v1/admin/plugins/order-reports"
	for _, r := range []testkit.Request{
		testkit.Patch(admin, path+"/instances/"+id, map[string]any{"config": map[string]any{"seconds": 1}}),
		testkit.Patch(admin, path, map[string]any{"keepRunning": true}),
	} {
		if res := a.Do(t, r); res.Status != http.StatusOK {
			t.Fatalf("%s: %d %s", r.Path, res.Status, res.Body)
		}
	}
	before := waitFor(t, a, func(list []report) bool { return len(list) >= 27 }) // 24 at once, and some more
	// A replica that is stopped for long gives the duty back.
	if workers := workersOf(before); len(workers) > 1+strings.Count(log.String(), "off duty") {
		t.Errorf("%d processes have worked: %v", len(workers), workers)
	}
	if err := keeper(); err != nil {
		t.Fatal(err)
	}
	after := waitFor(t, a, func(list []report) bool {
		return len(workersOf(list)) > len(workersOf(before)) && len(list) >= len(before)+3
	})
	for i, r := range after[:len(before)] {
		if r != before[i] {
			t.Errorf("the report %v is now %v", before[i], r)
		}
	}
}

// startKeeper starts a stoa that keeps plugins running, because it is the first, and returns what ends it, and its log.
func startKeeper(t *testing.T, shared testkit.Option) (end func() error, log *logtest.Buffer) {
	t.Helper()
	log = new(logtest.Buffer)
	cfg := testkit.Config(t, shared)
	cfg.Log, cfg.PublicURL = log.Logger(), "http://shop.example"
	first, err := app.New(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	ended := false
	end = func() error {
		if ended {
			return nil
		}
		ended = true
		ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), time.Minute)
		defer cancel()
		return first.Close(ctx)
	}
	t.Cleanup(func() { _ = end() })
	waittest.Until(t, "the first stoa to keep plugins running", func() error {
		if !strings.Contains(log.String(), `duty="kept plugins"`) {
			return errors.New(log.String())
		}
		return nil
	})
	return end, log
}

// waitFor returns the reports, in the order of their periods, as soon as they are good.
func waitFor(t *testing.T, a *testkit.App, good func([]report) bool) []report {
	t.Helper()
	var list []report
	waittest.Until(t, "the reports", func() error {
		if list = reportsOf(t, a); !good(list) {
			return fmt.Errorf("%v", list)
		}
		return nil
	})
	return list
}

func reportsOf(t *testing.T, a *testkit.App) (list []report) {
	t.Helper()
	rows, err := a.DB.Conn().Read.QueryContext(t.Context(), `SELECT key, value FROM plugin_storage ORDER BY key`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var (
			key, value []byte
			r          report
		)
		if err := rows.Scan(&key, &value); err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(string(key), "report/") {
			continue
		}
		if err := json.Unmarshal(value, &r); err != nil {
			t.Fatal(err)
		}
		list = append(list, r)
	}
	return list
}

// workersOf returns how many reports each process has written.
func workersOf(list []report) map[string]int {
	workers := make(map[string]int)
	for _, r := range list {
		workers[r.Worker]++
	}
	return workers
}
