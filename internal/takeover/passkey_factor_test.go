package takeover_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"stoa/internal/account/passkey"
	"stoa/internal/app"
	"stoa/internal/testkit"
	"stoa/internal/testkit/passkeytest"
)

// A passkey signs in alone, and the password no longer does.
func TestAPasskeyIsWorthTwoFactorsAndThePasswordOne(t *testing.T) {
	t.Parallel()

	onKeys(t, func(t *testing.T, w *world) {
		owner := w.proven(t, victims, "ada")
		thief := w.signIn(t, victims, testkit.Password) // with the password, before
		key, _ := w.withKey(t, owner.Access)
		w.dies(t, "a session with one factor", thief)
		if got := w.level(t, owner.Access); got != "2[pwd pky]" {
			t.Errorf("the session at hand is %s", got)
		}
		second, _ := w.withKey(t, owner.Access) // the first goes on, and nothing ends
		if got := w.level(t, owner.Access); got != "2[pwd pky]" {
			t.Errorf("the session at hand is %s", got)
		}
		signedIn := w.byKey(t, second)
		if got := w.level(t, signedIn.Access); got != "2[pky]" {
			t.Errorf("a session of a passkey is %s", got)
		}
		refreshed := testkit.TokensOf(t, w.Do(t, testkit.Refresh(signedIn.Refresh)), http.StatusOK)
		if got := w.level(t, refreshed.Access); got != "2[pky]" {
			t.Errorf("the refreshed session is %s", got)
		}
		res := w.Do(t, testkit.SignIn(victims, testkit.Password))
		testkit.WantError(t, res, http.StatusUnauthorized, "SECOND_FACTOR_REQUIRED")
		if got := detailsOf(t, res, "methods"); got != "[passkey]" {
			t.Errorf("methods %s", got)
		}
		challenge := res.Text(t, "error.details.challenge")
		w.refused(t, w.Do(t, step(challenge, "totp", "123456")), 4)
		w.refused(t, w.Do(t, step(challenge, "recovery", "0123-4567-89AB-CDEF-GHJK-MNPQ")), 3)
		body := map[string]string{"challenge": challenge}
		forged := key.Get(w.ask(t, "", stepAsk, body), func(a *passkeytest.Answer) { a.Flags &^= passkeytest.Verified })
		w.refused(t, w.Do(t, byStep(challenge, forged)), 2)
		w.refused(t, w.Do(t, byStep(challenge, map[string]any{})), 1)
		both := testkit.TokensOf(t, w.Do(t, byStep(challenge, key.Get(w.ask(t, "", stepAsk, body)))), http.StatusOK)
		if got := w.level(t, both.Access); got != "2[pwd pky]" {
			t.Errorf("a session of both is %s", got)
		}
		w.refused(t, w.Do(t, testkit.Post("", stepAsk, body)), -1) // the challenge is met
		challenge = w.passwordStep(t, victims, testkit.Password)
		for range 5 {
			w.Do(t, byStep(challenge, map[string]any{}))
		}
		w.refused(t, w.Do(t, testkit.Post("", stepAsk, map[string]string{"challenge": challenge})), -1)
	})
}

// A passkey as the second step dies with what its first step stands on.
func TestASecondStepByPasskeyDiesWithThePassword(t *testing.T) {
	t.Parallel()

	onKeys(t, func(t *testing.T, w *world) {
		owner := w.proven(t, victims, "ada")
		key, _ := w.withKey(t, owner.Access)
		challenge := w.passwordStep(t, victims, testkit.Password)
		asked := w.ask(t, "", stepAsk, map[string]string{"challenge": challenge})
		w.reset(t, victims)
		w.refused(t, w.Do(t, byStep(challenge, key.Get(asked))), -1)
		w.passwordStep(t, victims, chosen) // a reset keeps the passkey
		w.byKey(t, key)
	})
}

// The attacker has a session of a while ago, and the password.
func TestAStolenSessionAddsAndRemovesNoPasskey(t *testing.T) {
	t.Parallel()

	onKeys(t, func(t *testing.T, w *world) {
		stolen := w.proven(t, victims, "ada")
		w.Clock.Advance(10*minute + time.Second)
		for _, path := range []string{keys, keys + "/options"} {
			testkit.WantError(t, w.Do(t, testkit.Post(stolen.Access, path, "[")), http.StatusForbidden, "REAUTHENTICATION_REQUIRED")
		}
		w.post(t, stolen.Access, "/auth/reauthenticate", map[string]string{"password": testkit.Password}, http.StatusOK)
		key, id := w.withKey(t, stolen.Access)
		w.Clock.Advance(10*minute + time.Second)
		for _, req := range []testkit.Request{
			testkit.Post(stolen.Access, keys+"/options", nil), testkit.Post(stolen.Access, keys, nil),
			testkit.Delete(stolen.Access, keys+"/"+id), testkit.Delete(stolen.Access, "/auth/second-factor"),
			testkit.Post(stolen.Access, "/auth/recovery-codes", nil), testkit.Post(stolen.Access, "/auth/totp", nil),
			change(stolen.Access, attackers),
		} {
			res := w.Do(t, req)
			testkit.WantError(t, res, http.StatusForbidden, "REAUTHENTICATION_REQUIRED")
			if got := detailsOf(t, res, "methods"); got != "[passkey]" {
				t.Errorf("methods %s", got)
			}
		}
		failed := func(what string, body any) {
			t.Helper()
			res := w.Do(t, testkit.Post(stolen.Access, "/auth/reauthenticate", body))
			if res.Status != http.StatusUnauthorized || res.Text(t, "error.code") != "REAUTHENTICATION_FAILED" {
				t.Errorf("%s: %d %s", what, res.Status, res.Body)
			}
		}
		failed("the password", map[string]string{"password": testkit.Password})
		failed("nothing", proof(map[string]any{}))
		failed("a code", map[string]string{"code": "123456"})
		other := w.signIn2(t, key)
		failed("what another session was asked", proof(key.Get(w.ask(t, other.Access, againAsk, nil))))
		forged := key.Get(w.ask(t, stolen.Access, againAsk, nil), func(a *passkeytest.Answer) { a.Origin = "https://evil.example" })
		failed("a forged proof", proof(forged))
		both := proof(key.Get(w.ask(t, stolen.Access, againAsk, nil)))
		w.post(t, stolen.Access, "/auth/reauthenticate", both, http.StatusOK)
		failed("a proof again", both)
		both["password"] = testkit.Password
		testkit.WantError(t, w.Do(t, testkit.Post(stolen.Access, "/auth/reauthenticate", both)), http.StatusBadRequest, "VALIDATION_ERROR")
		w.remove(t, stolen.Access, keys+"/"+id, http.StatusOK)
		testkit.WantError(t, w.Do(t, testkit.Post(stolen.Access, againAsk, nil)), http.StatusNotFound, "NOT_FOUND")
	})
}

// signIn2 signs in with a passkey as the second step.
func (w *world) signIn2(t *testing.T, key *passkeytest.Passkey) testkit.Tokens {
	t.Helper()
	challenge := w.passwordStep(t, victims, testkit.Password)
	asked := w.ask(t, "", stepAsk, map[string]string{"challenge": challenge})
	return testkit.TokensOf(t, w.Do(t, byStep(challenge, key.Get(asked))), http.StatusOK)
}

// A passkey was stolen, or its device: removing it ends what was opened with it.
func TestSessionsEndWithTheirPasskey(t *testing.T) {
	t.Parallel()

	onKeys(t, func(t *testing.T, w *world) {
		owner := w.proven(t, victims, "ada")
		lost, id := w.withKey(t, owner.Access)
		kept, keptID := w.withKey(t, owner.Access)
		w.post(t, owner.Access, "/auth/recovery-codes", nil, http.StatusCreated)
		alone, second, other := w.byKey(t, lost), w.signIn2(t, lost), w.byKey(t, kept)
		pending := w.passwordStep(t, victims, testkit.Password)
		asked := w.ask(t, "", stepAsk, map[string]string{"challenge": pending})
		signIn := w.ask(t, "", keyOptions, nil)
		w.remove(t, owner.Access, keys+"/"+id, http.StatusOK)
		w.dies(t, "signed in with it", alone)
		w.dies(t, "signed in with it and the password", second)
		w.noKey(t, "the removed passkey", lost.Get(signIn))
		w.refused(t, w.Do(t, byStep(pending, lost.Get(asked))), -1)
		w.refused(t, w.Do(t, byStep(pending, kept.Get(asked))), -1)
		// The session at hand began with the password, and has that left.
		if got := w.level(t, owner.Access) + w.level(t, other.Access); got != "1[pwd]2[pky]" {
			t.Errorf("sessions are %s", got)
		}
		if left := w.account(t, other.Access).Get(t, "data.secondFactor.recoveryCodesLeft"); left != 8.0 {
			t.Errorf("%v recovery codes beside a passkey", left)
		}
		testkit.WantError(t, w.Do(t, testkit.Delete(owner.Access, keys+"/"+keptID)), http.StatusForbidden, "REAUTHENTICATION_REQUIRED")

		// The last one takes the codes along, and ends even the session at hand, which has nothing else.
		w.remove(t, other.Access, keys+"/"+keptID, http.StatusOK)
		w.dies(t, "the session at hand", other)
		back := w.signIn(t, victims, testkit.Password)
		if got := fmt.Sprint(w.account(t, back.Access).Get(t, "data.secondFactor")); got != "map[advised:false available:true passkeys:0 recoveryCodesLeft:0 required:false totp:false]" {
			t.Errorf("second factor %s", got)
		}
	})
}

// Codes of an app and passkeys stand beside one another.
func TestAppAndPasskeysAreRemovedEachForItself(t *testing.T) {
	t.Parallel()

	onKeys(t, func(t *testing.T, w *world) {
		owner := w.proven(t, victims, "ada")
		p := w.withApp(t, owner.Access)
		key, id := w.withKey(t, owner.Access)
		res := w.Do(t, testkit.SignIn(victims, testkit.Password))
		if got := detailsOf(t, res, "methods"); got != "[passkey totp recovery]" {
			t.Errorf("methods %s", got)
		}
		w.remove(t, owner.Access, keys+"/"+id, http.StatusOK)
		w.both(t, victims, testkit.Password, "recovery", p.recovery[0])
		id = w.add(t, owner.Access, key)
		w.remove(t, owner.Access, "/auth/totp", http.StatusOK)
		// Recovery codes stand in for the passkey.
		w.both(t, victims, testkit.Password, "recovery", p.recovery[1])
		w.refused(t, w.Do(t, step(w.passwordStep(t, victims, testkit.Password), "totp", w.later(p))), 4)
		other := w.signIn2(t, key)
		w.withApp(t, other.Access)
		if got := w.level(t, other.Access); got != "2[pwd pky otp]" {
			t.Errorf("a session of all is %s", got)
		}
		w.remove(t, other.Access, keys+"/"+id, http.StatusOK)
		if got := w.level(t, other.Access); got != "2[pwd otp]" {
			t.Errorf("without the passkey it is %s", got)
		}
		w.add(t, other.Access, key)
		signedIn := w.byKey(t, key)
		w.remove(t, signedIn.Access, "/auth/second-factor", http.StatusOK)
		w.dies(t, "the session of the passkey", signedIn)
		w.noKey(t, "after all were removed", key.Get(w.ask(t, "", keyOptions, nil)))
		w.signIn(t, victims, testkit.Password)
	})
}

// A thief of a session and its password adds a passkey of their own, and lets themselves in with it.
func TestAThiefsPasskeyIsUndoneFromTheMailbox(t *testing.T) {
	t.Parallel()

	onKeys(t, func(t *testing.T, w *world) {
		w.proven(t, victims, "ada")
		thief := w.signIn(t, victims, testkit.Password)
		key, _ := w.withKey(t, thief.Access)
		link := w.mustMail(t, victims, "not-me")
		w.withApp(t, thief.Access) // codes come with it
		app := w.mustMail(t, victims, "not-me")
		codes := w.post(t, thief.Access, "/auth/recovery-codes", nil, http.StatusCreated).Get(t, "data.recoveryCodes").([]any)
		w.remove(t, thief.Access, "/auth/totp", http.StatusOK) // this does not void the other link
		w.dead(t, "", notMe, app)
		w.Clock.Advance(time.Millisecond)
		w.withApp(t, thief.Access)
		w.dead(t, "", notMe, app) // nor for another one
		w.remove(t, thief.Access, "/auth/totp", http.StatusOK)
		inside := w.byKey(t, key)
		w.Clock.Advance(72*time.Hour - time.Second)
		w.works(t, "", notMe, link)
		w.dead(t, "", notMe, link)
		w.dies(t, "the thief's session", inside)
		w.noKey(t, "the thief's passkey", key.Get(w.ask(t, "", keyOptions, nil)))
		w.reset(t, victims)
		owner := w.signIn(t, victims, chosen)

		// With another factor of the owner's, codes that the thief made go too; those from before stay.
		p := w.withApp(t, owner.Access)
		w.Clock.Advance(minute)
		key, _ = w.withKey(t, owner.Access)
		link = w.mustMail(t, victims, "not-me")
		w.works(t, "", notMe, link)
		challenge := w.passwordStep(t, victims, chosen)
		w.refused(t, w.Do(t, step(challenge, "recovery", codes[0].(string))), 4)
		res := w.Do(t, testkit.SignIn(victims, chosen))
		if got := detailsOf(t, res, "methods"); got != "[totp recovery]" {
			t.Errorf("methods %s", got)
		}
		w.noKey(t, "the other passkey", key.Get(w.ask(t, "", keyOptions, nil)))
		thief = w.both(t, victims, chosen, "totp", w.later(p))
		w.withKey(t, thief.Access)
		w.post(t, thief.Access, "/auth/recovery-codes", nil, http.StatusCreated)
		w.works(t, "", notMe, w.mustMail(t, victims, "not-me"))
		if got := detailsOf(t, w.Do(t, testkit.SignIn(victims, chosen)), "methods"); got != "[totp]" {
			t.Errorf("methods %s", got)
		}
	})
}

// Nobody is locked out by a change of their own.
func TestTheLastPasskeyOfAnAccountWithoutPasswordStays(t *testing.T) {
	t.Parallel()

	onKeys(t, func(t *testing.T, w *world) {
		owner := w.proven(t, victims, "ada")
		key, first := w.withKey(t, owner.Access)
		w.Clock.Advance(minute)
		back := w.moved(t, owner.Access, victims, attackers)
		w.works(t, "", revert, back) // the password is gone, the passkey from before stays
		signedIn := w.byKey(t, key)
		if w.account(t, signedIn.Access).Get(t, "data.hasPassword") != false {
			t.Fatal("it has a password")
		}
		w.lastWay(t, signedIn.Access, keys+"/"+first)
		w.lastWay(t, signedIn.Access, "/auth/second-factor")
		second, id := w.withKey(t, signedIn.Access)
		w.lastWay(t, signedIn.Access, keys+"/"+first) // one device is easily lost
		_, third := w.withKey(t, signedIn.Access)
		w.remove(t, signedIn.Access, keys+"/"+third, http.StatusOK) // two are left
		w.post(t, signedIn.Access, "/auth/recovery-codes", nil, http.StatusCreated)
		w.remove(t, signedIn.Access, keys+"/"+first, http.StatusOK)
		signedIn = w.byKey(t, second)
		w.lastWay(t, signedIn.Access, keys+"/"+id)
		w.lastWay(t, signedIn.Access, "/auth/second-factor")
		w.byKey(t, second)
	})
}

// There are at most twenty.
func TestAUserHasTwentyPasskeysAtMost(t *testing.T) {
	t.Parallel()

	onKeys(t, func(t *testing.T, w *world) {
		owner := w.proven(t, victims, "ada")
		here, elsewhere := w.Accounts.Passkeys, &passkey.Party{ID: "shop.example.com", Origins: []string{keyOrigin}}
		w.Accounts.Passkeys = elsewhere
		other := newKey().Create(w.ask(t, owner.Access, keys+"/options", nil))
		w.Accounts.Passkeys = here
		var asked passkeytest.Options
		for range 20 {
			if asked = w.ask(t, owner.Access, keys+"/options", nil); asked.Challenge == "" {
				t.Fatal("no challenge")
			}
			w.post(t, owner.Access, keys, named(newKey().Create(w.ask(t, owner.Access, keys+"/options", nil))), http.StatusCreated)
		}
		for _, req := range []testkit.Request{
			testkit.Post(owner.Access, keys+"/options", nil), testkit.Post(owner.Access, keys, named(newKey().Create(asked))),
		} {
			testkit.WantError(t, w.Do(t, req), http.StatusConflict, "TOO_MANY")
		}
		w.Accounts.Passkeys = elsewhere // those for another name count
		testkit.WantError(t, w.Do(t, testkit.Post(owner.Access, keys, named(other))), http.StatusConflict, "TOO_MANY")
		if n := w.listed(t, owner.Access); n != 20 {
			t.Errorf("%d passkeys", n)
		}
	})
}

// A copy of a passkey shows by its counter; its owner signs in, and hears of it. Nobody changes a passkey unseen.
func TestChangesAndCopiesOfPasskeysAreToldAndRecorded(t *testing.T) {
	t.Parallel()

	var log buffer
	w := &world{App: testkit.New(t, withKeys, func(_ testing.TB, cfg *app.Config) {
		cfg.Log = slog.New(slog.NewTextHandler(&log, nil))
	})}
	owner := w.proven(t, victims, "ada")
	w.Clock.Advance(minute)
	w.moved(t, owner.Access, victims, "ada@example.org") // victims is the former address for 7 days
	w.read(t)
	w.mails = nil
	key := newKey()
	key.Counter = 7
	id := w.add(t, owner.Access, key)
	w.byKey(t, key)
	if bytes.Contains(log.bytes(), []byte("counter")) {
		t.Error("a counter that rose is told")
	}
	key.Counter = 3
	w.byKey(t, key)
	if !bytes.Contains(log.bytes(), []byte("level=WARN msg=\"the counter of a passkey did not rise")) {
		t.Errorf("the log has %s", log.bytes())
	}
	key.Counter = 0
	w.byKey(t, key)
	item := w.Do(t, testkit.Get(owner.Access, keys)).Get(t, "data.items").([]any)[0].(map[string]any)
	if got := fmt.Sprint(item["name"], item["backedUp"], item["transports"], item["lastUsedAt"]); got != "Phonefalse [internal hybrid]2030-03-01T12:01:00.000Z" {
		t.Errorf("shown as %s", got)
	}
	w.remove(t, owner.Access, keys+"/"+id, http.StatusOK)
	got := map[string][]string{}
	for _, m := range w.read(t) {
		got[m.To] = append(got[m.To], m.Subject)
		slices.Sort(got[m.To])
		if m.To == victims && strings.Contains(m.Text, "#") || strings.Contains(m.Text, "Phone") {
			t.Errorf("a mail says\n%s", m.Text)
		}
	}
	if want := "[A passkey was added A passkey was removed]"; fmt.Sprint(got[victims]) != want {
		t.Errorf("the former address was told %q", got[victims])
	}
	if want := "[A passkey may have been copied A passkey was added A passkey was removed]"; fmt.Sprint(got["ada@example.org"]) != want {
		t.Errorf("the user was told %q", got["ada@example.org"])
	}
	admin := w.Admin(t, "root")
	text := string(w.Do(t, testkit.Get(admin.Access, "/api/v1/admin/audit?limit=100")).Body)
	for _, action := range []string{"user.add_passkey", "user.remove_passkey"} {
		if strings.Count(text, `"`+action+`"`) != 1 {
			t.Errorf("%s is not in the audit log once", action)
		}
	}
}

// A page keeps the refresh token where its scripts do not reach, as at a sign-in with a password.
func TestASignInByPasskeyKeepsTheRefreshTokenInTheCookie(t *testing.T) {
	t.Parallel()

	onKeys(t, func(t *testing.T, w *world) {
		owner := w.proven(t, victims, "ada")
		key, _ := w.withKey(t, owner.Access)
		req := testkit.Post("", keySignIn, proof(key.Get(w.ask(t, "", keyOptions, nil))))
		req.Header = http.Header{"X-Refresh-Token": {"cookie"}, "Origin": {"https://evil.example"}}
		testkit.WantError(t, w.Do(t, req), http.StatusForbidden, "FORBIDDEN")
		req.Header.Set("Origin", w.URL)
		res := w.Do(t, req)
		cookies := (&http.Response{Header: res.Header}).Cookies()
		if len(cookies) != 2 || cookies[0].Name != "stoa-refresh" || cookies[1].Name != "stoa-device" || res.Text(t, "data.refresh_token") != "" {
			t.Errorf("answer %d with %v", res.Status, cookies)
		}
		if res.Header.Get("Cache-Control") != "no-store" {
			t.Error("the answer is kept")
		}
	})
}

// At an address for which browsers make no passkeys, nothing offers them, and who has one is still asked for it.
func TestPasskeysOfAnotherAddressStayFactors(t *testing.T) {
	t.Parallel()

	testkit.OnEnginesOfRun(t, func(t *testing.T, options ...testkit.Option) {
		w := &world{App: testkit.New(t, append(options, withKeys)...)}
		methods := func() any { return w.Do(t, testkit.Get("", "/auth/methods")).Get(t, "data.passkey") }
		owner := w.proven(t, victims, "ada")
		key, _ := w.withKey(t, owner.Access)
		if methods() != true {
			t.Error("passkeys are not offered")
		}
		w.Accounts.Passkeys = nil
		if methods() != false {
			t.Error("passkeys are offered")
		}
		testkit.WantError(t, w.Do(t, testkit.Post("", keyOptions, nil)), http.StatusNotFound, "NOT_FOUND")
		testkit.WantError(t, w.Do(t, testkit.Post("", keySignIn, proof(map[string]any{}))), http.StatusNotFound, "NOT_FOUND")
		for _, path := range []string{keys + "/options", againAsk} {
			testkit.WantError(t, w.Do(t, testkit.Post(owner.Access, path, nil)), http.StatusNotFound, "NOT_FOUND")
		}
		testkit.WantError(t, w.Do(t, testkit.Post(owner.Access, keys, named(map[string]any{}))), http.StatusNotFound, "NOT_FOUND")
		res := w.Do(t, testkit.SignIn(victims, testkit.Password))
		testkit.WantError(t, res, http.StatusUnauthorized, "SECOND_FACTOR_REQUIRED")
		challenge := res.Text(t, "error.details.challenge")
		if got := detailsOf(t, res, "methods"); got != "[]" {
			t.Errorf("methods %s", got)
		}
		w.refused(t, w.Do(t, byStep(challenge, map[string]any{})), 4)
		w.refused(t, w.Do(t, testkit.Post("", stepAsk, map[string]string{"challenge": challenge})), -1)

		// Another name: browsers would not find those that there are.
		w.Accounts.Passkeys = &passkey.Party{ID: "shop.example.com", Origins: []string{keyOrigin}}
		w.refused(t, w.Do(t, testkit.Post("", stepAsk, map[string]string{"challenge": challenge})), -1)
		w.noKey(t, "made for another name", key.Get(w.ask(t, "", keyOptions, nil), func(a *passkeytest.Answer) { a.RPID = keyParty }))
	})
}

// Somebody who says that the devices are lost, and somebody who still has one.
func TestAPlannedRemovalTakesPasskeysAndEndsWithASignInByOne(t *testing.T) {
	t.Parallel()

	onKeys(t, func(t *testing.T, w *world) {
		owner := w.proven(t, victims, "ada")
		key, _ := w.withKey(t, owner.Access)
		at := w.planned(t, w.Admin(t, "root").Access, owner.UserID)
		w.byKey(t, key) // it is not lost
		w.until(at)
		w.passwordStep(t, victims, testkit.Password)
		at = w.planned(t, w.Admin(t, "boss").Access, owner.UserID)
		w.until(at)
		back := w.signIn(t, victims, testkit.Password)
		if n := w.listed(t, back.Access); n != 0 {
			t.Errorf("%d passkeys", n)
		}
		w.noKey(t, "after the removal", key.Get(w.ask(t, "", keyOptions, nil)))
	})
}
