package takeover_test

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"

	"stoa/internal/account"
	"stoa/internal/account/invite"
	"stoa/internal/testkit"
)

// repeats counts transactions that the engine asked to run again.
type repeats struct{ atomic.Int64 }

// counted returns fn, which counts each time but the first.
func counted[S any](r *repeats, fn func(S) error) func(S) error {
	ran := false
	return func(tx S) error {
		if ran {
			r.Add(1)
		}
		ran = true
		return fn(tx)
	}
}

type countedAccounts struct {
	account.Store

	repeats *repeats
}

func (s countedAccounts) InTx(ctx context.Context, fn func(account.Store) error) error {
	return s.Store.InTx(ctx, counted(s.repeats, fn))
}

type countedInvitations struct {
	invite.Store

	repeats *repeats
}

func (s countedInvitations) InTx(ctx context.Context, fn func(invite.Store) error) error {
	return s.Store.InTx(ctx, counted(s.repeats, fn))
}

// Whoever invites again and whoever accepts lock in one order: none of their transactions ends because each waits for
// the other.
func TestInvitingAgainDoesNotCrossWithAccepting(t *testing.T) {
	t.Parallel()

	raced(t, func(t *testing.T, w *world) {
		root := w.Admin(t, "root")
		// Own roles, which are rows that get locked, of the inviter and of what they invite to.
		w.post(t, root.Access, roles, map[string]any{
			"name": "HIRING", "permissions": []string{"staff:read", "staff:write", "orders:read", "orders:refund"},
		}, http.StatusCreated)
		for _, name := range []string{"PAYER", "READER"} {
			w.post(t, root.Access, roles, map[string]any{"name": name, "permissions": []string{"orders:read"}}, http.StatusCreated)
		}
		inviter := w.staff(t, "hirer@example.com", "hirer", "HIRING")
		var again repeats
		w.Accounts.Store = countedAccounts{w.Accounts.Store, &again}
		w.Invitations.Store = countedInvitations{w.Invitations.Store, &again}
		for i := range 12 {
			email := fmt.Sprintf("friend%d@example.com", i)
			w.register(t, email, fmt.Sprintf("early%d", i)) // nobody has proven it: it is taken over
			w.Clock.Advance(minute)
			inviter = w.Login(t, "hirer")
			id, token := w.invited(t, inviter.Access, email, "PAYER")
			w.Clock.Advance(minute)
			var wg sync.WaitGroup
			racers := []testkit.Request{
				joins(token, fmt.Sprintf("friend%d", i)), joins(token, fmt.Sprintf("other%d", i)),
				invitation(inviter.Access, email, "READER"), testkit.Delete(inviter.Access, invitations+"/"+id),
			}
			for _, req := range racers {
				wg.Go(func() {
					if res := w.Do(t, req); res.Status >= http.StatusInternalServerError {
						t.Errorf("%s %s = %d %s", req.Method, req.Path, res.Status, res.Body)
					}
				})
			}
			wg.Wait()
		}
		if n := again.Load(); n != 0 {
			t.Errorf("%d transactions ran again", n)
		}
	})
}
