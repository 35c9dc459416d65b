package audit_test

import (
	"context"
	"errors"
	"net/netip"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"stoa/internal/base/errs"
	"stoa/internal/base/reqctx"
	"stoa/internal/trust/audit"
)

var now = time.Date(2030, time.March, 1, 12, 0, 0, 123_456_789, time.UTC)

func TestNewRecordsTheActor(t *testing.T) {
	t.Parallel()

	operator := audit.Actor{Kind: audit.CLI, ID: "jo"}
	user := reqctx.Caller{UserID: "u1", Role: reqctx.RoleAdmin}
	for _, tt := range []struct {
		name string
		ctx  func(context.Context) context.Context
		want audit.Actor
	}{
		{
			"the system without a caller", func(ctx context.Context) context.Context { return ctx },
			audit.Actor{Kind: audit.System},
		},
		{
			"a signed-in user", func(ctx context.Context) context.Context { return reqctx.WithCaller(ctx, user) },
			audit.Actor{Kind: audit.User, ID: "u1"},
		},
		{"a service", func(ctx context.Context) context.Context {
			return reqctx.WithCaller(ctx, reqctx.Caller{Service: "erp", Role: reqctx.RoleAdmin})
		}, audit.Actor{Kind: audit.Service, ID: "erp"}},
		{"the actor of As", func(ctx context.Context) context.Context { return audit.As(ctx, operator) }, operator},
		{
			"a caller rather than the actor of As",
			func(ctx context.Context) context.Context { return audit.As(reqctx.WithCaller(ctx, user), operator) },
			audit.Actor{Kind: audit.User, ID: "u1"},
		},
	} {
		if got := audit.New(tt.ctx(t.Context()), now, audit.UserRole, audit.Target{}, nil).Actor; got != tt.want {
			t.Errorf("%s: %+v, want %+v", tt.name, got, tt.want)
		}
	}
	ctx := reqctx.WithAddr(reqctx.WithRequestID(t.Context(), "r1"), netip.MustParseAddr("192.0.2.7"))
	e := audit.New(ctx, now, audit.UserRole, audit.Target{Type: "user", ID: "u2"}, nil)
	if e.RequestID != "r1" || e.Address != "192.0.2.7" || len(e.ID) != 24 || !e.At.Equal(now.Truncate(time.Millisecond)) {
		t.Errorf("New = %+v", e)
	}
}

// memory is a Store without entries.
type memory struct{ audit.Store }

func (memory) ListEntries(context.Context, audit.Query) ([]audit.Entry, int, error) {
	return nil, 0, nil
}

func TestListRefusesQueries(t *testing.T) {
	t.Parallel()

	log := &audit.Log{Store: memory{}}
	for _, tt := range []struct {
		name   string
		q      audit.Query
		faults int
	}{
		{"an empty query", audit.Query{}, 0},
		{"the longest text", audit.Query{Actor: strings.Repeat("a", 320)}, 0},
		{"one byte longer", audit.Query{Actor: strings.Repeat("a", 321)}, 1},
		{"every fault is reported", audit.Query{Actor: "\x00", Action: "\xff", Target: "\n", From: now, To: now.Add(-1)}, 4},
		{"an empty period", audit.Query{From: now, To: now}, 0},
	} {
		_, _, err := log.List(t.Context(), tt.q)
		got := 0
		if e, ok := errors.AsType[*errs.Error](err); ok {
			got = len(e.Details["issues"].([]errs.Issue))
		}
		if got != tt.faults {
			t.Errorf("%s: %d faults (%v), want %d", tt.name, got, err, tt.faults)
		}
	}
}

// docs/operating.md lists exactly the recorded actions.
func TestActionsAreDocumented(t *testing.T) {
	t.Parallel()

	source, err1 := os.ReadFile("audit.go")
	doc, err2 := os.ReadFile("../../../docs/operating.md")
	if err := errors.Join(err1, err2); err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(doc), "\n## Audit log\n")
	section, _, _ = strings.Cut(section, "\n## ")
	listed := make(map[string]bool)
	for _, m := range regexp.MustCompile("`([a-z]+\\.[a-z_]+)`").FindAllStringSubmatch(section, -1) {
		listed[m[1]] = true
	}
	for _, m := range regexp.MustCompile(`Action = "([^"]+)"`).FindAllStringSubmatch(string(source), -1) {
		if !listed[m[1]] {
			t.Errorf("%s is not in docs/operating.md", m[1])
		}
		delete(listed, m[1])
	}
	for action := range listed {
		t.Errorf("%s is in docs/operating.md, but not an action", action)
	}
}
