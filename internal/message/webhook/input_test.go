package webhook_test

import (
	"errors"
	"strings"
	"testing"

	"stoa/internal/base/errs"
	"stoa/internal/message/webhook"
)

func TestIssuesOfAnInput(t *testing.T) {
	t.Parallel()

	const good = "https://a.example/x?key=1"
	orders := []string{"order.*"}
	many := func(n int) []string { return strings.Fields(strings.Repeat("order.paid ", n)) }
	for _, tt := range []struct {
		name   string
		url    any // a text, or nil
		events []string
		old    bool // the input changes a webhook
		want   string
	}{
		{"an address and events", good, orders, false, ""},
		{"plain HTTP", "http://10.0.0.1:8080", orders, false, ""},
		{"several events", good, []string{"order.paid", "license.*"}, false, ""},
		{"nothing", nil, nil, false, "url required, events required"},
		{"a change of nothing", nil, nil, true, ""},
		{"no events in a change", nil, []string{}, true, "events out_of_range"},
		{"64 events", good, many(64), false, ""},
		{"65 events", good, many(65), false, "events out_of_range"},
		{"every event", good, []string{"*"}, false, ""},
		{"every event beside one", good, []string{"order.paid", "*"}, false, ""},
		{"two asterisks", good, []string{"order.paid", "**"}, false, "events[1] invalid"},
		{"a pattern in the middle", good, []string{"order.*.x"}, false, "events[0] invalid"},
		{"another scheme", "ftp://a.example", orders, false, "url invalid"},
		{"a path", "/hook", orders, false, "url invalid"},
		{"no host", "https:///x", orders, false, "url invalid"},
		{"an opaque address", "https:a.example", orders, false, "url invalid"},
		{"credentials", "https://u:p@a.example", orders, false, "url invalid"},
		{"a fragment", "https://a.example#x", orders, false, "url invalid"},
		{"an empty fragment", "https://a.example#", orders, false, "url invalid"},
		{"2048 bytes", "https://a.example/" + strings.Repeat("x", 2048-18), orders, false, ""},
		{"2049 bytes", "https://a.example/" + strings.Repeat("x", 2049-18), orders, true, "url out_of_range"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()

			var in webhook.Input
			if address, ok := tt.url.(string); ok {
				in.URL = &address
			}
			if tt.events != nil {
				in.Events = &tt.events
			}
			if got := faults(in.Issues(!tt.old)); got != tt.want {
				t.Errorf("faults %q, want %q", got, tt.want)
			}
		})
	}
}

func TestIssuesOfAQuery(t *testing.T) {
	t.Parallel()

	for _, tt := range []struct {
		q    webhook.Query
		want string
	}{
		{webhook.Query{}, ""},
		{webhook.Query{Search: "erp.example", Sort: "-url"}, ""},
		{webhook.Query{Search: "a\x00b", Sort: "name"}, "q out_of_range, sort unknown_value"},
	} {
		if got := faults(tt.q.Issues()); got != tt.want {
			t.Errorf("%+v: faults %q, want %q", tt.q, got, tt.want)
		}
	}
}

// Invalid input is refused before anything changes.
func TestTheServiceRefusesWhatHasIssues(t *testing.T) {
	t.Parallel()

	s, ctx := openShop(t), t.Context()
	id, _ := s.create(t, "order.*")
	bad := "ftp://a.example"
	_, _, created := s.Create(ctx, webhook.Input{URL: &bad})
	_, changed := s.Change(ctx, id, webhook.Input{URL: &bad})
	_, _, listed := s.List(ctx, webhook.Query{Sort: "name"})
	for what, err := range map[string]error{"Create": created, "Change": changed, "List": listed} {
		if errs.KindOf(err) != errs.Invalid {
			t.Errorf("%s = %v, want VALIDATION_ERROR", what, err)
		}
	}
	if list, total, err := s.List(ctx, webhook.Query{Limit: 10}); err != nil || total != 1 || list[0].URL == bad {
		t.Errorf("the webhooks are %+v, %v", list, err)
	}
}

func TestUnknownWebhooksAreNotFound(t *testing.T) {
	t.Parallel()

	s, ctx := openShop(t), t.Context()
	for _, id := range []string{"tz4a98xxat96iws9zmbrgj3a", "not an id"} {
		_, got := s.Get(ctx, id)
		_, changed := s.Change(ctx, id, webhook.Input{})
		_, _, rotated := s.RotateSecret(ctx, id)
		_, tested := s.Test(ctx, id)
		_, _, listed := s.ListDeliveries(ctx, id, queryAll)
		_, replayed := s.Replay(ctx, id, opened)
		for what, err := range map[string]error{
			"Get": got, "Change": changed, "RotateSecret": rotated, "Test": tested, "ListDeliveries": listed,
			"Replay": replayed, "Delete": s.Delete(ctx, id),
		} {
			if !errors.Is(err, webhook.ErrNotFound) {
				t.Errorf("%s of %s = %v, want ErrNotFound", what, id, err)
			}
		}
	}
	if _, err := s.ReplayDelivery(ctx, "nothing"); !errors.Is(err, webhook.ErrNoDelivery) {
		t.Errorf("ReplayDelivery = %v, want ErrNoDelivery", err)
	}
}

// faults lists issues as "path code".
func faults(issues errs.Issues) string {
	var list []string
	for _, is := range issues.List() {
		list = append(list, is.Path+" "+is.Code)
	}
	return strings.Join(list, ", ")
}
