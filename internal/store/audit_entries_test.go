package store_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/account"
	"stoa/internal/extension/plugin"
	"stoa/internal/shop/catalog"
	"stoa/internal/store"
	"stoa/internal/trust/audit"
)

// entry returns an audit entry with every field set.
func entry(id string, at time.Time) audit.Entry {
	return audit.Entry{
		ID: id, At: at, Actor: audit.Actor{Kind: audit.CLI, ID: "root", Name: "Root"}, Action: audit.PluginInstall,
		Target: audit.Target{Type: "plugin", ID: "pay"}, Address: "192.0.2.7", RequestID: "r-" + id,
		Details: audit.Details{"version": "1.0.0"},
	}
}

func mustRecord(tb testing.TB, s audit.Store, entries ...audit.Entry) {
	tb.Helper()
	for _, e := range entries {
		if err := s.Record(tb.Context(), e); err != nil {
			tb.Fatal(err)
		}
	}
}

// listed returns the ids of the entries on the page of q, and how many match q.
func listed(tb testing.TB, s audit.Store, q audit.Query) ([]string, int) {
	tb.Helper()
	if q.Limit == 0 {
		q.Limit = 100
	}
	list, total, err := s.ListEntries(tb.Context(), q)
	if err != nil {
		tb.Fatal(err)
	}
	ids := []string{}
	for _, e := range list {
		ids = append(ids, e.ID)
	}
	return ids, total
}

func testAudit(t *testing.T, open Open) {
	t.Run("ListEntries returns what Record stored, the latest first", func(t *testing.T) {
		t.Parallel()

		s := store.NewAudit(open(t))
		early, late, last := entry("a", T0), entry("c", T0.Add(time.Second)), entry("b", T0.Add(time.Second))
		mustRecord(t, s, late, last, early) // the clock of early is behind
		got, total, err := s.ListEntries(t.Context(), audit.Query{Limit: 10})
		if diff := cmp.Diff([]audit.Entry{last, late, early}, got); err != nil || total != 3 || diff != "" {
			t.Errorf("ListEntries: total %d, %v (-want +got):\n%s", total, err, diff)
		}
		if ids, total := listed(t, s, audit.Query{Limit: 1, Offset: 1}); total != 3 || !slices.Equal(ids, []string{"c"}) {
			t.Errorf("second page = %q of %d, want c of 3", ids, total)
		}
	})
	t.Run("ListEntries filters", func(t *testing.T) { t.Parallel(); testAuditFilters(t, open) })
	t.Run("Record names a user by the e-mail address at that moment", func(t *testing.T) {
		t.Parallel()

		db := open(t)
		s := store.NewAudit(db)
		mustCreateUser(t, store.NewAccount(db), credentials("u1"))
		for id, user := range map[string]string{"known": "u1", "unknown": "u2"} {
			e := entry(id, T0)
			e.Actor = audit.Actor{Kind: audit.User, ID: user, Name: "somebody@else.example"}
			mustRecord(t, s, e)
		}
		list, _, err := s.ListEntries(t.Context(), audit.Query{Limit: 10})
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range list {
			if want := map[string]string{"known": "E.u1@Example.com", "unknown": ""}[e.ID]; e.Actor.Name != want {
				t.Errorf("%s: actor is named %q, want %q", e.ID, e.Actor.Name, want)
			}
		}
	})
	t.Run("Record is part of a domain's transaction", func(t *testing.T) { t.Parallel(); testAuditInTx(t, open) })
}

func testAuditFilters(t *testing.T, open Open) {
	s := store.NewAudit(open(t))
	for i, e := range []struct {
		actor  string
		action audit.Action
		target audit.Target
	}{
		{"ann", audit.UserRole, audit.Target{Type: "user", ID: "1"}},
		{"bob", audit.UserDeactivate, audit.Target{Type: "user", ID: "2"}},
		{"bob", audit.PluginInstall, audit.Target{Type: "plugin", ID: "1"}},
		{"a%", "users.merge", audit.Target{Type: "user", ID: "1:2"}},
	} {
		mustRecord(t, s, audit.Entry{
			ID: fmt.Sprint(i), At: T0.Add(time.Duration(i) * time.Second), Action: e.action, Target: e.target,
			Actor: audit.Actor{Kind: audit.Service, ID: e.actor, Name: e.actor + "@example.com"},
		})
	}
	for _, tt := range []struct {
		name string
		q    audit.Query
		want []string
	}{
		{"by actor's id", audit.Query{Actor: "bob"}, []string{"2", "1"}},
		{"by actor's name", audit.Query{Actor: "ann@example.com"}, []string{"0"}},
		{"an actor is not a pattern", audit.Query{Actor: "a%"}, []string{"3"}},
		{"by action", audit.Query{Action: "user.role"}, []string{"0"}},
		{"by subject, whole words only", audit.Query{Action: "user"}, []string{"1", "0"}},
		{"by subject with its dot", audit.Query{Action: "user."}, []string{"1", "0"}},
		{"an action is not a pattern", audit.Query{Action: "user_"}, []string{}},
		{"by target's id", audit.Query{Target: "1"}, []string{"2", "0"}},
		{"by target", audit.Query{Target: "user:1"}, []string{"0"}},
		{"by a target whose id has a colon", audit.Query{Target: "user:1:2"}, []string{"3"}},
		{"from is included", audit.Query{From: T0.Add(2 * time.Second)}, []string{"3", "2"}},
		{"to is not", audit.Query{To: T0.Add(2 * time.Second)}, []string{"1", "0"}},
		{
			"all at once",
			audit.Query{Actor: "bob", Action: "user", Target: "2", From: T0, To: T0.Add(time.Hour)},
			[]string{"1"},
		},
		{"beyond the last page", audit.Query{Actor: "bob", Offset: 2}, []string{}},
	} {
		got, total := listed(t, s, tt.q)
		if !slices.Equal(got, tt.want) || tt.q.Offset == 0 && total != len(tt.want) {
			t.Errorf("%s: %q of %d, want %q", tt.name, got, total, tt.want)
		}
	}
}

func testAuditInTx(t *testing.T, open Open) {
	db := open(t)
	log := store.NewAudit(db)
	boom := errors.New("boom")
	for name, inTx := range map[string]func(ctx context.Context, fn func(r recorder) error) error{
		"account": func(ctx context.Context, fn func(recorder) error) error {
			return store.NewAccount(db).InTx(ctx, func(tx account.Store) error { return fn(tx) })
		},
		"plugin": func(ctx context.Context, fn func(recorder) error) error {
			return store.NewPlugin(db).InTx(ctx, func(tx plugin.Store) error { return fn(tx) })
		},
		"market": func(ctx context.Context, fn func(recorder) error) error {
			return store.NewProducts(db).InTx(ctx, func(tx catalog.Store) error { return fn(tx) })
		},
	} {
		for outcome, result := range map[string]error{"undone": boom, "kept": nil} {
			id := name + "-" + outcome
			err := inTx(t.Context(), func(tx recorder) error {
				return errors.Join(tx.Record(t.Context(), entry(id, T0)), result)
			})
			if !errors.Is(err, result) {
				t.Fatalf("%s: InTx = %v, want %v", id, err, result)
			}
		}
	}
	got, _ := listed(t, log, audit.Query{})
	slices.Sort(got)
	if want := []string{"account-kept", "market-kept", "plugin-kept"}; !slices.Equal(got, want) {
		t.Errorf("recorded: %q, want %q", got, want)
	}
}

// recorder is the method that the audited domains' Stores have in common.
type recorder interface {
	Record(ctx context.Context, e audit.Entry) error
}
