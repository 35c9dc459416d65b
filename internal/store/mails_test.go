package store_test

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/account"
	"stoa/internal/message/mail"
	"stoa/internal/store"
)

func mustAddMail(t *testing.T, s account.Store, m mail.Sealed) {
	t.Helper()
	if err := s.AddMail(t.Context(), m); err != nil {
		t.Fatal(err)
	}
}

// leaseMail returns the mail that is leased, or a zero one.
func leaseMail(t *testing.T, s *store.Mails, lease string, now, until time.Time) mail.DueMail {
	t.Helper()
	d, ok, err := s.LeaseMail(t.Context(), lease, now, until)
	if err != nil || ok != (d.ID != "") {
		t.Errorf("LeaseMail at %v = %+v, %v, %v", now, d, ok, err)
	}
	return d
}

func testMails(t *testing.T, open Open) {
	t.Run("a mail is there with its transaction, until it is dropped", func(t *testing.T) {
		t.Parallel()
		testMailOfATransaction(t, open)
	})
	t.Run("a lease keeps others away until it ends, and only its holder settles", func(t *testing.T) {
		t.Parallel()
		testMailLease(t, open)
	})
	t.Run("of many callers, each gets another mail", func(t *testing.T) {
		t.Parallel()
		testMailRace(t, open)
	})
}

func testMailOfATransaction(t *testing.T, open Open) {
	db := open(t)
	accounts, s := store.NewAccount(db), store.NewMails(db)
	first := mail.Sealed{ID: "m1", Text: "one", CreatedAt: T0}
	if err := accounts.InTx(t.Context(), func(tx account.Store) error {
		mustAddMail(t, tx, mail.Sealed{ID: "m0", Text: "undone", CreatedAt: T0})
		return errors.New("undone")
	}); err == nil {
		t.Error("the transaction was committed")
	}
	mustAddMail(t, accounts, mail.Sealed{ID: "m2", Text: "two", CreatedAt: T0.Add(time.Second)})
	mustAddMail(t, accounts, first)
	if got := leaseMail(t, s, "x", T0.Add(-time.Millisecond), T0); got.ID != "" {
		t.Errorf("%+v is due too early", got)
	}
	got := leaseMail(t, s, "x", T0, T0.Add(time.Minute))
	if diff := cmp.Diff(got, mail.DueMail{Sealed: first, Attempts: 1}); diff != "" {
		t.Errorf("leased (-got +want):\n%s", diff)
	}
	if got := leaseMail(t, s, "y", T0.Add(time.Second), T0.Add(time.Hour)); got.ID != "m2" {
		t.Errorf("leased %+v, want m2", got)
	}
	for _, id := range []string{"m1", "m2"} {
		if err := s.DropMail(t.Context(), id, map[string]string{"m1": "x", "m2": "y"}[id]); err != nil {
			t.Error(err)
		}
	}
	if got := leaseMail(t, s, "z", T0.Add(24*time.Hour), T0.Add(25*time.Hour)); got.ID != "" {
		t.Errorf("%+v is still there", got)
	}
}

func testMailLease(t *testing.T, open Open) {
	db := open(t)
	s := store.NewMails(db)
	mustAddMail(t, store.NewAccount(db), mail.Sealed{ID: "m1", Text: "one", CreatedAt: T0})
	until := T0.Add(time.Minute)
	leaseMail(t, s, "first", T0, until)
	if got := leaseMail(t, s, "second", until.Add(-time.Millisecond), until); got.ID != "" {
		t.Error("leased twice at once")
	}
	if got := leaseMail(t, s, "second", until, until.Add(time.Minute)); got.ID != "m1" || got.Attempts != 2 {
		t.Errorf("after the lease: %+v, want m1 for the second time", got)
	}
	// The first one was not dead: what it says now does not count.
	if err := s.DropMail(t.Context(), "m1", "first"); err != nil {
		t.Error(err)
	}
	if err := s.PostponeMail(t.Context(), "m1", "first", T0); err != nil {
		t.Error(err)
	}
	if got := leaseMail(t, s, "third", until, until); got.ID != "" {
		t.Errorf("another's lease was ended: %+v", got)
	}
	later := until.Add(time.Hour)
	if err := s.PostponeMail(t.Context(), "m1", "second", later); err != nil {
		t.Error(err)
	}
	if got := leaseMail(t, s, "third", later.Add(-time.Millisecond), later); got.ID != "" {
		t.Errorf("postponed, and due at once: %+v", got)
	}
	if got := leaseMail(t, s, "third", later, later); got.ID != "m1" || got.Attempts != 3 {
		t.Errorf("postponed, then %+v, want m1 for the third time", got)
	}
}

func testMailRace(t *testing.T, open Open) {
	db := open(t)
	s := store.NewMails(db)
	const n = 20
	var want []string
	for i := range n {
		want = append(want, fmt.Sprintf("m%02d", i))
		mustAddMail(t, store.NewAccount(db), mail.Sealed{ID: want[i], Text: "x", CreatedAt: T0})
	}
	var (
		wg  sync.WaitGroup
		mu  sync.Mutex
		got []string
	)
	for i := range 4 {
		wg.Go(func() {
			for {
				d, ok, err := s.LeaseMail(t.Context(), fmt.Sprint(i), T0, T0.Add(time.Hour))
				if err != nil {
					t.Error(err)
				}
				if !ok {
					break
				}
				mu.Lock()
				got = append(got, d.ID)
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	// Whoever finds only locked mails stops early: what is left is found the next time.
	for d := leaseMail(t, s, "rest", T0, T0.Add(time.Hour)); d.ID != ""; d = leaseMail(t, s, "rest", T0, T0.Add(time.Hour)) {
		got = append(got, d.ID)
	}
	slices.Sort(got)
	if diff := cmp.Diff(got, want); diff != "" {
		t.Errorf("leased (-got +want):\n%s", diff)
	}
}
