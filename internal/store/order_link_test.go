package store_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/base/errs"
	"stoa/internal/shop/order"
	"stoa/internal/store"
)

func testLinks(t *testing.T, receipts *store.Receipts, s *store.Claims) {
	ctx, before := t.Context(), T0.Add(-time.Millisecond)
	link := func(hash, email string, at time.Time) order.Link {
		l := order.Link{Hash: hash, EmailKey: order.EmailKey(email), Email: email, CreatedAt: at}
		if err := receipts.CreateLink(ctx, l); err != nil {
			t.Fatal(err)
		}
		return l
	}
	there := func(hash string, since time.Time) error {
		_, err := s.Link(ctx, hash, since)
		return err
	}
	want := link("h1", "A@b.c", T0)
	link("h2", "a@b.c", T0)
	link("h3", "b@b.c", T0)
	wantKind(t, receipts.CreateLink(ctx, want), errs.Conflict)

	got, err := s.Link(ctx, "h1", before)
	if diff := cmp.Diff(got, want); err != nil || diff != "" {
		t.Errorf("Link: %v (-got +want):\n%s", err, diff)
	}
	wantKind(t, there("h9", before), errs.NotFound)
	wantKind(t, there("h1", T0), errs.NotFound) // too old

	wantKind(t, s.TakeLink(ctx, "h1", "b@b.c", before), errs.NotFound) // somebody else's
	wantKind(t, s.TakeLink(ctx, "h1", "a@b.c", T0), errs.NotFound)     // too old
	if err := s.TakeLink(ctx, "h1", "a@b.c", before); err != nil {
		t.Fatal(err)
	}
	wantKind(t, s.TakeLink(ctx, "h1", "a@b.c", before), errs.NotFound) // used
	wantKind(t, there("h2", before), errs.NotFound)                    // deleted with it
	if err := there("h3", before); err != nil {
		t.Errorf("the link of another address is gone too: %v", err)
	}

	link("new", "b@b.c", T0.Add(time.Millisecond))
	if err := receipts.DeleteLinks(ctx, T0); err != nil {
		t.Fatal(err)
	}
	wantKind(t, there("h3", before), errs.NotFound)
	if err := there("new", before); err != nil {
		t.Errorf("a link after until is gone: %v", err)
	}
}
