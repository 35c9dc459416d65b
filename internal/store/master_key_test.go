package store_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/store"
)

func testMasterKeys(t *testing.T, open Open) {
	db := open(t)
	s, ctx := store.NewMasterKeys(db), t.Context()
	hold := func(id, name string, keys ...string) {
		t.Helper()
		if err := s.Report(ctx, store.KeyHolder{ID: id, Name: name, Keys: keys}); err != nil {
			t.Fatal(err)
		}
	}
	want := func(within time.Duration, holders ...store.KeyHolder) {
		t.Helper()
		got, err := s.Holders(ctx, within)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(got, holders); diff != "" {
			t.Errorf("holders (-got +want):\n%s", diff)
		}
	}
	hold("1", "b", "old")
	hold("2", "a", "old", "new")
	hold("1", "b", "new", "old")
	a := store.KeyHolder{ID: "2", Name: "a", Keys: []string{"old", "new"}}
	b := store.KeyHolder{ID: "1", Name: "b", Keys: []string{"new", "old"}}
	want(time.Hour, a, b)
	for id, ago := range map[string]time.Duration{"1": time.Hour, "2": 25 * time.Hour} {
		_, err := db.Conn().Write.ExecContext(ctx,
			`UPDATE master_key_holders SET seen_at_ms = seen_at_ms - $1 WHERE id = $2`, ago.Milliseconds(), id)
		if err != nil {
			t.Fatal(err)
		}
	}
	want(time.Minute)
	want(2*time.Hour, b)
	// Whoever leaves takes those along that were killed long ago.
	if err := s.Leave(ctx, "nobody"); err != nil {
		t.Fatal(err)
	}
	want(48*time.Hour, b)
	if err := s.Leave(ctx, "1"); err != nil {
		t.Fatal(err)
	}
	want(48 * time.Hour)
}
