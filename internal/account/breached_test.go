package account_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"stoa/internal/account"
	"stoa/internal/account/breached"
	"stoa/internal/testkit/clocktest"
	"stoa/internal/testkit/dbtest"
)

// counted is a Store that counts transactions.
type counted struct {
	account.Store

	transactions int
}

// InTx implements account.Store.
func (c *counted) InTx(ctx context.Context, fn func(account.Store) error) error {
	c.transactions++
	return c.Store.InTx(ctx, fn)
}

// InShortTx implements account.Store.
func (c *counted) InShortTx(ctx context.Context, fn func(account.Store) error) error {
	c.transactions++
	return c.Store.InShortTx(ctx, fn)
}

// listOf returns a list of breached passwords.
func listOf(t *testing.T, words ...string) *breached.List {
	t.Helper()
	f, err := os.Create(filepath.Join(t.TempDir(), "list"))
	if err != nil {
		t.Fatal(err)
	}
	_, err = breached.Build(f, breached.Words(words))
	if err := errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
	c, err := breached.Open(f.Name())
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// Looking a password up costs a sign-in no statement, but for the one sign-in that finds it.
func TestASignInPaysForABreachedPasswordOnce(t *testing.T) {
	t.Parallel()

	dbtest.OnBoth(t, func(t *testing.T, url string) {
		s := service(t, url, clocktest.New(t0))
		mustRegister(t, s, "ada")
		store := &counted{Store: s.Store}
		s.Store = store
		for i, step := range []struct {
			list *breached.List
			want int
		}{
			{nil, 1},
			{listOf(t, "another password"), 1},
			{listOf(t, secret), 2},
			{listOf(t, secret), 1},
			{nil, 1},
			{listOf(t, "another password"), 2}, // the flag goes
			{listOf(t, "another password"), 1},
		} {
			s.Breached, store.transactions = step.list, 0
			mustLogin(t, s, "ada")
			if store.transactions != step.want {
				t.Errorf("sign-in %d: %d transactions, want %d", i, store.transactions, step.want)
			}
		}
	})
}
