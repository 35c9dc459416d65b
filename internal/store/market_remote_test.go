package store_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/base/errs"
	"stoa/internal/market/remote"
	"stoa/internal/store"
)

func testMarkets(t *testing.T, open Open) {
	s := store.NewMarkets(open(t))
	ctx := t.Context()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	first := remote.Market{
		ID: "m1", URL: "https://one.example", Name: "One", Fingerprint: "f1", AddedAt: T0, ETag: `"1"`, TimestampUntil: T0.Add(time.Hour),
		GoodUntil: T0.Add(time.Minute), CheckedAt: T0, SeenAt: T0, Revision: 1,
	}
	second := first
	second.ID, second.Fingerprint, second.AddedAt = "m2", "f2", T0.Add(-time.Hour)
	must(s.Create(ctx, first))
	must(s.Create(ctx, second))
	wantKind(t, s.Create(ctx, remote.Market{ID: "m3", Fingerprint: "f1"}), errs.Conflict)
	for fingerprint, want := range map[string]bool{"f1": true, "f3": false} {
		if known, err := s.Known(ctx, fingerprint); known != want || err != nil {
			t.Errorf("%s is known: %t, %v", fingerprint, known, err)
		}
	}
	if list, err := s.List(ctx); err != nil || !cmp.Equal(list, []remote.Market{second, first}) {
		t.Errorf("%v (-got +want):\n%s", err, cmp.Diff(list, []remote.Market{second, first}))
	}
	first.Name, first.ETag, first.Failure, first.Distrust, first.Misfit = "Uno", "", "it does not answer", "its root", 7
	first.TimestampUntil, first.GoodUntil, first.CheckedAt, first.SeenAt = time.Time{}, T0, T0.Add(1e9), T0.Add(2e9)
	first.Revision = 2
	must(s.Update(ctx, first))
	if got, err := s.Get(ctx, "m1"); err != nil || !cmp.Equal(got, first) {
		t.Errorf("%v (-got +want):\n%s", err, cmp.Diff(got, first))
	}
	must(s.PutFile(ctx, "m1", "root", []byte{0, 1, 255}))
	must(s.PutFile(ctx, "m1", "root", []byte("{}")))
	must(s.PutFile(ctx, "m1", "targets", []byte("[]")))
	must(s.PutFile(ctx, "m1", "targets", nil))
	must(s.PutFile(ctx, "m2", "snapshot", []byte("[]")))
	if got, err := s.Files(ctx, "m1"); err != nil || !cmp.Equal(got, remote.Files{"root": []byte("{}")}) {
		t.Errorf("%q, %v", got, err)
	}
	must(s.Delete(ctx, "m1"))
	if got, err := s.Files(ctx, "m1"); err != nil || len(got) != 0 {
		t.Errorf("%q, %v: files outlive their market", got, err)
	}
	_, err := s.Get(ctx, "m1")
	mustBe(t, "get", err, errs.NotFound)
	mustBe(t, "delete", s.Delete(ctx, "m1"), errs.NotFound)
	mustBe(t, "update", s.Update(ctx, first), errs.NotFound)
}
