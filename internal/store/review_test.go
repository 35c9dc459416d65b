package store_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/base/errs"
	"stoa/internal/data/database"
	"stoa/internal/shop/license"
	"stoa/internal/shop/product"
	"stoa/internal/shop/review"
	"stoa/internal/store"
)

func testReviews(t *testing.T, open Open) {
	t.Run("a review comes back as it was saved, with author and product", func(t *testing.T) {
		t.Parallel()

		s, r := reviews(t, open(t)), reviewOf("r", "a", "ada")
		mustSave(t, s, r)
		r.Author, r.ProductSlug = "N.ada", "a"
		for name, read := range map[string]func() (review.Review, error){
			"ReviewByID": func() (review.Review, error) { return s.ReviewByID(t.Context(), "r") },
			"ReviewBy":   func() (review.Review, error) { return s.ReviewBy(t.Context(), "prod-a", "ada") },
		} {
			got, err := read()
			if diff := cmp.Diff(got, r); err != nil || diff != "" {
				t.Errorf("%s: %v (-got +want):\n%s", name, err, diff)
			}
		}
		for _, of := range [][2]string{{"prod-b", "ada"}, {"prod-a", "bob"}} {
			_, err := s.ReviewBy(t.Context(), of[0], of[1])
			wantKind(t, err, errs.NotFound)
		}
		_, err := s.ReviewByID(t.Context(), "other")
		wantKind(t, err, errs.NotFound)
	})
	t.Run("saving again overwrites all but product, user and creation", func(t *testing.T) {
		t.Parallel()

		s := reviews(t, open(t))
		mustSave(t, s, reviewOf("r", "a", "ada"))
		next := review.Review{
			ID: "r", ProductID: "prod-b", UserID: "bob", Rating: 1, Hidden: false,
			CreatedAt: T0.Add(time.Hour), UpdatedAt: T0.Add(2 * time.Hour),
		}
		mustSave(t, s, next)
		got, err := s.ReviewByID(t.Context(), "r")
		next.ProductID, next.UserID, next.CreatedAt, next.Author, next.ProductSlug = "prod-a", "ada", T0, "N.ada", "a"
		if diff := cmp.Diff(got, next); err != nil || diff != "" {
			t.Errorf("after saving again: %v (-got +want):\n%s", err, diff)
		}
		wantKind(t, s.SaveReview(t.Context(), reviewOf("second", "a", "ada")), errs.Conflict)
	})
	t.Run("a deleted review is gone", func(t *testing.T) {
		t.Parallel()

		s := reviews(t, open(t))
		mustSave(t, s, reviewOf("r", "a", "ada"))
		if err := s.DeleteReview(t.Context(), "r"); err != nil {
			t.Fatal(err)
		}
		_, err := s.ReviewByID(t.Context(), "r")
		wantKind(t, err, errs.NotFound)
		wantKind(t, s.DeleteReview(t.Context(), "r"), errs.NotFound)
	})
	t.Run("holders of a license", func(t *testing.T) { t.Parallel(); testHoldsLicense(t, open(t)) })
	t.Run("the tally is stored, and its rating shown", func(t *testing.T) { t.Parallel(); testTally(t, open(t)) })
	t.Run("a product stays locked until the transaction ends", func(t *testing.T) {
		t.Parallel()
		testTallyLock(t, reviews(t, open(t)))
	})
	t.Run("lists", func(t *testing.T) { t.Parallel(); testReviewList(t, reviews(t, open(t))) })
	t.Run("searches and orders", func(t *testing.T) { t.Parallel(); testReviewSearch(t, reviews(t, open(t))) })
	t.Run("what fails in a transaction leaves nothing", func(t *testing.T) {
		t.Parallel()

		s, stop := reviews(t, open(t)), errors.New("stop")
		err := s.InTx(t.Context(), func(tx review.Store) error {
			return errors.Join(tx.SaveReview(t.Context(), reviewOf("r", "a", "ada")),
				tx.SetTally(t.Context(), "prod-a", review.Tally{Stars: 5, Reviews: 1}), stop)
		})
		tally, tallyErr := s.Tally(t.Context(), "prod-a")
		if !errors.Is(err, stop) || tallyErr != nil || tally.Reviews != 0 {
			t.Errorf("InTx = %v; tally %+v, %v", err, tally, tallyErr)
		}
		_, err = s.ReviewByID(t.Context(), "r")
		wantKind(t, err, errs.NotFound)
	})
}

// reviews returns a database with the products a and b and the users ada and bob.
func reviews(tb testing.TB, db *database.DB) *store.Reviews {
	tb.Helper()
	mustCreate(tb, store.NewProducts(db), Product("a"))
	mustCreate(tb, store.NewProducts(db), Product("b"))
	for _, id := range []string{"ada", "bob"} {
		mustCreateUser(tb, store.NewAccount(db), credentials(id))
	}
	return store.NewReviews(db)
}

// reviewOf returns a review with something in every field.
func reviewOf(id, slug, user string) review.Review {
	return review.Review{
		ID: id, ProductID: "prod-" + slug, UserID: user, Rating: 4, Title: "Title", Text: "Text\nof two lines", Hidden: true,
		CreatedAt: T0, UpdatedAt: T0.Add(time.Minute),
	}
}

func mustSave(tb testing.TB, s *store.Reviews, r review.Review) {
	tb.Helper()
	if err := s.SaveReview(tb.Context(), r); err != nil {
		tb.Fatal(err)
	}
}

func testHoldsLicense(t *testing.T, db *database.DB) {
	s := reviews(t, db)
	for _, tt := range []struct {
		name   string
		change func(*license.License) // to a good license of ada's
		want   bool
	}{
		{"unpaid", func(l *license.License) { l.Paid = false }, false},
		{"on trial", func(l *license.License) { l.Trial = true }, false},
		{"revoked", func(l *license.License) { l.RevokedAt = T0 }, false},
		{"another product's", func(l *license.License) { l.ProductID = "prod-b" }, false},
		{"another user's", func(l *license.License) { l.UserID = "bob" }, false},
		{"expired", func(l *license.License) { l.ExpiresAt = T0.Add(-time.Hour) }, true},
	} {
		l := License(tt.name, "a")
		l.UserID, l.RevokedAt, l.Trial = "ada", time.Time{}, false
		tt.change(&l)
		if err := store.NewOrders(db).CreateLicense(t.Context(), l); err != nil {
			t.Fatal(err)
		}
		if got, err := s.HoldsLicense(t.Context(), "prod-a", "ada"); err != nil || got != tt.want {
			t.Errorf("with a license that is %s: %v, %v; want %v", tt.name, got, err, tt.want)
		}
	}
}

func testTally(t *testing.T, db *database.DB) {
	s := reviews(t, db)
	shown := func() product.Product {
		t.Helper()
		p, err := store.NewProducts(db).ProductBySlug(t.Context(), "a")
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	want := review.Tally{RatingBase: 4.5, ReviewBase: 7}
	if got, err := s.Tally(t.Context(), "prod-a"); err != nil || got != want {
		t.Errorf("Tally = %+v, %v; want %+v", got, err, want)
	}
	before := shown()
	// SetTally uses the bases and does not change them.
	want.Stars, want.Reviews = 9, 3
	if err := s.SetTally(t.Context(), "prod-a", want); err != nil {
		t.Fatal(err)
	}
	if got, err := s.Tally(t.Context(), "prod-a"); err != nil || got != want {
		t.Errorf("Tally = %+v, %v; want %+v", got, err, want)
	}
	after := before
	after.Rating, after.ReviewCount = 4.05, 10 // (4.5 × 7 + 9) / 10
	if diff := cmp.Diff(shown(), after); diff != "" {
		t.Errorf("the product (-got +want):\n%s", diff)
	}
	next := before
	next.RatingBase, next.ReviewBase = 1, 0
	if err := store.NewProducts(db).UpdateProduct(t.Context(), next); err != nil {
		t.Fatal(err)
	}
	if p := shown(); p.Rating != 3 || p.ReviewCount != 3 {
		t.Errorf("after an update the product shows %v of %d, want 3 of 3", p.Rating, p.ReviewCount)
	}
	_, err := s.Tally(t.Context(), "nobody")
	wantKind(t, err, errs.NotFound)
	wantKind(t, s.SetTally(t.Context(), "nobody", want), errs.NotFound)
}

// testTallyLock has two transactions count one review each.
func testTallyLock(t *testing.T, s *store.Reviews) {
	read, done := make(chan struct{}), make(chan error, 1)
	count := func(before func()) error {
		return s.InTx(t.Context(), func(tx review.Store) error {
			tally, err := tx.Tally(t.Context(), "prod-a")
			if err != nil {
				return err
			}
			before()
			tally.Reviews++
			return tx.SetTally(t.Context(), "prod-a", tally)
		})
	}
	go func() {
		<-read
		done <- count(func() {})
	}()
	err := count(func() {
		close(read)
		select {
		case err := <-done:
			t.Errorf("the second transaction did not wait for the first: %v", err)
			done <- err
		case <-time.After(300 * time.Millisecond): // long enough for an answer without the lock
		}
	})
	if err := errors.Join(err, <-done); err != nil {
		t.Fatal(err)
	}
	if tally, err := s.Tally(t.Context(), "prod-a"); err != nil || tally.Reviews != 2 {
		t.Errorf("%d reviews counted, %v; want both", tally.Reviews, err)
	}
}

func testReviewList(t *testing.T, s *store.Reviews) {
	for i, r := range []review.Review{
		reviewOf("r1", "a", "ada"), reviewOf("r2", "a", "bob"), reviewOf("r4", "b", "ada"), reviewOf("r3", "b", "bob"),
	} {
		r.Hidden, r.CreatedAt = i == 1, T0.Add(time.Duration(min(i, 2))*time.Hour) // the last two at the same time
		mustSave(t, s, r)
	}
	yes, no := true, false
	for _, tt := range []struct {
		name  string
		query review.Query
		want  string
		total int
	}{
		{"all, the newest first, then by id", review.Query{}, "r3 r4 r2 r1", 4},
		{"of a product", review.Query{ProductID: "prod-a"}, "r2 r1", 2},
		{"of a product by slug", review.Query{ProductSlug: "b"}, "r3 r4", 2},
		{"of an unknown product", review.Query{ProductSlug: "c"}, "", 0},
		{"hidden", review.Query{Hidden: &yes}, "r2", 1},
		{"of a product, not hidden", review.Query{ProductID: "prod-a", Hidden: &no}, "r1", 1},
		{"a page", review.Query{Limit: 2, Offset: 1}, "r4 r2", 4},
		{"just beyond the last page", review.Query{Offset: 4}, "", 4},
	} {
		if tt.query.Limit == 0 {
			tt.query.Limit = 10
		}
		list, total, err := s.ListReviews(t.Context(), tt.query)
		var ids []string
		for _, r := range list {
			ids = append(ids, r.ID)
		}
		if got := strings.Join(ids, " "); err != nil || got != tt.want || total != tt.total {
			t.Errorf("%s: %q of %d, %v; want %q of %d", tt.name, got, total, err, tt.want, tt.total)
		}
	}
}

func testReviewSearch(t *testing.T, s *store.Reviews) {
	for i, r := range []review.Review{
		reviewOf("r1", "a", "ada"), reviewOf("r2", "a", "bob"), reviewOf("r3", "b", "ada"), reviewOf("r4", "b", "bob"),
	} {
		r.Title = []string{"Saves 100% of time", "", "Über alles", "x_y"}[i]
		r.Text = []string{"Nice", "RUDE words", "ok~", ""}[i]
		r.Rating, r.CreatedAt = 1+i%2, T0.Add(time.Duration(i/2)*time.Hour)
		mustSave(t, s, r)
	}
	for q, want := range map[string]string{
		"n.ADA": "r3 r1", "bob": "r4 r2", "rude": "r2", "WORDS": "r2", "%": "r1", "_": "r4", "~": "r3", "Über": "r3", "'": "",
		"none": "",
	} {
		list, total, err := s.ListReviews(t.Context(), review.Query{Search: q, Limit: 9})
		var ids []string
		for _, r := range list {
			ids = append(ids, r.ID)
		}
		if got := strings.Join(ids, " "); err != nil || got != want || total != len(list) {
			t.Errorf("search for %q: %q of %d, %v; want %q", q, got, total, err, want)
		}
	}
	list, total, err := s.ListReviews(t.Context(), review.Query{Search: "bob", ProductSlug: "a", Sort: "rating", Limit: 9})
	if err != nil || total != 1 || list[0].ID != "r2" {
		t.Errorf("a search in the reviews of a product: %v of %d, %v; want r2", list, total, err)
	}
	wantSorted(t, review.Sorts, 4, func(sort string, limit, offset int) (rows []sortedRow, total int, err error) {
		list, total, err := s.ListReviews(t.Context(), review.Query{Sort: sort, Limit: limit, Offset: offset})
		for _, r := range list {
			rows = append(rows, sortedRow{r.ID, map[string]any{"created": r.CreatedAt.UnixMilli(), "rating": int64(r.Rating)}})
		}
		return rows, total, err
	})
}
