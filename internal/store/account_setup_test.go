package store_test

import (
	"errors"
	"testing"

	"stoa/internal/base/errs"
	"stoa/internal/store"
)

func testSetupToken(t *testing.T, s *store.Account) {
	ctx := t.Context()
	has := func(want string) {
		t.Helper()
		for _, hash := range []string{"one", "two"} {
			if got, err := s.HasSetup(ctx, hash); err != nil || got != (hash == want) {
				t.Errorf("HasSetup(%s) = %v, %v; want the token to be %q", hash, got, err, want)
			}
		}
	}
	has("")
	mustBe(t, "TakeSetup without a token", s.TakeSetup(ctx, "one"), errs.NotFound)
	if err := errors.Join(s.DropSetup(ctx), s.PutSetup(ctx, "one")); err != nil {
		t.Fatal(err)
	}
	has("one")
	if err := s.PutSetup(ctx, "two"); err != nil {
		t.Fatal(err)
	}
	has("two")
	mustBe(t, "TakeSetup of a replaced token", s.TakeSetup(ctx, "one"), errs.NotFound)
	has("two")

	taken := make(chan error, 6)
	for range cap(taken) {
		go func() { taken <- s.TakeSetup(ctx, "two") }()
	}
	n := 0
	for range cap(taken) {
		switch err := <-taken; {
		case err == nil:
			n++
		case errs.KindOf(err) != errs.NotFound:
			t.Error(err)
		}
	}
	if n != 1 {
		t.Errorf("%d took the same token, want 1", n)
	}
	has("")
	if err := errors.Join(s.PutSetup(ctx, "one"), s.DropSetup(ctx)); err != nil {
		t.Fatal(err)
	}
	has("")
}
