package takeover_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"stoa/internal/testkit"
	"stoa/internal/testkit/passkeytest"
)

type lie = func(*passkeytest.Answer)

// The attacker reads a proof on its way, or has one for something else.
func TestAChallengeOfAPasskeyWorksOnceInTimeAndForItsCeremony(t *testing.T) {
	t.Parallel()

	onKeys(t, func(t *testing.T, w *world) {
		owner := w.proven(t, victims, "ada")
		key := newKey()
		made := key.Create(w.ask(t, owner.Access, keys+"/options", nil))
		w.post(t, owner.Access, keys, named(made), http.StatusCreated)
		w.notAdded(t, "a registration again", owner.Access, made)

		used := key.Get(w.ask(t, "", keyOptions, nil))
		w.post(t, "", keySignIn, proof(used), http.StatusOK)
		w.noKey(t, "a proof again", used)
		failed := w.ask(t, "", keyOptions, nil)
		w.noKey(t, "a forged proof", key.Get(failed, func(a *passkeytest.Answer) { a.Origin = "https://evil.example" }))
		w.noKey(t, "a proof after a forged one", key.Get(failed))
		w.noKey(t, "a challenge that was never given", key.Get(passkeytest.Options{Challenge: strings.Repeat("A", 43), RPID: keyParty}))

		// For something else.
		challenge := w.passwordStep(t, victims, testkit.Password)
		body := map[string]string{"challenge": challenge}
		w.noKey(t, "a proof for a second step", key.Get(w.ask(t, "", stepAsk, body)))
		w.noKey(t, "a proof to be there", key.Get(w.ask(t, owner.Access, againAsk, nil)))
		create := w.ask(t, owner.Access, keys+"/options", nil)
		create.RPID = create.Party.ID
		w.noKey(t, "an answer for a new passkey", key.Get(create))
		w.refused(t, w.Do(t, byStep(challenge, key.Get(w.ask(t, "", keyOptions, nil)))), 4)
		w.refused(t, w.Do(t, byStep(challenge, key.Get(w.ask(t, owner.Access, againAsk, nil)))), 3)
		other := map[string]string{"challenge": w.passwordStep(t, victims, testkit.Password)}
		w.refused(t, w.Do(t, byStep(challenge, key.Get(w.ask(t, "", stepAsk, other)))), 2)
		for _, asked := range []passkeytest.Options{w.ask(t, "", keyOptions, nil), w.ask(t, "", stepAsk, body), create} {
			testkit.WantError(t, w.Do(t, testkit.Post(owner.Access, "/auth/reauthenticate", proof(key.Get(asked)))),
				http.StatusUnauthorized, "REAUTHENTICATION_FAILED")
		}
		signIn := w.ask(t, "", keyOptions, nil)
		signIn.Party.ID = keyParty
		w.notAdded(t, "the challenge of a sign-in", owner.Access, newKey().Create(signIn))

		// In time.
		inTime, late := w.ask(t, "", keyOptions, nil), w.ask(t, "", keyOptions, nil)
		lateKey := newKey().Create(w.ask(t, owner.Access, keys+"/options", nil))
		w.Clock.Advance(5*minute - time.Millisecond)
		w.post(t, "", keySignIn, proof(key.Get(inTime)), http.StatusOK)
		w.Clock.Advance(time.Millisecond)
		w.noKey(t, "a late proof", key.Get(late))
		w.notAdded(t, "a late registration", owner.Access, lateKey)
		if n := w.listed(t, owner.Access); n != 1 {
			t.Errorf("%d passkeys", n)
		}
	})
}

// The same proof at the same time, from several places.
func TestOfManySignInsWithOneProofOneWins(t *testing.T) {
	t.Parallel()

	racedKeys(t, func(t *testing.T, w *world) {
		owner := w.proven(t, victims, "ada")
		key, _ := w.withKey(t, owner.Access)
		for range 4 {
			credential := key.Get(w.ask(t, "", keyOptions, nil))
			var wins atomic.Int32
			var wg sync.WaitGroup
			for range 4 {
				wg.Go(func() {
					if res := w.Do(t, testkit.Post("", keySignIn, proof(credential))); res.Status == http.StatusOK {
						wins.Add(1)
					}
				})
			}
			wg.Wait()
			if wins.Load() != 1 {
				t.Errorf("%d signed in", wins.Load())
			}
		}
	})
}

// The attacker has the victim answer what the attacker was asked.
func TestAPasskeyIsAddedWhereItWasAskedForOnly(t *testing.T) {
	t.Parallel()

	onKeys(t, func(t *testing.T, w *world) {
		owner, mallory := w.proven(t, victims, "ada"), w.proven(t, attackers, "mallory")
		elsewhere := w.signIn(t, victims, testkit.Password)
		w.notAdded(t, "begun by somebody else", mallory.Access, newKey().Create(w.ask(t, owner.Access, keys+"/options", nil)))
		w.notAdded(t, "begun in another session", elsewhere.Access, newKey().Create(w.ask(t, owner.Access, keys+"/options", nil)))

		// And nobody uses up what another was asked.
		made := newKey().Create(w.ask(t, owner.Access, keys+"/options", nil))
		w.notAdded(t, "somebody else's", mallory.Access, made)
		w.post(t, owner.Access, keys, named(made), http.StatusCreated)
		if w.listed(t, mallory.Access) != 0 || w.listed(t, owner.Access) != 1 {
			t.Error("a passkey is where it was not asked for")
		}
	})
}

// The credential's id says whose passkey it is, and the handle must agree.
func TestTheHandleOfAPasskeyIsItsUsers(t *testing.T) {
	t.Parallel()

	onKeys(t, func(t *testing.T, w *world) {
		owner, mallory := w.proven(t, victims, "ada"), w.proven(t, attackers, "mallory")
		key, _ := w.withKey(t, owner.Access)
		theirs, _ := w.withKey(t, mallory.Access)
		if len(key.Handle) != 64 || string(key.Handle) == string(theirs.Handle) {
			t.Fatalf("handles %x, %x", key.Handle, theirs.Handle)
		}
		handle := func(h []byte) lie { return func(a *passkeytest.Answer) { a.Handle = h } }
		for what, h := range map[string][]byte{"another's": theirs.Handle, "none": nil, "empty": {}, "made up": []byte("x")} {
			w.noKey(t, "a handle: "+what, key.Get(w.ask(t, "", keyOptions, nil), handle(h)))
		}
		// A passkey that says to be the victim's, by id or by handle.
		w.noKey(t, "the victim's id", theirs.Get(w.ask(t, "", keyOptions, nil), func(a *passkeytest.Answer) { a.ID = key.ID }))
		w.noKey(t, "the victim's handle", theirs.Get(w.ask(t, "", keyOptions, nil), handle(key.Handle)))
		if got := w.byKey(t, theirs); got.UserID != mallory.UserID {
			t.Error("the passkey is of another user")
		}

		// In a second step the password said who it is: the handle may lack, and not differ.
		challenge := w.passwordStep(t, victims, testkit.Password)
		body := map[string]string{"challenge": challenge}
		w.refused(t, w.Do(t, byStep(challenge, key.Get(w.ask(t, "", stepAsk, body), handle(theirs.Handle)))), 4)
		w.refused(t, w.Do(t, byStep(challenge, theirs.Get(w.ask(t, "", stepAsk, body)))), 3)
		w.refused(t, w.Do(t, byStep(challenge, theirs.Get(w.ask(t, "", stepAsk, body), handle(nil)))), 2)
		got := testkit.TokensOf(t, w.Do(t, byStep(challenge, key.Get(w.ask(t, "", stepAsk, body), handle(nil)))), http.StatusOK)
		if got.UserID != owner.UserID || w.level(t, got.Access) != "2[pwd pky]" {
			t.Errorf("signed in as %s, %s", got.UserID, w.level(t, got.Access))
		}
	})
}

// The attacker registers a passkey under the id of the victim's.
func TestAPasskeyThatSomebodyHasIsNotAddedAgain(t *testing.T) {
	t.Parallel()

	onKeys(t, func(t *testing.T, w *world) {
		owner, mallory := w.proven(t, victims, "ada"), w.proven(t, attackers, "mallory")
		key, _ := w.withKey(t, owner.Access)
		thief := newKey()
		thief.ID = key.ID
		for _, who := range []testkit.Tokens{mallory, owner} {
			res := w.Do(t, testkit.Post(who.Access, keys, named(thief.Create(w.ask(t, who.Access, keys+"/options", nil)))))
			testkit.WantError(t, res, http.StatusConflict, "PASSKEY_KNOWN")
		}
		if w.listed(t, mallory.Access) != 0 || w.mailed(t, attackers, "not-me") != "" || w.level(t, mallory.Access) != "1[pwd]" {
			t.Error("something is stored")
		}
		w.signIn(t, attackers, testkit.Password)
		if got := w.byKey(t, key); got.UserID != owner.UserID {
			t.Error("the passkey signs somebody else in")
		}
	})
}

// What pages of other sites, and authenticators that do not ask their user, could send. Package account/passkey has
// the whole list.
func TestForgedPasskeysSignNobodyInAndAreNotAdded(t *testing.T) {
	t.Parallel()

	onKeys(t, func(t *testing.T, w *world) {
		owner := w.proven(t, victims, "ada")
		key, _ := w.withKey(t, owner.Access)
		for what, lie := range map[string]lie{
			"another origin":           func(a *passkeytest.Answer) { a.Origin = "https://evil.example" },
			"a sibling":                func(a *passkeytest.Answer) { a.Origin = "https://blog.example.com" },
			"inside of another page":   func(a *passkeytest.Answer) { a.CrossOrigin = true },
			"a foreign top":            func(a *passkeytest.Answer) { a.CrossOrigin, a.TopOrigin = true, "https://evil.example" },
			"another party":            func(a *passkeytest.Answer) { a.RPID = "evil.example" },
			"nobody was verified":      func(a *passkeytest.Answer) { a.Flags &^= passkeytest.Verified },
			"nobody was there":         func(a *passkeytest.Answer) { a.Flags &^= passkeytest.Present },
			"another type":             func(a *passkeytest.Answer) { a.Type = "payment.get" },
			"synchronized, impossibly": func(a *passkeytest.Answer) { a.Flags |= passkeytest.BackedUp },
		} {
			w.noKey(t, what, key.Get(w.ask(t, "", keyOptions, nil), lie))
			w.Clock.Advance(10 * minute)
			w.post(t, owner.Access, "/auth/reauthenticate", proof(key.Get(w.ask(t, owner.Access, againAsk, nil))), http.StatusOK)
			w.notAdded(t, what, owner.Access, newKey().Create(w.ask(t, owner.Access, keys+"/options", nil), lie))
		}
		w.noKey(t, "synchronized all of a sudden", key.Get(w.ask(t, "", keyOptions, nil), func(a *passkeytest.Answer) {
			a.Flags |= passkeytest.Eligible
		}))
		w.noKey(t, "another key", key.WithKey(newKey().Signer()).Get(w.ask(t, "", keyOptions, nil)))
		other := passkeytest.New(passkeytest.ES384, keyOrigin)
		w.notAdded(t, "an algorithm that is not offered", owner.Access, other.Create(w.ask(t, owner.Access, keys+"/options", nil)))
		w.byKey(t, key)
	})
}

// Whoever lists or removes passkeys must be their user.
func TestPasskeysOfOthersAreNotThere(t *testing.T) {
	t.Parallel()

	onKeys(t, func(t *testing.T, w *world) {
		owner, mallory := w.proven(t, victims, "ada"), w.proven(t, attackers, "mallory")
		key, id := w.withKey(t, owner.Access)
		if n := w.listed(t, mallory.Access); n != 0 {
			t.Errorf("%d passkeys", n)
		}
		rename := map[string]string{"name": "Mine"}
		for _, of := range []string{id, "nobody"} {
			none := w.remove(t, mallory.Access, keys+"/"+of, http.StatusNotFound)
			renamed := w.Do(t, testkit.Patch(mallory.Access, keys+"/"+of, rename))
			if renamed.Status != http.StatusNotFound || string(none.Body) != string(renamed.Body) {
				t.Errorf("PATCH = %d %s, DELETE %s", renamed.Status, renamed.Body, none.Body)
			}
		}
		if list := w.Do(t, testkit.Get(owner.Access, keys)); !strings.Contains(string(list.Body), `"name":"Phone"`) {
			t.Errorf("somebody else has renamed it: %s", list.Body)
		}
		res := w.Do(t, testkit.Patch(owner.Access, keys+"/"+id, rename))
		if res.Status != http.StatusOK || res.Text(t, "data.name") != "Mine" {
			t.Errorf("PATCH = %d %s", res.Status, res.Body)
		}
		for _, name := range []string{"", "  ", "a\nb", strings.Repeat("x", 65)} {
			testkit.WantError(t, w.Do(t, testkit.Patch(owner.Access, keys+"/"+id, map[string]string{"name": name})),
				http.StatusBadRequest, "VALIDATION_ERROR")
		}
		w.byKey(t, key)
	})
}

// Who asks with an address learns nothing of its passkeys.
func TestIdsOfPasskeysAreToldAfterThePasswordOnly(t *testing.T) {
	t.Parallel()

	onKeys(t, func(t *testing.T, w *world) {
		owner := w.proven(t, victims, "ada")
		key, _ := w.withKey(t, owner.Access)
		for _, body := range []any{nil, "{}", map[string]string{"email": victims}, map[string]string{"email": attackers}} {
			res := w.DoUnchecked(t, testkit.Post("", keyOptions, body))
			if res.Status == http.StatusOK && (strings.Contains(string(res.Body), "allowCredentials") || len(res.Body) > 250) {
				t.Errorf("%v: %s", body, res.Body)
			}
		}
		for _, challenge := range []string{"stoa_ch_" + strings.Repeat("A", 43), owner.Access, "x"} {
			w.refused(t, w.Do(t, testkit.Post("", stepAsk, map[string]string{"challenge": challenge})), -1)
		}
		testkit.WantError(t, w.Do(t, testkit.SignIn(victims, "a wrong password")), http.StatusUnauthorized, "LOGIN_FAILED")
		asked := w.ask(t, "", stepAsk, map[string]string{"challenge": w.passwordStep(t, victims, testkit.Password)})
		if len(asked.Allow) != 1 || asked.Allow[0].ID != passkeytest.Text(key.ID) {
			t.Errorf("allowed %v", asked.Allow)
		}

		// Nor does the challenge of somebody without passkeys tell more than a wrong one.
		mallory := w.proven(t, attackers, "mallory")
		w.withApp(t, mallory.Access)
		w.refused(t, w.Do(t, testkit.Post("", stepAsk, map[string]string{"challenge": w.passwordStep(t, attackers, testkit.Password)})), -1)
	})
}

// An account that somebody else may have made gets no passkey, and one that was shut opens with none.
func TestAPasskeyOfAnUnprovenOrInactiveAccountOpensNothing(t *testing.T) {
	t.Parallel()

	onKeys(t, func(t *testing.T, w *world) {
		held := w.register(t, victims, "mallory")
		testkit.WantError(t, w.Do(t, testkit.Post(held.Access, keys+"/options", nil)), http.StatusForbidden, "EMAIL_UNVERIFIED")
		testkit.WantError(t, w.Do(t, testkit.Post(held.Access, keys, named(map[string]any{}))), http.StatusForbidden, "EMAIL_UNVERIFIED")
		w.Accounts.NoMail = true // nobody can prove anything
		made := newKey().Create(w.ask(t, held.Access, keys+"/options", nil))
		key, _ := w.withKey(t, held.Access)
		w.Accounts.NoMail = false
		testkit.WantError(t, w.Do(t, testkit.Post(held.Access, keys, named(made))), http.StatusForbidden, "EMAIL_UNVERIFIED")
		kept := w.byKey(t, key)
		asked := w.ask(t, "", keyOptions, nil)
		w.reset(t, victims) // the mailbox is proven from outside: whoever had the account before loses it
		w.dies(t, "a session of the passkey", kept)
		w.noKey(t, "after reclaim", key.Get(asked))
		owner := w.signIn(t, victims, chosen)
		if n := w.listed(t, owner.Access); n != 0 {
			t.Errorf("%d passkeys after reclaim", n)
		}

		mine, _ := w.withKey(t, owner.Access)
		admin := w.Admin(t, "root")
		active := func(is bool) {
			t.Helper()
			res := w.Do(t, testkit.Patch(admin.Access, "/api/v1/admin/users/"+owner.UserID, map[string]bool{"active": is}))
			if res.Status != http.StatusOK {
				t.Fatalf("PATCH = %d %s", res.Status, res.Body)
			}
		}
		active(false)
		w.noKey(t, "of an inactive user", mine.Get(w.ask(t, "", keyOptions, nil)))
		active(true)
		if got := fmt.Sprint(w.level(t, w.byKey(t, mine).Access)); got != "2[pky]" {
			t.Errorf("the session is %s", got)
		}
	})
}
