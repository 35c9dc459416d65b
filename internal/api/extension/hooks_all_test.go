package extension_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"stoa/internal/message/delivery"
	"stoa/internal/store"
	"stoa/internal/testkit"
)

// The deliveries of all plugins are one list, and what was given up is sent again at once.
func TestAdministratorsSeeTheDeliveriesOfAllPlugins(t *testing.T) {
	t.Parallel()

	testkit.OnEngines(t, func(t *testing.T, a *testkit.App) {
		admin := a.Admin(t, "root").Access
		var all []delivery.Delivery
		for i, d := range []delivery.Delivery{
			delivery.New(testkit.T0, delivery.Hook, "i1", "onInstall"),
			delivery.New(testkit.T0, delivery.Event, "i2", "order.paid"),
			delivery.New(testkit.T0, delivery.Webhook, "w1", "order.paid"),
		} {
			d.Owner, d.Payload, d.State, d.FinishedAt = fmt.Sprint("plugin-", i), "{}", delivery.Dead, testkit.T0
			if d.Kind == delivery.Webhook {
				d.Owner = ""
			}
			all = append(all, d)
		}
		if err := store.NewWebhooks(a.DB).AddDeliveries(t.Context(), all); err != nil {
			t.Fatal(err)
		}
		for query, want := range map[string]string{
			"": "plugin-1 order.paid, plugin-0 onInstall", "?slug=plugin-0": "plugin-0 onInstall",
			"?installationId=i2": "plugin-1 order.paid", "?state=dead&limit=1": "plugin-1 order.paid", "?state=waiting": "",
			"?from=2030-03-01T12:00:00.001Z": "", "?to=2030-03-01T12:00:00Z": "",
			"?from=2030-03-01T12:00:00Z&to=2030-03-01T12:00:00.001Z": "plugin-1 order.paid, plugin-0 onInstall",
		} {
			res := a.Do(t, testkit.Get(admin, "/api/v1/admin/hooks"+query))
			var got []string
			items, _ := res.Get(t, "data.items").([]any)
			for _, it := range items {
				d := it.(map[string]any)
				got = append(got, fmt.Sprint(d["pluginSlug"], " ", d["name"]))
			}
			if s := strings.Join(got, ", "); res.Status != http.StatusOK || s != want {
				t.Errorf("GET hooks%s = %d, %s; want %s", query, res.Status, s, want)
			}
		}
		bad := a.Do(t, testkit.Get(admin, "/api/v1/admin/hooks?state=gone&from=x&slug=%00&plugin=y"))
		if got := testkit.IssuePaths(t, bad); bad.Status != http.StatusBadRequest || len(strings.Fields(got)) != 4 {
			t.Errorf("four faults = %d, %s", bad.Status, got)
		}
		res := a.Do(t, testkit.Post(admin, "/api/v1/admin/hooks/replay", `{"since":"2030-03-01T12:00:00Z"}`))
		if res.Status != http.StatusOK || res.Get(t, "data.replayed") != 2.0 {
			t.Errorf("replay = %d, %s; want both of plugins", res.Status, res.Body)
		}
	})
}
