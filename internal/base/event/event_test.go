package event_test

import (
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"stoa/internal/base/event"
)

func TestPatternsMatchTypes(t *testing.T) {
	t.Parallel()

	for _, tt := range []struct {
		pattern string
		t       event.Type
		want    bool
	}{
		{"order.paid", event.OrderPaid, true},
		{"order.paid", event.OrderRefunded, false},
		{"order.*", event.OrderRefunded, true},
		{"order.*", "orders.paid", false},
		{"order.*", "order", false},
		{"order", event.OrderPaid, false},
		{"loyalty-points.*", "loyalty-points.tier.reached", true},
	} {
		if got := tt.t.Matches([]string{"other.type", tt.pattern}); got != tt.want {
			t.Errorf("%s matches %s: %v, want %v", tt.t, tt.pattern, got, tt.want)
		}
	}
}

func TestPatternsHaveAForm(t *testing.T) {
	t.Parallel()

	for text, want := range map[string]bool{
		"order.paid": true, "order.*": true, "loyalty-points.tier_reached": true, "a.b.c.*": true,
		"": false, "*": false, ".*": false, "order.": false, "order.*.paid": false, "Order.paid": false, "order paid": false,
	} {
		if got := event.IsPattern(text); got != want {
			t.Errorf("IsPattern(%q) = %v, want %v", text, got, want)
		}
	}
}

func TestTypesOfPluginsBeginWithTheirSlug(t *testing.T) {
	t.Parallel()

	for typ, want := range map[event.Type]bool{
		"points.earned": true, "points.tier.reached_2": true, "points": false, "points.": false, "points..x": false,
		"points.*": false, "pointsx.earned": false, "order.paid": false, "points.a b": false, "points.é": false,
		event.Type("points." + strings.Repeat("x", event.MaxType)): false,
	} {
		if got := typ.BeginsWith("points"); got != want {
			t.Errorf("%q begins with points: %v, want %v", typ, got, want)
		}
	}
}

func TestPluginsCannotUseTypesOfThePlatform(t *testing.T) {
	t.Parallel()

	for _, own := range append([]event.Type{event.WebhookTest, "order.anything"}, event.Types...) {
		if !own.IsPlatforms() {
			t.Errorf("%s passes for a plugin's", own)
		}
	}
	for _, other := range []event.Type{"orders.paid", "points.earned"} {
		if other.IsPlatforms() {
			t.Errorf("%s passes for the platform's", other)
		}
	}
}

func TestEventsHaveTheDocumentedForm(t *testing.T) {
	t.Parallel()

	at := time.Date(2026, 1, 2, 3, 4, 5, 6_999_999, time.UTC)
	e := event.New(at, event.OrderPaid, event.Names{OrderID: "o1", UserID: "u1"})
	got, err := json.Marshal(e)
	want := `{"id":"` + e.ID + `","type":"order.paid","occurredAt":"2026-01-02T03:04:05.006Z",` +
		`"data":{"userId":"u1","orderId":"o1"}}`
	if err != nil || string(got) != want {
		t.Errorf("got %s, %v; want %s", got, err, want)
	}
}

// The guide for plugin authors, the contract, the types of the SDK and the console's list have the types of stoa's own
// events, and no others.
func TestEveryTypeIsDocumentedTypedAndOffered(t *testing.T) {
	t.Parallel()

	for file, form := range map[string]string{
		"docs/plugins/hooks.md":              "`([a-z]+\\.[a-z_]+)`",
		"docs/contract.md":                   "`([a-z]+\\.[a-z_]+)`",
		"sdk/js-plugin/src/context.d.ts":     `'([a-z]+\.[a-z_]+)':`,
		"web/src/console/events/webhooks.ts": `"([a-z]+\.[a-z_]+)",`,
	} {
		text, err := os.ReadFile("../../../" + file)
		if err != nil {
			t.Fatal(err)
		}
		if file == "docs/contract.md" {
			_, section, ok := strings.Cut(string(text), "### 7.4 Events\n")
			if !ok {
				t.Fatalf("%s has no section of events", file)
			}
			section, _, _ = strings.Cut(section, "\n#")
			text = []byte(section)
		}
		var listed []event.Type
		for _, m := range regexp.MustCompile(form).FindAllStringSubmatch(string(text), -1) {
			listed = append(listed, event.Type(m[1]))
		}
		for _, own := range event.Types {
			if !slices.Contains(listed, own) {
				t.Errorf("%s does not name %s", file, own)
			}
		}
		subjects := regexp.MustCompile(`^(user|order|license|trial|extension|instance)\.`)
		for _, name := range listed {
			if subjects.MatchString(string(name)) && !slices.Contains(event.Types, name) {
				t.Errorf("%s names %s, which is no type of event", file, name)
			}
		}
	}
}
