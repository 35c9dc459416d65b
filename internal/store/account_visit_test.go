package store_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/account"
	"stoa/internal/trust/audit"
)

func testVisits(t *testing.T, open Open) {
	s := withUsers(t, open)
	visit := func(id, user, outcome, agent, address string, age time.Duration) account.Visit {
		v := account.Visit{
			ID: id, UserID: user, At: T0.Add(-age), Outcome: outcome, Methods: []string{"pwd", "pky:1"}, Address: address,
			UserAgent: agent,
		}
		if err := s.AddVisit(t.Context(), v); err != nil {
			t.Fatal(err)
		}
		return v
	}
	first := visit("1", "u1", account.VisitSignedIn, "a", "10.0.0.1", 3*time.Hour)
	visit("2", "u1", account.VisitSignedIn, "a", "10.0.0.1", 2*time.Hour)
	visit("3", "u1", account.VisitSignedIn, "a", "10.0.0.2", time.Hour)
	refused := visit("4", "u1", account.VisitRefused, "a", "10.0.0.3", time.Minute)
	visit("5", "u1", account.VisitSignedIn, "b", "10.0.0.4", 0)
	visit("6", "u2", account.VisitSignedIn, "a", "10.0.0.5", 0)

	for after, want := range map[time.Time][]string{
		first.At.Add(-time.Millisecond): {"10.0.0.1", "10.0.0.2"},
		T0.Add(-2 * time.Hour):          {"10.0.0.2"}, // not at that moment
	} {
		got, err := s.AddressesOf(t.Context(), "u1", "a", after)
		slices.Sort(got)
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("AddressesOf: %v (-want +got):\n%s", err, diff)
		}
	}

	for _, tt := range []struct {
		agent, address string
		after          time.Time
		want           bool
	}{
		{"a", "10.0.0.1", T0.Add(-3 * time.Hour), true},
		{"a", "10.0.0.1", T0.Add(-2 * time.Hour), false}, // not at that moment
		{"a", "10.0.0.3", first.At, false},               // refused
		{"a", "10.0.0.4", first.At, false},               // by another program
		{"a", "10.0.0.5", first.At, false},               // another user
		{"b", "10.0.0.4", first.At, true},
	} {
		if got, err := s.SignedInFrom(t.Context(), "u1", tt.agent, tt.address, tt.after); err != nil || got != tt.want {
			t.Errorf("SignedInFrom(%s, %s) = %v, %v; want %v", tt.agent, tt.address, got, err, tt.want)
		}
	}

	for i, actor := range []audit.Actor{{Kind: audit.User, ID: "u1"}, {Kind: audit.User, ID: "u2"}, {Kind: audit.CLI, ID: "root"}, {}} {
		if actor.Kind == "" {
			actor.Kind = audit.System
		}
		err := s.Record(t.Context(), audit.Entry{
			ID: string(rune('a' + i)), At: T0.Add(time.Duration(i+1) * time.Second), Actor: actor, Action: audit.UserRole,
			Target: audit.Target{Type: "user", ID: "u1"}, Address: "10.9.9.9",
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	got, total, err := s.ListActivity(t.Context(), "u1", first.At, 6, 0)
	if err != nil || total != 8 { // the first is not after itself
		t.Fatalf("%d in all, %v; want 8", total, err)
	}
	var ids string
	for _, one := range got {
		ids += one.ID + " " + one.By + " " + one.Address + "\n"
	}
	want := "d system \nc staff \nb staff \na you 10.9.9.9\n5 you 10.0.0.4\n4 you 10.0.0.3\n"
	if ids != want {
		t.Errorf("ListActivity:\n%swant\n%s", ids, want)
	}
	if diff := cmp.Diff(account.Activity{Visit: refused, By: "you"}, got[5]); diff != "" {
		t.Errorf("a visit (-want +got):\n%s", diff)
	}
	if rest, _, err := s.ListActivity(t.Context(), "u1", first.At, 6, 6); err != nil || len(rest) != 2 || rest[1].ID != "2" {
		t.Errorf("the second page: %v, %v", rest, err)
	}
}
