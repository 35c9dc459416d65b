package takeover_test

import (
	"context"
	"fmt"
	"net/http"
	"testing"

	"stoa/internal/account"
	"stoa/internal/base/errs"
	"stoa/internal/store"
	"stoa/internal/testkit"
)

// seen is what a user sees of who was there, and how many mails were sent.
func (w *world) seen(t *testing.T, bearer string) string {
	t.Helper()
	sessions, _ := w.Do(t, testkit.Get(bearer, "/auth/sessions")).Get(t, "data.items").([]any)
	return fmt.Sprint(len(sessions), w.happened(t, bearer, ""), len(w.read(t)))
}

// proofOf has whoever came back from a provider prove the mailbox of an account to link the two. It was asked for.
func (b *traveler) proofOf(t *testing.T, mailbox string) testkit.Response {
	t.Helper()
	return b.post(t, proveFlow, map[string]any{"code": b.w.code(t, mailbox)})
}

// T96: a session is made at the end, never before: of a link that is refused nothing stays.
func TestALinkThatIsRefusedOpensNothing(t *testing.T) {
	t.Parallel()

	attack(t, func(t *testing.T, w *world) {
		owner := w.settled(t, victims, "victim")
		o := w.provider(t, "op", nil)
		(&traveler{w: w, bearer: owner.Access}).links(t, o, "op", "first")
		o.Change(func() { o.Person = person("second", victims) })
		b := &traveler{w: w}
		res := b.through(t, o, "op", "sign-in", map[string]any{"link": true})
		testkit.WantError(t, res, http.StatusConflict, "LINK_REQUIRED")
		before := w.seen(t, owner.Access)
		testkit.WantError(t, b.proofOf(t, victims), http.StatusConflict, "IDENTITY_TAKEN")
		if after := w.seen(t, owner.Access); after != before {
			t.Errorf("a refused link leaves %s, before it was %s", after, before)
		}
		testkit.WantError(t, b.post(t, completeFlow, nobody), http.StatusBadRequest, "FLOW_INVALID")
	})
}

// One account too many is refused before anything is done, and the way goes on.
func TestALinkTooManyOpensNothingAndGoesOn(t *testing.T) {
	t.Parallel()

	attack(t, func(t *testing.T, w *world) {
		owner := w.settled(t, victims, "victim")
		o := w.provider(t, "op", nil)
		for i := range 10 {
			err := store.NewAccount(w.DB).CreateIdentity(t.Context(), account.Identity{
				ID: fmt.Sprint("i", i), UserID: owner.UserID, ProviderID: fmt.Sprint("p", i),
				Issuer: fmt.Sprint("https://", i, ".example"), Subject: "s", CreatedAt: w.Clock.Now(),
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		o.Change(func() { o.Person = person("eleventh", victims) })
		b := &traveler{w: w}
		res := b.through(t, o, "op", "sign-in", map[string]any{"link": true})
		testkit.WantError(t, res, http.StatusConflict, "LINK_REQUIRED")
		before := w.seen(t, owner.Access)
		testkit.WantError(t, b.proofOf(t, victims), http.StatusConflict, "TOO_MANY")
		if after := w.seen(t, owner.Access); after != before {
			t.Errorf("a refused link leaves %s, before it was %s", after, before)
		}
		w.remove(t, owner.Access, "/auth/identities/i0", http.StatusOK)
		in := testkit.TokensOf(t, b.post(t, completeFlow, map[string]any{"link": true}), http.StatusOK)
		if in.UserID != owner.UserID {
			t.Error("another account")
		}
	})
}

// What is linked while the second step of another link is due is not overruled by it.
func TestASecondStepLinksNothingThatIsTaken(t *testing.T) {
	t.Parallel()

	attack(t, func(t *testing.T, w *world) {
		owner := w.settled(t, victims, "victim")
		app := w.withApp(t, owner.Access)
		o := w.provider(t, "op", nil)
		o.Change(func() { o.Person = person("second", victims) })
		b := &traveler{w: w}
		res := b.through(t, o, "op", "sign-in", map[string]any{"link": true})
		testkit.WantError(t, res, http.StatusConflict, "LINK_REQUIRED")
		due := b.proofOf(t, victims)
		testkit.WantError(t, due, http.StatusUnauthorized, "SECOND_FACTOR_REQUIRED")
		(&traveler{w: w, bearer: owner.Access}).links(t, o, "op", "first")
		before := w.seen(t, owner.Access)
		second := step(detailsOf(t, due, "challenge"), "totp", w.later(app))
		testkit.WantError(t, w.Do(t, second), http.StatusConflict, "IDENTITY_TAKEN")
		if after := w.seen(t, owner.Access); after != before {
			t.Errorf("a refused link leaves %s, before it was %s", after, before)
		}
		w.refused(t, w.Do(t, second), -1)
		testkit.WantError(t, b.post(t, completeFlow, nobody), http.StatusBadRequest, "FLOW_INVALID")
	})
}

// lateStore does not see identities that another transaction is about to link.
type lateStore struct{ account.Store }

func (s lateStore) InTx(ctx context.Context, fn func(account.Store) error) error {
	return s.Store.InTx(ctx, func(tx account.Store) error { return fn(lateStore{tx}) })
}

func (lateStore) IdentityWith(context.Context, string, string) (account.Identity, error) {
	return account.Identity{}, errs.New(errs.NotFound, "NOT_FOUND", "Not yet.")
}

// Of two accounts that are made at once for one identity, the second is not there without any way in.
func TestNoAccountIsMadeForAnIdentityThatIsTaken(t *testing.T) {
	t.Parallel()

	raced(t, func(t *testing.T, w *world) {
		o := w.provider(t, "op", nil)
		(&traveler{w: w}).honest(t, o, "ada", victims, "ada")
		o.Change(func() { o.Person = person("ada", attackers) })
		b := &traveler{w: w}
		b.visit(t, o, "op", "sign-in")
		w.Accounts.Store = lateStore{w.Accounts.Store}
		form := map[string]string{"username": "second"}
		testkit.WantError(t, b.post(t, completeFlow, form), http.StatusConflict, "IDENTITY_TAKEN")
		testkit.WantError(t, b.post(t, completeFlow, form), http.StatusBadRequest, "FLOW_INVALID")
		w.register(t, attackers, "second") // both are free
	})
}

// Whatever became of a provider, who unlinks an account there ends the sessions that began with it, and no others.
func TestUnlinkingEndsSessionsWhateverBecameOfTheProvider(t *testing.T) {
	t.Parallel()

	for name, change := range map[string]func(t *testing.T, o *elsewhere){
		"nothing": func(*testing.T, *elsewhere) {},
		"deleted": func(t *testing.T, o *elsewhere) {
			o.w.remove(t, o.w.admin.Access, "/api/v1/admin/identity-providers/op", http.StatusOK)
		},
		"renamed": func(t *testing.T, o *elsewhere) {
			o.w.remove(t, o.w.admin.Access, "/api/v1/admin/identity-providers/op", http.StatusOK)
			o.put(t, "renamed", nil)
		},
		"of another issuer": func(t *testing.T, o *elsewhere) {
			o.put(t, "op", func(form map[string]any) { form["issuer"] = "https://another.example" })
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			attack(t, func(t *testing.T, w *world) {
				owner := w.proven(t, victims, "victim")
				o, own := w.provider(t, "op", nil), w.provider(t, "own", nil)
				b := &traveler{w: w, bearer: owner.Access}
				b.links(t, own, "own", "victim")
				o.Change(func() { o.Person = person("victim", victims) })
				linked := b.through(t, o, "op", "link", nobody).Text(t, "data.linked")
				before := testkit.TokensOf(t, (&traveler{w: w}).through(t, o, "op", "sign-in", nobody), http.StatusOK)
				mine := testkit.TokensOf(t, (&traveler{w: w}).through(t, o, "op", "sign-in", nobody), http.StatusOK)
				other := testkit.TokensOf(t, (&traveler{w: w}).through(t, own, "own", "sign-in", nobody), http.StatusOK)
				change(t, o)
				w.remove(t, mine.Access, "/auth/identities/"+linked, http.StatusOK)
				w.dies(t, "a session that began with it", before)
				w.dies(t, "the session at hand, which began with it", mine)
				w.account(t, owner.Access)
				w.account(t, other.Access)
			})
		})
	}
}
