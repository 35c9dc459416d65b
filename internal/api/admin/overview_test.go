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
	"stoa/internal/store"
	"stoa/internal/testkit"
)

// withoutFactor is that the administrator of these tests has a password alone.
const withoutFactor = "warning staff.no_second_factor 1"

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
		if c["kind"] == "disk.low" {
			continue // the disk of this machine is not the test's business
		}
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

	testkit.OnEngines(t, func(t *testing.T, a *testkit.App) {
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
		if got := attention(t, res); got != withoutFactor {
			t.Errorf("a shop without trouble: %s", got)
		}
	})
}

func TestOverviewListsWhatWantsAttention(t *testing.T) {
	t.Parallel()

	testkit.OnEngines(t, func(t *testing.T, a *testkit.App) {
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
		if got, want := look(), "error webhook.deliveries_dead 1 w1; warning instance.failed 1 "+slug+" "+id+"; "+withoutFactor; got != want {
			t.Errorf("attention: %s, want %s", got, want)
		}
		a.Clock.Advance(100 * 24 * time.Hour)
		root = a.Login(t, "root").Access
		if got, want := look(), "error webhook.deliveries_dead 1 w1; warning keys.rotation_due 1 account; "+
			"warning keys.rotation_due 1 plugin; "+withoutFactor; got != want {
			t.Errorf("after 100 days: %s, want %s", got, want)
		}
	})
}

func TestOverviewShowsAPIKeysInNeedToThoseWhoManageThem(t *testing.T) {
	t.Parallel()

	testkit.OnEngines(t, func(t *testing.T, a *testkit.App) {
		root := a.Admin(t, "root")
		accounts := "/api/v1/admin/service-accounts"
		id := manage(t, a, root.Access, http.MethodPost, accounts, map[string]any{"name": "books"}, http.StatusCreated).Text(t, "data.id")
		key := manage(t, a, root.Access, http.MethodPost, accounts+"/"+id+"/keys",
			map[string]any{"name": "a job", "scopes": []string{"overview:read"}}, http.StatusCreated).Text(t, "data.key")
		seen := func(token string) string {
			return attention(t, manage(t, a, token, http.MethodGet, overviewPath, nil, http.StatusOK))
		}
		if got := seen(root.Access); got != withoutFactor {
			t.Errorf("at first: %s", got)
		}
		a.Clock.Advance(84 * 24 * time.Hour)
		if got, want := seen(a.Login(t, "root").Access), "warning api_keys.expiring 1"; !strings.Contains(got, want) {
			t.Errorf("in the last week: %s, want %s", got, want)
		}
		if got := seen(key); strings.Contains(got, "api_keys") {
			t.Errorf("who does not manage keys sees %s", got)
		}
	})
}
