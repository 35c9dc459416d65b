package admin_test

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"stoa/internal/extension/plugin"
	"stoa/internal/message/delivery"
	"stoa/internal/shop/license"
	"stoa/internal/store"
	"stoa/internal/testkit"
)

const overviewPath = "/api/v1/admin/overview"

// series returns the buckets of a series that are not empty, as "position orders amount
// currency … activations registrations".
func series(tb testing.TB, res testkit.Response, name string) string {
	tb.Helper()
	list, _ := res.Get(tb, "data."+name).([]any)
	var out []string
	for i, it := range list {
		b := it.(map[string]any)
		text := fmt.Sprint(i-len(list), " ", b["orders"])
		for _, s := range b["sales"].([]any) {
			m := s.(map[string]any)
			text += fmt.Sprint(" ", m["amount"], " ", m["currency"])
		}
		if text += fmt.Sprint(" ", b["activations"], " ", b["registrations"]); !strings.HasSuffix(text, " 0 0 0") {
			out = append(out, text)
		}
	}
	return strings.Join(out, "; ")
}

// attention returns the concerns of an overview as "severity kind count" and what they are
// about.
func attention(tb testing.TB, res testkit.Response) string {
	tb.Helper()
	list, _ := res.Get(tb, "data.attention").([]any)
	var out []string
	for _, it := range list {
		c := it.(map[string]any)
		text := fmt.Sprintf("%s %s %v", c["severity"], c["kind"], c["count"])
		for _, about := range []string{"slug", "installationId", "webhookId", "purpose"} {
			if c[about] != nil {
				text += " " + c[about].(string)
			}
		}
		out = append(out, text)
	}
	return strings.Join(out, "; ")
}

func TestOverviewShowsWhatWasSoldAndUsed(t *testing.T) {
	t.Parallel()

	testkit.OnBothEngines(t, func(t *testing.T, a *testkit.App) {
		sellOne(t, a, "once") // 49.90 EUR, one seat taken
		a.Clock.Advance(25 * time.Hour)
		root := a.Login(t, "root")
		a.Register(t, "ada")
		a.BuyKey(t, "", "once")
		a.BuyKey(t, "", "free")
		res := manage(t, a, root.Access, http.MethodGet, overviewPath, nil, http.StatusOK)
		if got, want := series(t, res, "hours"), "-1 2 49.9 EUR 0 1"; got != want {
			t.Errorf("hours: %s, want %s", got, want)
		}
		if got, want := series(t, res, "days"), "-2 1 49.9 EUR 1 1; -1 2 49.9 EUR 0 1"; got != want {
			t.Errorf("days: %s, want %s", got, want)
		}
		if from := res.Text(t, "data.at"); from != "2030-03-02T13:00:00.000Z" {
			t.Errorf("at %s", from)
		}
		if got := attention(t, res); got != "" {
			t.Errorf("a shop without trouble: %s", got)
		}
	})
}

func TestOverviewListsWhatWantsAttention(t *testing.T) {
	t.Parallel()

	testkit.OnBothEngines(t, func(t *testing.T, a *testkit.App) {
		ctx := t.Context()
		root, id := a.InstallPay(t)
		manage(t, a, root, http.MethodPatch, "/api/v1/admin/plugins/pay/instances/"+id,
			map[string]any{"config": testkit.PayConfig(), "enabled": true}, http.StatusOK)
		d := delivery.New(testkit.T0, delivery.Webhook, "w1", "order.paid")
		d.Payload, d.State = "{}", delivery.Dead
		in, err := a.Plugins.ByInstallation(ctx, id)
		err = errors.Join(err, store.NewWebhooks(a.DB).AddDeliveries(ctx, []delivery.Delivery{d}),
			a.Plugins.RecordFailure(ctx, in, plugin.Failure{At: testkit.T0, Message: "boom"}))
		if err != nil {
			t.Fatal(err)
		}
		look := func() string {
			t.Helper()
			return attention(t, manage(t, a, root, http.MethodGet, overviewPath, nil, http.StatusOK))
		}
		slug := in.Instance.Slug
		if got, want := look(), "error webhook.deliveries_dead 1 w1; warning instance.failed 1 "+slug+" "+id; got != want {
			t.Errorf("attention: %s, want %s", got, want)
		}
		a.Clock.Advance(time.Hour) // and the instance has run since
		if got, want := look(), "error webhook.deliveries_dead 1 w1"; got != want {
			t.Errorf("an hour later: %s, want %s", got, want)
		}
		a.Clock.Advance(100 * 24 * time.Hour)
		root = a.Login(t, "root").Access
		if got, want := look(), "error webhook.deliveries_dead 1 w1; warning keys.rotation_due 1 account; "+
			"warning keys.rotation_due 1 plugin"; got != want {
			t.Errorf("after 100 days: %s, want %s", got, want)
		}
		// Backups are timed by the clock of the database.
		_, err = a.DB.Conn().Write.ExecContext(ctx, `
			UPDATE backup_jobs SET ok_at_ms = $1, failed_at_ms = CASE kind WHEN 'verify' THEN CAST($2 AS BIGINT) ELSE 0 END, error = 'e'`,
			a.Clock.Now().Add(-48*time.Hour).UnixMilli()-1, a.Clock.Now().UnixMilli())
		if err != nil {
			t.Fatal(err)
		}
		if got, want := look(), "error webhook.deliveries_dead 1 w1; error backup.verify_failed 1; "+
			"warning keys.rotation_due 1 account; warning keys.rotation_due 1 plugin"; got != want {
			t.Errorf("with a backup that is not whole: %s, want %s", got, want)
		}
		_, err = a.DB.Conn().Write.ExecContext(ctx, `
			UPDATE backup_jobs SET ok_at_ms = $1, failed_at_ms = CASE kind WHEN 'backup' THEN CAST($2 AS BIGINT) ELSE 0 END`,
			a.Clock.Now().Add(-48*time.Hour).UnixMilli(), a.Clock.Now().UnixMilli())
		if err != nil {
			t.Fatal(err)
		}
		if got := look(); !strings.Contains(got, "w1; error backup.failed 1; warning") {
			t.Errorf("with a failed backup: %s", got)
		}
		manage(t, a, root, http.MethodPost, "/api/v1/admin/keys/rotate",
			map[string]any{"purpose": license.KeyPurpose.Name}, http.StatusOK)
		a.Clock.Advance(310 * 24 * time.Hour)
		root = a.Login(t, "root").Access
		if got := look(); strings.Contains(got, "license") || !strings.Contains(got, "due 1 account") {
			t.Errorf("after the rotation of a key: %s", got)
		}
	})
}

func TestOverviewCountsOrdersThatWaitForAnHour(t *testing.T) {
	t.Parallel()

	a, _ := testkit.NewBankShop(t)
	root := a.Admin(t, "root").Access
	a.Do(t, testkit.Purchase("", "once"))
	look := func() string {
		t.Helper()
		return attention(t, manage(t, a, root, http.MethodGet, overviewPath, nil, http.StatusOK))
	}
	a.Clock.Advance(time.Hour)
	if got := look(); got != "" {
		t.Errorf("after an hour: %s", got)
	}
	a.Clock.Advance(time.Millisecond)
	if got := look(); got != "warning orders.pending 1" {
		t.Errorf("after more than an hour: %q", got)
	}
}
