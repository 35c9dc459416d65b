package takeover_test

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"stoa/internal/testkit"
	"stoa/internal/testkit/idptest"
)

func TestPeopleSignInWithAnAccountElsewhere(t *testing.T) {
	t.Parallel()
	attack(t, func(t *testing.T, w *world) {
		o := w.provider(t, "op", nil)
		ada := &traveler{w: w}
		first := ada.honest(t, o, "ada", victims, "ada")
		overview := w.account(t, first.Access)
		if overview.Get(t, "data.emailVerified") != true || overview.Get(t, "data.hasPassword") != false {
			t.Errorf("account = %s", overview.Body)
		}
		again := testkit.TokensOf(t, ada.through(t, o, "op", "sign-in", nobody), http.StatusOK)
		if again.UserID != first.UserID {
			t.Error("another account the second time")
		}
		// Whatever the provider says of the address now, it is the same person.
		o.Change(func() { o.Person = person("ada", "new@example.org") })
		again = testkit.TokensOf(t, ada.through(t, o, "op", "sign-in", nobody), http.StatusOK)
		if again.UserID != first.UserID || w.account(t, again.Access).Text(t, "data.user.email") != victims {
			t.Error("the provider's new address changed something")
		}
	})
}

// T77, T78: an address counts only if the provider says that it is verified, and is trusted with that.
func TestAnAddressThatTheProviderDoesNotVouchForNamesNobody(t *testing.T) {
	t.Parallel()
	attack(t, func(t *testing.T, w *world) {
		owner := w.settled(t, victims, "victim")
		o := w.provider(t, "op", nil)
		for name, claims := range map[string]idptest.Claims{
			"unverified": {"sub": "evil", "email": victims, "email_verified": false},
			"unsaid":     {"sub": "evil", "email": victims},
			"as a text":  {"sub": "evil", "email": victims, "email_verified": "true"},
		} {
			o.Change(func() { o.Person = claims })
			res := (&traveler{w: w}).through(t, o, "op", "sign-in", map[string]any{"username": "evil", "link": true})
			testkit.WantError(t, res, http.StatusForbidden, "EMAIL_PROOF_REQUIRED")
			if res.Get(t, "error.details.suggested") != nil {
				t.Errorf("%s: suggested", name)
			}
		}
		o.put(t, "op", func(form map[string]any) { form["verifiesAddresses"] = false })
		o.Change(func() { o.Person = person("evil", victims) })
		b := &traveler{w: w}
		testkit.WantError(t, b.through(t, o, "op", "sign-in", map[string]any{"username": "evil", "link": true}), http.StatusForbidden, "EMAIL_PROOF_REQUIRED")
		// The mailbox is asked, and the attacker does not read it.
		testkit.WantError(t, b.post(t, completeFlow, map[string]any{"email": victims}), http.StatusForbidden, "EMAIL_PROOF_REQUIRED")
		for range 6 {
			testkit.WantError(t, b.post(t, proveFlow, map[string]any{"code": "0000-0000"}), http.StatusBadRequest, "INVALID_CODE")
		}
		testkit.WantError(t, b.post(t, proveFlow, map[string]any{"code": w.code(t, victims)}), http.StatusBadRequest, "INVALID_CODE")
		w.account(t, owner.Access)
	})
}

// flowRE finds the name of a flow in an answer.
var flowRE = regexp.MustCompile(`"flow":"[^"]+"`)

// Asking for a code answers the same whether the address has an account.
func TestAskingForACodeTellsNothingOfTheAddress(t *testing.T) {
	t.Parallel()
	attack(t, func(t *testing.T, w *world) {
		w.settled(t, victims, "victim")
		o := w.provider(t, "op", func(form map[string]any) { form["verifiesAddresses"] = false })
		o.Change(func() { o.Person = person("evil", attackers) })
		answer := func(address string) string {
			b := &traveler{w: w}
			b.visit(t, o, "op", "sign-in")
			return flowRE.ReplaceAllString(string(b.post(t, completeFlow, map[string]any{"email": address}).Body), "")
		}
		if known, unknown := answer(victims), answer("nobody@example.org"); known != unknown {
			t.Errorf("%s\n%s", known, unknown)
		}
	})
}

// T1, T6: an address that the provider vouches for does not join two accounts by itself.
func TestAnAccountIsNeverJoinedByItsAddress(t *testing.T) {
	t.Parallel()
	attack(t, func(t *testing.T, w *world) {
		owner := w.settled(t, victims, "victim")
		o := w.provider(t, "op", nil)
		o.Change(func() { o.Person = person("who", "VICTIM@example.com") })
		b := &traveler{w: w}
		res := b.through(t, o, "op", "sign-in", map[string]any{"username": "evil"})
		testkit.WantError(t, res, http.StatusConflict, "LINK_REQUIRED")
		res = b.post(t, completeFlow, map[string]any{"link": true})
		testkit.WantError(t, res, http.StatusConflict, "LINK_REQUIRED")
		if res.Get(t, "error.details.sent") != true {
			t.Errorf("no code was sent: %s", res.Body)
		}
		testkit.WantError(t, b.post(t, proveFlow, map[string]any{"code": "0000-0000"}), http.StatusBadRequest, "INVALID_CODE")
		// Whoever reads the mailbox links the two, typing as people do.
		code := strings.ToLower(strings.ReplaceAll(w.code(t, victims), "-", " "))
		in := testkit.TokensOf(t, b.post(t, proveFlow, map[string]any{"code": code}), http.StatusOK)
		if in.UserID != owner.UserID {
			t.Error("another account")
		}
		testkit.TokensOf(t, (&traveler{w: w}).through(t, o, "op", "sign-in", nobody), http.StatusOK)
		w.signIn(t, victims, testkit.Password) // the owner's password stays: the account was theirs
	})
}

// T1, T5: who proves the mailbox of an unproven account finds nothing of whoever made it.
func TestLinkingAnUnprovenAccountReclaimsIt(t *testing.T) {
	t.Parallel()
	attack(t, func(t *testing.T, w *world) {
		squatter := w.register(t, victims, "squatter")
		o := w.provider(t, "op", nil)
		o.Change(func() { o.Person = person("owner", victims) })
		b := &traveler{w: w}
		testkit.WantError(t, b.through(t, o, "op", "sign-in", nobody), http.StatusConflict, "LINK_REQUIRED")
		testkit.WantError(t, b.post(t, completeFlow, map[string]any{"link": true}), http.StatusConflict, "LINK_REQUIRED")
		w.shutOutNot(t, squatter)
		if w.code(t, victims) == "" { // the mailbox had the mail of the registration a moment ago
			w.Clock.Advance(time.Minute)
			testkit.WantError(t, b.post(t, completeFlow, map[string]any{"link": true}), http.StatusConflict, "LINK_REQUIRED")
		}
		in := testkit.TokensOf(t, b.post(t, proveFlow, map[string]any{"code": w.code(t, victims)}), http.StatusOK)
		w.shutOut(t, squatter, victims, testkit.Password)
		if res := w.account(t, in.Access); res.Get(t, "data.hasPassword") != false || res.Get(t, "data.emailVerified") != true {
			t.Errorf("account = %s", res.Body)
		}
	})
}

func (w *world) shutOutNot(t *testing.T, tokens testkit.Tokens) {
	t.Helper()
	if res := w.Do(t, testkit.Me(tokens.Access)); res.Status != http.StatusOK {
		t.Errorf("a session ended before the mailbox was proven: %d", res.Status)
	}
}

// The mailbox is no second factor.
func TestLinkingByMailboxAsksForTheSecondFactor(t *testing.T) {
	t.Parallel()
	attack(t, func(t *testing.T, w *world) {
		owner := w.settled(t, victims, "victim")
		app := w.withApp(t, owner.Access)
		o := w.provider(t, "op", nil)
		o.Change(func() { o.Person = person("owner", victims) })
		b := &traveler{w: w}
		testkit.WantError(t, b.through(t, o, "op", "sign-in", map[string]any{"link": true}), http.StatusConflict, "LINK_REQUIRED")
		res := b.post(t, proveFlow, map[string]any{"code": w.code(t, victims)})
		testkit.WantError(t, res, http.StatusUnauthorized, "SECOND_FACTOR_REQUIRED")
		if list := w.Do(t, testkit.Get(owner.Access, "/auth/identities")); strings.Contains(string(list.Body), "Example") {
			t.Errorf("linked before the second step: %s", list.Body)
		}
		step := map[string]string{"challenge": res.Text(t, "error.details.challenge"), "method": "totp", "code": app.wrong(w.Clock.Now())}
		testkit.WantError(t, w.Send(t, secondStep, step), http.StatusUnauthorized, "SECOND_FACTOR_FAILED")
		step["code"] = w.later(app)
		in := testkit.TokensOf(t, w.Send(t, secondStep, step), http.StatusOK)
		if in.UserID != owner.UserID {
			t.Error("another account")
		}
		// The way is over, and the two are linked: the second factor is asked for at each sign-in.
		testkit.WantError(t, b.post(t, completeFlow, nobody), http.StatusBadRequest, "FLOW_INVALID")
		testkit.WantError(t, (&traveler{w: w}).through(t, o, "op", "sign-in", nobody), http.StatusUnauthorized, "SECOND_FACTOR_REQUIRED")
	})
}

// T80, T81: the same subject elsewhere, or the same address with another subject, is somebody else.
func TestAnIdentityIsTheIssuerAndTheSubject(t *testing.T) {
	t.Parallel()
	attack(t, func(t *testing.T, w *world) {
		o, other := w.provider(t, "op", nil), w.provider(t, "other", nil)
		first := (&traveler{w: w}).honest(t, o, "same", victims, "ada")
		other.Change(func() { other.Person = person("same", "another@example.org") })
		b := &traveler{w: w}
		testkit.WantError(t, b.through(t, other, "other", "sign-in", nobody), http.StatusBadRequest, "USERNAME_REQUIRED")
		second := testkit.TokensOf(t, b.post(t, completeFlow, map[string]string{"username": "bob"}), http.StatusOK)
		if second.UserID == first.UserID {
			t.Error("the subject alone names somebody")
		}
		o.Change(func() { o.Person = person("successor", victims) })
		testkit.WantError(t, (&traveler{w: w}).through(t, o, "op", "sign-in", nobody), http.StatusConflict, "LINK_REQUIRED")
	})
}

// T82, T92: what comes back belongs to the browser in which it began.
func TestWhatComesBackBelongsToTheBrowserThatLeft(t *testing.T) {
	t.Parallel()
	attack(t, func(t *testing.T, w *world) {
		o := w.provider(t, "op", nil)
		o.Change(func() { o.Person = person("evil", attackers) })
		evil := &traveler{w: w}
		back := o.Arrive(t, evil.leave(t, "op", "sign-in"))
		invalid := "/sign-in/continue?failed=FLOW_INVALID"
		victim := &traveler{w: w}
		if to := victim.arrive(t, back); to != invalid {
			t.Errorf("without a cookie: %s", to)
		}
		victim.leave(t, "op", "sign-in")
		if to := victim.arrive(t, back); to != invalid {
			t.Errorf("with the cookie of another way: %s", to)
		}
		testkit.WantError(t, victim.post(t, completeFlow, nobody), http.StatusBadRequest, "FLOW_INVALID")
		// A page of another site cannot have it completed.
		evil.arrive(t, back)
		req := testkit.Post("", completeFlow, map[string]string{"username": "evil"})
		req.Header = http.Header{"Origin": {"https://evil.example"}, "Cookie": {"stoa-flow=" + evil.flow}}
		testkit.WantError(t, w.Do(t, req), http.StatusForbidden, "FORBIDDEN")
		req.Header.Del("Origin")
		testkit.WantError(t, w.Do(t, req), http.StatusForbidden, "FORBIDDEN")
		// Two cookies of the name, of which a neighboring name may have set one, count as none.
		req.Header.Set("Origin", w.URL)
		req.Header.Set("Cookie", flowName+"="+evil.flow+"; stoa-flow=tossed")
		testkit.WantError(t, w.Do(t, req), http.StatusBadRequest, "FLOW_INVALID")
	})
}

// T83: the callback of an attacker links nothing in the session of the victim.
func TestALinkBelongsToTheSessionThatBeganIt(t *testing.T) {
	t.Parallel()
	attack(t, func(t *testing.T, w *world) {
		victim, evil := w.proven(t, victims, "victim"), w.proven(t, attackers, "evil")
		o := w.provider(t, "op", nil)
		o.Change(func() { o.Person = person("evil", attackers) })
		b := &traveler{w: w, bearer: evil.Access}
		b.visit(t, o, "op", "link")
		b.bearer = victim.Access
		testkit.WantError(t, b.post(t, completeFlow, nobody), http.StatusBadRequest, "FLOW_INVALID")
		b.bearer = w.signIn(t, attackers, testkit.Password).Access // another session of the same user
		testkit.WantError(t, b.post(t, completeFlow, nobody), http.StatusBadRequest, "FLOW_INVALID")
		b.bearer = ""
		testkit.WantError(t, b.post(t, completeFlow, nobody), http.StatusBadRequest, "FLOW_INVALID")
		b.bearer = evil.Access
		if res := b.post(t, completeFlow, nobody); res.Status != http.StatusOK || res.Text(t, "data.linked") == "" {
			t.Errorf("= %d %s", res.Status, res.Body)
		}
	})
}

// T84: the answer of one provider is not redeemed at another.
func TestAnAnswerIsRedeemedAtItsProviderOnly(t *testing.T) {
	t.Parallel()
	attack(t, func(t *testing.T, w *world) {
		o, evil := w.provider(t, "op", nil), w.provider(t, "evil", nil)
		b := &traveler{w: w}
		back := evil.Arrive(t, b.leave(t, "evil", "sign-in"))
		back.Path = "/auth/oidc/op/callback"
		if to := b.arrive(t, back); to != "/sign-in/continue?failed=FLOW_INVALID" {
			t.Errorf("sent to %s", to)
		}
		if o.Calls("/token") != 0 {
			t.Error("the honest provider was asked to redeem a code")
		}
		o.Change(func() { o.Answer = func(q url.Values) { q.Set("iss", evil.URL) } })
		if to := b.arrive(t, o.Arrive(t, b.leave(t, "op", "sign-in"))); to != "/sign-in/continue?failed=PROVIDER_REFUSED" {
			t.Errorf("sent to %s", to)
		}
	})
}

// T85: a callback, a completion and a code work once.
func TestEachStepOfTheWayWorksOnce(t *testing.T) {
	t.Parallel()
	attack(t, func(t *testing.T, w *world) {
		o := w.provider(t, "op", nil)
		o.Change(func() { o.Person = person("ada", victims) })
		b := &traveler{w: w}
		back := o.Arrive(t, b.leave(t, "op", "sign-in"))
		b.arrive(t, back)
		if to := b.arrive(t, back); to != "/sign-in/continue?failed=FLOW_INVALID" {
			t.Errorf("the second callback: %s", to)
		}
		cookie := b.flow
		testkit.TokensOf(t, b.post(t, completeFlow, map[string]string{"username": "ada"}), http.StatusOK)
		b.flow = cookie
		testkit.WantError(t, b.post(t, completeFlow, nobody), http.StatusBadRequest, "FLOW_INVALID")
		b.visit(t, o, "op", "sign-in")
		w.Clock.Advance(10 * time.Minute)
		testkit.WantError(t, b.post(t, completeFlow, nobody), http.StatusBadRequest, "FLOW_INVALID")
	})
}

func TestOneOfManyCompletionsSignsIn(t *testing.T) {
	t.Parallel()
	raced(t, func(t *testing.T, w *world) {
		o := w.provider(t, "op", nil)
		o.Change(func() { o.Person = person("ada", victims) })
		b := &traveler{w: w}
		b.visit(t, o, "op", "sign-in")
		results := make(chan int)
		for range 8 {
			go func() {
				results <- (&traveler{w: w, flow: b.flow}).post(t, completeFlow, map[string]string{"username": "ada"}).Status
			}()
		}
		in := 0
		for range 8 {
			if <-results == http.StatusOK {
				in++
			}
		}
		if in != 1 {
			t.Errorf("%d of 8 signed in", in)
		}
	})
}

// T88: what a provider may do is asked at the start and at the end.
func TestWhatAProviderMayDoIsAskedAtTheEndToo(t *testing.T) {
	t.Parallel()
	attack(t, func(t *testing.T, w *world) {
		o := w.provider(t, "op", nil)
		o.Change(func() { o.Person = person("ada", victims) })
		b := &traveler{w: w}
		b.visit(t, o, "op", "sign-in")
		o.put(t, "op", func(form map[string]any) { form["enabled"] = false })
		testkit.WantError(t, b.post(t, completeFlow, map[string]string{"username": "ada"}), http.StatusBadRequest, "FLOW_INVALID")
		testkit.WantError(t, b.post(t, "/auth/oidc/op/start", map[string]string{"mode": "sign-in"}), http.StatusNotFound, "NOT_FOUND")
		if res := w.Fetch(t, "/auth/methods"); strings.Contains(string(res.Body), "Example") {
			t.Errorf("methods = %s", res.Body)
		}
		o.put(t, "op", func(form map[string]any) { form["enabled"], form["signUp"] = true, false })
		testkit.WantError(t, b.through(t, o, "op", "sign-in", map[string]string{"username": "ada"}), http.StatusForbidden, "SIGN_UP_CLOSED")
		testkit.WantError(t, b.post(t, completeFlow, map[string]string{"username": "ada"}), http.StatusBadRequest, "FLOW_INVALID")
		o.put(t, "op", func(form map[string]any) { form["signUp"], form["allowedDomains"] = true, []string{"corp.example"} })
		if to := b.arrive(t, o.Arrive(t, b.leave(t, "op", "sign-in"))); to != "/sign-in/continue?failed=PROVIDER_REFUSED" {
			t.Errorf("an address of another domain: %s", to)
		}
	})
}

func TestStaffComeInOnlyThroughAProviderForStaff(t *testing.T) {
	t.Parallel()
	attack(t, func(t *testing.T, w *world) {
		o := w.provider(t, "op", nil)
		email := w.account(t, w.admin.Access).Text(t, "data.user.email")
		o.Change(func() { o.Person = person("boss", email) })
		b := &traveler{w: w}
		res := b.through(t, o, "op", "sign-in", nobody)
		testkit.WantError(t, res, http.StatusConflict, "LINK_REQUIRED")
		if ways, _ := res.Get(t, "error.details.ways").([]any); len(ways) != 1 || ways[0] != "sign-in" {
			t.Errorf("ways = %v", ways)
		}
		testkit.WantError(t, b.post(t, completeFlow, map[string]any{"link": true}), http.StatusForbidden, "STAFF_METHOD")
		if code := w.code(t, email); code != "" {
			t.Error("a code was mailed to staff")
		}
		// Somebody who becomes staff later does not come in that way, either.
		user := (&traveler{w: w}).honest(t, o, "ada", victims, "ada")
		res = w.Do(t, testkit.Patch(w.admin.Access, "/api/v1/admin/users/"+user.UserID, map[string]string{"role": "ADMIN"}))
		if res.Status != http.StatusOK {
			t.Fatalf("PATCH = %d %s", res.Status, res.Body)
		}
		testkit.WantError(t, (&traveler{w: w}).through(t, o, "op", "sign-in", nobody), http.StatusForbidden, "STAFF_METHOD")
		o.put(t, "op", func(form map[string]any) { form["staff"] = true })
		testkit.TokensOf(t, (&traveler{w: w}).through(t, o, "op", "sign-in", nobody), http.StatusOK)
	})
}

// T89: whatever is asked for, the way back ends at a page of stoa's own.
func TestTheWayBackEndsAtOwnPages(t *testing.T) {
	t.Parallel()
	attack(t, func(t *testing.T, w *world) {
		o := w.provider(t, "op", nil)
		for to, want := range map[string]string{
			"/licenses": "/licenses", "/account?x=1#y": "/account?x=1#y", "": "/", "//evil.example": "/", "/\\evil.example": "/",
			"/\t/evil.example": "/", "https://evil.example": "/", "javascript:alert(1)": "/", "/%2f%2fevil.example": "/",
			"/orders/..//evil.example": "/", "/auth/oidc/op/callback": "/", "/orders/%2e%2e/x": "/", "evil": "/", "/@evil.example": "/",
			"/" + strings.Repeat("p", 512): "/",
		} {
			b := &traveler{w: w}
			res := b.post(t, "/auth/oidc/op/start", map[string]string{"mode": "sign-in", "returnTo": to})
			got := b.arrive(t, o.Arrive(t, res.Text(t, "data.url")))
			if got != "/sign-in/continue?to="+url.QueryEscape(want) {
				t.Errorf("%q leads to %s", to, got)
			}
			w.Clock.Advance(time.Minute) // of the limit
		}
	})
}

// T90: neither tokens nor codes stand in an address of stoa's, in its answers or in its log.
func TestNothingOfTheProviderLeaksFromTheWay(t *testing.T) {
	t.Parallel()
	attack(t, func(t *testing.T, w *world) {
		o := w.provider(t, "op", nil)
		b := &traveler{w: w}
		back := o.Arrive(t, b.leave(t, "op", "sign-in"))
		to := b.arrive(t, back)
		if strings.Contains(to, back.Query().Get("code")) || strings.Contains(to, back.Query().Get("state")) {
			t.Errorf("sent to %s", to)
		}
		res := w.Do(t, testkit.Get(w.admin.Access, "/api/v1/admin/identity-providers/op"))
		if strings.Contains(string(res.Body), idptest.Secret) || res.Get(t, "data.hasSecret") != true {
			t.Errorf("provider = %s", res.Body)
		}
	})
}

// T91: an identity has one account, an account one identity of a provider, and the last way in stays.
func TestIdentitiesAreTakenOnceAndTheLastWayStays(t *testing.T) {
	t.Parallel()
	attack(t, func(t *testing.T, w *world) {
		o := w.provider(t, "op", nil)
		ada := (&traveler{w: w}).honest(t, o, "ada", "ada@example.org", "ada")
		victim := w.proven(t, victims, "victim")
		b := &traveler{w: w, bearer: victim.Access}
		testkit.WantError(t, b.through(t, o, "op", "link", nobody), http.StatusConflict, "IDENTITY_TAKEN")
		testkit.WantError(t, b.post(t, completeFlow, nobody), http.StatusBadRequest, "FLOW_INVALID")
		o.Change(func() { o.Person = person("victim", victims) })
		if res := b.through(t, o, "op", "link", nobody); res.Status != http.StatusOK {
			t.Fatalf("link = %d %s", res.Status, res.Body)
		}
		o.Change(func() { o.Person = person("victim's second", victims) })
		testkit.WantError(t, b.through(t, o, "op", "link", nobody), http.StatusConflict, "IDENTITY_TAKEN")

		mine := func(bearer string) string {
			list, _ := w.Do(t, testkit.Get(bearer, "/auth/identities")).Get(t, "data.items").([]any)
			return list[0].(map[string]any)["id"].(string)
		}
		testkit.WantError(t, w.Do(t, testkit.Delete(ada.Access, "/auth/identities/"+mine(ada.Access))), http.StatusConflict, "LAST_SIGN_IN_METHOD")
		testkit.WantError(t, w.Do(t, testkit.Delete(ada.Access, "/auth/identities/"+mine(victim.Access))), http.StatusNotFound, "NOT_FOUND")
		if res := w.Do(t, testkit.Delete(victim.Access, "/auth/identities/"+mine(victim.Access))); res.Status != http.StatusOK {
			t.Errorf("unlink = %d %s", res.Status, res.Body)
		}
		o.Change(func() { o.Person = person("victim", victims) })
		testkit.WantError(t, (&traveler{w: w}).through(t, o, "op", "sign-in", nobody), http.StatusConflict, "LINK_REQUIRED")
	})
}

// T94: the proof of a mailbox belongs to the way in which it was asked for.
func TestAProofOfAMailboxBelongsToItsWay(t *testing.T) {
	t.Parallel()
	attack(t, func(t *testing.T, w *world) {
		w.settled(t, victims, "victim")
		o := w.provider(t, "op", nil)
		o.Change(func() { o.Person = person("victim", victims) })
		victim := &traveler{w: w}
		testkit.WantError(t, victim.through(t, o, "op", "sign-in", map[string]any{"link": true}), http.StatusConflict, "LINK_REQUIRED")
		code := w.code(t, victims)
		w.Clock.Advance(time.Minute)
		o.Change(func() { o.Person = person("evil", victims) })
		evil := &traveler{w: w}
		testkit.WantError(t, evil.through(t, o, "op", "sign-in", map[string]any{"link": true}), http.StatusConflict, "LINK_REQUIRED")
		testkit.WantError(t, evil.post(t, proveFlow, map[string]any{"code": code}), http.StatusBadRequest, "INVALID_CODE")
		testkit.TokensOf(t, victim.post(t, proveFlow, map[string]any{"code": code}), http.StatusOK)
	})
}

// T95: what was begun before an unlink links nothing after it.
func TestUnlinkingEndsWhatWasBegun(t *testing.T) {
	t.Parallel()
	attack(t, func(t *testing.T, w *world) {
		victim := w.proven(t, victims, "victim")
		o := w.provider(t, "op", nil)
		o.Change(func() { o.Person = person("victim", victims) })
		b := &traveler{w: w, bearer: victim.Access}
		linked := b.through(t, o, "op", "link", nobody).Text(t, "data.linked")
		o.Change(func() { o.Person = person("evil", attackers) })
		b.visit(t, o, "op", "link")
		other := testkit.TokensOf(t, func() testkit.Response {
			o.Change(func() { o.Person = person("victim", victims) })
			return (&traveler{w: w}).through(t, o, "op", "sign-in", nobody)
		}(), http.StatusOK)
		if res := w.Do(t, testkit.Delete(victim.Access, "/auth/identities/"+linked)); res.Status != http.StatusOK {
			t.Fatalf("unlink = %d %s", res.Status, res.Body)
		}
		testkit.WantError(t, b.post(t, completeFlow, nobody), http.StatusBadRequest, "FLOW_INVALID")
		testkit.WantError(t, w.Do(t, testkit.Me(other.Access)), http.StatusUnauthorized, "UNAUTHORIZED")
	})
}

// T3: nothing is linked to an account whose address is not proven.
func TestNoIdentityIsLinkedToAnUnprovenAccount(t *testing.T) {
	t.Parallel()
	attack(t, func(t *testing.T, w *world) {
		squatter := w.register(t, victims, "squatter")
		w.provider(t, "op", nil)
		b := &traveler{w: w, bearer: squatter.Access}
		res := b.post(t, "/auth/oidc/op/start", map[string]string{"mode": "link"})
		testkit.WantError(t, res, http.StatusForbidden, "EMAIL_UNVERIFIED")
		b.bearer = ""
		testkit.WantError(t, b.post(t, "/auth/oidc/op/start", map[string]string{"mode": "link"}), http.StatusUnauthorized, "UNAUTHORIZED")
	})
}

// A way to a provider proves that somebody is there only if the provider saw them just now, and only the user.
func TestAProviderProvesThatItsUserIsThere(t *testing.T) {
	t.Parallel()
	attack(t, func(t *testing.T, w *world) {
		o := w.provider(t, "op", nil)
		b := &traveler{w: w}
		ada := b.honest(t, o, "ada", victims, "ada")
		w.Clock.Advance(11 * time.Minute)
		res := w.Do(t, testkit.Post(ada.Access, "/auth/password", map[string]string{"newPassword": chosen}))
		testkit.WantError(t, res, http.StatusForbidden, "REAUTHENTICATION_REQUIRED")
		if ways := detailsOf(t, res, "methods"); ways != "[provider email]" {
			t.Errorf("methods = %v", ways)
		}
		b.bearer = ada.Access
		for name, lie := range map[string]func(idptest.Claims){
			"a sign-in of earlier": func(c idptest.Claims) { c["auth_time"] = w.Clock.Now().Add(-2 * time.Minute).Unix() },
			"no time":              func(c idptest.Claims) { delete(c, "auth_time") },
			"somebody else":        func(c idptest.Claims) { c["sub"] = "evil" },
		} {
			o.Change(func() { o.Token = lie })
			res := b.through(t, o, "op", "reauthenticate", nobody)
			if res.Status != http.StatusUnauthorized || res.Text(t, "error.code") != "REAUTHENTICATION_FAILED" {
				t.Errorf("%s: %d %s", name, res.Status, res.Body)
			}
		}
		o.Change(func() { o.Token = nil })
		if res := b.through(t, o, "op", "reauthenticate", nobody); res.Status != http.StatusOK || res.Text(t, "data.until") == "" {
			t.Errorf("= %d %s", res.Status, res.Body)
		}
		w.post(t, ada.Access, "/auth/password", map[string]string{"newPassword": chosen}, http.StatusOK)
	})
}
