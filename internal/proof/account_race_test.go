package proof

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"testing"

	"stoa/internal/testkit/idptest"
	"stoa/internal/testkit/needtest"
	"stoa/internal/testkit/passkeytest"
)

// contest is a kind of race about an account. ready makes what it needs, under a name that nobody else uses, and
// returns what one round does: it ends with an error if anything but one of those who race wins.
type contest struct {
	name  string
	ready func(t *testing.T, h *house, name string) func(ctx context.Context, rng *rand.Rand, n int) error
}

// Two processes get what may happen once at the same time, 500 times for each of ten kinds: of every race one wins,
// and the account is as the winner left it.
func TestOfEveryRaceForAnAccountOneWins(t *testing.T) {
	t.Parallel()
	needtest.Long(t, "hundreds of rounds of ten races")

	contests := []contest{
		{"two changes of address", raceOfChanges},
		{"one change of address twice", raceOfOneChange},
		{"a link for a new password", raceOfResets},
		{"a code of the app", raceOfCodes},
		{"a recovery code", raceOfRecoveryCodes},
		{"the last ways in", raceOfLastWays},
		{"the way back from a provider", raceOfFlows},
		{"reclaiming", raceOfReclaims},
		{"the secret of an API key", raceOfRotations},
		{"an invitation", raceOfInvitations},
	}
	onBothHouses(t, func(t *testing.T, h *house) {
		for i, c := range contests {
			t.Run(c.name, func(t *testing.T) {
				t.Parallel()

				seed := newSeed(t)
				round := c.ready(t, h, fmt.Sprintf("racer%d", i))
				rounds := 3
				if !short() {
					rounds = amount(t, 500)
				}
				for n := range rounds {
					if err := round(t.Context(), rand.New(rand.NewPCG(seed, uint64(n))), n); err != nil {
						t.Fatalf("round %d: %v", n, err)
					}
				}
				t.Logf("%d rounds, each with one winner", rounds)
			})
		}
	})
}

// settled is somebody with a proven address.
func (h *house) settled(t *testing.T, name string) *visitor {
	t.Helper()
	v, err := h.settles(t.Context(), h.processes[0], name)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// shows proves to be there with the password, for the rounds that follow.
func (v *visitor) shows(ctx context.Context) error {
	_, err := v.do(ctx, http.MethodPost, "/auth/reauthenticate", map[string]string{"password": adminPassword}, http.StatusOK)
	return err
}

// oneOf returns an error unless one answer has the status, and every other is refused with the code.
func oneOf(answers []said, status int, codes ...string) error {
	for _, a := range answers {
		refused := false
		for _, code := range codes {
			refused = refused || a.Error.Code == code
		}
		if a.status != status && !refused {
			return fmt.Errorf("one is answered %d %s", a.status, a.body)
		}
	}
	if n := winners(answers, status); n != 1 {
		return fmt.Errorf("%d of %d win:\n%s", n, len(answers), bodies(answers))
	}
	return nil
}

// asksFor asks for another address, and returns the link that was mailed to it.
func (v *visitor) asksFor(ctx context.Context, address string) (token string, err error) {
	if err := v.h.forgets(ctx); err != nil {
		return "", err
	}
	if _, err := v.do(ctx, http.MethodPost, "/auth/email/change", map[string]string{"newEmail": address}, http.StatusAccepted); err != nil {
		return "", err
	}
	return v.h.mails.link(ctx, address, "change-email")
}

func (v *visitor) confirm(token string) request {
	return request{method: http.MethodPost, path: "/auth/email/change/confirm", bearer: v.bearer, body: map[string]string{"token": token}}
}

// address returns the address of the account.
func (v *visitor) address(ctx context.Context) (string, error) {
	s, err := v.do(ctx, http.MethodGet, "/auth/account", nil, http.StatusOK)
	return s.Data.User.Email, err
}

// The later of two requests counts, with its own address, whichever process gets which.
func raceOfChanges(t *testing.T, h *house, name string) func(context.Context, *rand.Rand, int) error {
	t.Helper()
	v := h.settled(t, name)
	return func(ctx context.Context, rng *rand.Rand, n int) error {
		if err := errors.Join(v.shows(ctx), h.forgets(ctx)); err != nil {
			return err
		}
		var asked []request
		addresses := []string{fmt.Sprintf("%s-a%d@example.com", name, n), fmt.Sprintf("%s-b%d@example.com", name, n)}
		for _, address := range addresses {
			asked = append(asked, request{
				method: http.MethodPost, path: "/auth/email/change", bearer: v.bearer, body: map[string]string{"newEmail": address},
			})
		}
		answers, err := h.race(ctx, rng, asked...)
		if err != nil {
			return err
		}
		if n := winners(answers, http.StatusAccepted); n != len(asked) {
			return fmt.Errorf("%d of %d are accepted:\n%s", n, len(asked), bodies(answers))
		}
		// One of the two has the budget's mail; the other may have none.
		var pending string
		err = h.db.QueryRowContext(ctx, `SELECT address FROM mail_tokens WHERE kind = 'change' AND user_id =
			(SELECT id FROM users WHERE email = $1)`, v.email).Scan(&pending)
		if err != nil {
			return fmt.Errorf("there is not one pending change: %w", err)
		}
		token, err := h.mails.link(ctx, pending, "change-email")
		if err != nil {
			return err
		}
		if answers, err = h.race(ctx, rng, v.confirm(token), v.confirm(token)); err != nil {
			return err
		}
		if err := oneOf(answers, http.StatusOK, "INVALID_LINK"); err != nil {
			return err
		}
		if v.email, err = v.address(ctx); err != nil || v.email != pending {
			return instead(err, "the address is %s, and confirmed was %s", v.email, pending)
		}
		return nil
	}
}

// A change is confirmed while another is asked for: afterwards at most the one that was confirmed has happened.
func raceOfOneChange(t *testing.T, h *house, name string) func(context.Context, *rand.Rand, int) error {
	t.Helper()
	v := h.settled(t, name)
	return func(ctx context.Context, rng *rand.Rand, n int) error {
		if err := v.shows(ctx); err != nil {
			return err
		}
		first, second := fmt.Sprintf("%s-first%d@example.com", name, n), fmt.Sprintf("%s-second%d@example.com", name, n)
		token, err := v.asksFor(ctx, first)
		if err == nil {
			err = h.forgets(ctx)
		}
		if err != nil {
			return err
		}
		answers, err := h.race(ctx, rng, v.confirm(token), request{
			method: http.MethodPost, path: "/auth/email/change", bearer: v.bearer, body: map[string]string{"newEmail": second},
		})
		if err != nil {
			return err
		}
		want := v.email
		switch confirmed := answers[0]; {
		case confirmed.status == http.StatusOK:
			want = first
		case confirmed.Error.Code != "INVALID_LINK":
			return odd(confirmed.answer)
		}
		if v.email, err = v.address(ctx); err != nil || v.email != want {
			return instead(err, "the address is %s, want %s", v.email, want)
		}
		late, err := v.p.send(ctx, http.MethodPost, "/auth/email/change/confirm", v.bearer, map[string]string{"token": token})
		if err == nil && late.Error.Code != "INVALID_LINK" {
			err = fmt.Errorf("the link works again: %w", odd(late.answer))
		}
		return err
	}
}

// One of two new passwords counts.
func raceOfResets(t *testing.T, h *house, name string) func(context.Context, *rand.Rand, int) error {
	t.Helper()
	v := h.settled(t, name)
	return func(ctx context.Context, rng *rand.Rand, n int) error {
		token, err := v.forgot(ctx)
		if err != nil {
			return err
		}
		passwords := []string{fmt.Sprintf("a password of round %d", n), fmt.Sprintf("another one of round %d", n)}
		var resets []request
		for _, password := range passwords {
			resets = append(resets, request{
				method: http.MethodPost, path: "/auth/reset-password", body: map[string]string{"token": token, "newPassword": password},
			})
		}
		answers, err := h.race(ctx, rng, resets...)
		if err != nil {
			return err
		}
		if err := oneOf(answers, http.StatusOK, "INVALID_RESET_TOKEN"); err != nil {
			return err
		}
		for i, password := range passwords {
			in, err := v.login(ctx, password)
			if err != nil || in.status == http.StatusOK != (answers[i].status == http.StatusOK) {
				return instead(err, "the password of answer %d signs in with %d, and its reset was answered %d", i, in.status, answers[i].status)
			}
		}
		return nil
	}
}

// forgot asks for a link for a new password, and returns it.
func (v *visitor) forgot(ctx context.Context) (string, error) {
	if err := v.forgetsResets(ctx); err != nil {
		return "", err
	}
	if _, err := v.do(ctx, http.MethodPost, "/auth/forgot-password", map[string]string{"email": v.email}, http.StatusOK); err != nil {
		return "", err
	}
	return v.h.mails.link(ctx, v.email, "reset-password")
}

// withApp is somebody with codes of an app.
func (h *house) withApp(t *testing.T, name string) *visitor {
	t.Helper()
	v := h.settled(t, name)
	if err := v.switchesAppOn(t.Context()); err != nil {
		t.Fatal(err)
	}
	return v
}

// passwordStep returns the challenge of a sign-in whose password was right.
func (v *visitor) passwordStep(ctx context.Context) (string, error) {
	s, err := v.login(ctx, adminPassword)
	if err == nil && s.Error.Details.Challenge == "" {
		err = odd(s.answer)
	}
	return s.Error.Details.Challenge, err
}

// spends returns requests that each spend a code: a second step, and three proofs to be there.
func (v *visitor) spends(challenge, method, code string) []request {
	proof := request{
		method: http.MethodPost, path: "/auth/reauthenticate", bearer: v.bearer,
		body: map[string]string{"method": method, "code": code},
	}
	return []request{proof, {
		method: http.MethodPost, path: "/auth/login/second-factor",
		body: map[string]string{"challenge": challenge, "method": method, "code": code},
	}, proof, proof}
}

// One code of an app counts once, at whichever place it is typed.
func raceOfCodes(t *testing.T, h *house, name string) func(context.Context, *rand.Rand, int) error {
	t.Helper()
	v := h.withApp(t, name)
	return func(ctx context.Context, rng *rand.Rand, _ int) error {
		challenge, err := v.passwordStep(ctx)
		if err != nil {
			return err
		}
		if err := v.forgetsCodes(ctx); err != nil {
			return err
		}
		answers, err := h.race(ctx, rng, v.spends(challenge, "totp", v.code())...)
		if err != nil {
			return err
		}
		return oneOf(answers, http.StatusOK, "SECOND_FACTOR_FAILED", "REAUTHENTICATION_FAILED")
	}
}

// So does a recovery code.
func raceOfRecoveryCodes(t *testing.T, h *house, name string) func(context.Context, *rand.Rand, int) error {
	t.Helper()
	v := h.withApp(t, name)
	return func(ctx context.Context, rng *rand.Rand, _ int) error {
		if err := v.forgetsCodes(ctx); err != nil {
			return err
		}
		if len(v.codes) == 0 {
			if _, err := v.do(ctx, http.MethodPost, "/auth/reauthenticate", map[string]string{"code": v.code()}, http.StatusOK); err != nil {
				return err
			}
			s, err := v.do(ctx, http.MethodPost, "/auth/recovery-codes", nil, http.StatusCreated)
			if err != nil {
				return err
			}
			v.codes = s.Data.RecoveryCodes
		}
		code := v.codes[0]
		v.codes = v.codes[1:]
		challenge, err := v.passwordStep(ctx)
		if err != nil {
			return err
		}
		answers, err := h.race(ctx, rng, v.spends(challenge, "recovery", code)...)
		if err != nil {
			return err
		}
		return oneOf(answers, http.StatusOK, "SECOND_FACTOR_FAILED", "REAUTHENTICATION_FAILED")
	}
}

// addsKey adds a passkey, and returns it with its id.
func (v *visitor) addsKey(ctx context.Context) (*passkeytest.Passkey, string, error) {
	key := passkeytest.New(passkeytest.EdDSA, shopURL)
	s, err := v.do(ctx, http.MethodPost, "/auth/passkeys/options", nil, http.StatusOK)
	if err != nil {
		return nil, "", err
	}
	made := map[string]any{"name": "Phone", "credential": key.Create(passkeytest.Read(s.Data.PublicKey))}
	s, err = v.do(ctx, http.MethodPost, "/auth/passkeys", made, http.StatusCreated)
	return key, s.Data.ID, err
}

// signsInBy signs in with a passkey.
func (v *visitor) signsInBy(ctx context.Context, key *passkeytest.Passkey) error {
	s, err := v.p.send(ctx, http.MethodPost, "/auth/login/passkey/options", "", map[string]any{})
	if err != nil {
		return err
	}
	proof := map[string]any{"credential": key.Get(passkeytest.Read(s.Data.PublicKey))}
	if s, err = v.p.send(ctx, http.MethodPost, "/auth/login/passkey", "", proof); err == nil {
		err = s.wants(http.StatusOK)
	}
	v.signsIn(s)
	return err
}

// Of a password and two passkeys any one may go, and no two.
func raceOfLastWays(t *testing.T, h *house, name string) func(context.Context, *rand.Rand, int) error {
	t.Helper()
	v := h.settled(t, name)
	key, _, err := v.addsKey(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return func(ctx context.Context, rng *rand.Rand, _ int) error {
		if err := v.signsInBy(ctx, key); err != nil {
			return err
		}
		_, other, err := v.addsKey(ctx)
		if err != nil {
			return err
		}
		answers, err := h.race(ctx, rng,
			request{method: http.MethodDelete, path: "/auth/password", bearer: v.bearer},
			request{method: http.MethodDelete, path: "/auth/passkeys/" + other, bearer: v.bearer})
		if err != nil {
			return err
		}
		if err := oneOf(answers, http.StatusOK, "LAST_SIGN_IN_METHOD"); err != nil {
			return err
		}
		s, err := v.do(ctx, http.MethodGet, "/auth/account", nil, http.StatusOK)
		if err != nil {
			return err
		}
		if s.Data.HasPassword == (s.Data.SecondFactor.Passkeys == 2) {
			return fmt.Errorf("left is %s", s.body)
		}
		if !s.Data.HasPassword {
			if _, err := v.do(ctx, http.MethodPost, "/auth/password", map[string]string{"newPassword": adminPassword}, http.StatusOK); err != nil {
				return err
			}
			_, err = v.do(ctx, http.MethodDelete, "/auth/passkeys/"+other, nil, http.StatusOK)
		}
		return err
	}
}

// One of those who complete the way back from a provider is signed in, and one session is made.
func raceOfFlows(t *testing.T, h *house, name string) func(context.Context, *rand.Rand, int) error {
	t.Helper()
	idp := idptest.Start(t)
	idp.Person = idptest.Claims{"sub": name, "email": name + "@example.com", "email_verified": true}
	admin := &visitor{h: h, p: h.processes[0], email: adminEmail}
	s, err := admin.login(t.Context(), adminPassword)
	if err == nil {
		admin.signsIn(s)
		_, err = admin.do(t.Context(), http.MethodPut, "/api/v1/admin/identity-providers/"+name, map[string]any{
			"kind": "oidc", "name": "Example", "issuer": idp.URL, "clientId": idptest.ClientID, "clientSecret": idptest.Secret,
			"enabled": true, "signUp": true, "staff": false, "verifiesAddresses": true,
		}, http.StatusOK)
	}
	if err != nil {
		t.Fatal(err)
	}
	return func(ctx context.Context, rng *rand.Rand, n int) error {
		header, err := h.comesBack(ctx, t, idp, name)
		if err != nil {
			return err
		}
		complete := request{method: http.MethodPost, path: "/auth/oidc/complete", header: header, body: map[string]string{"username": name}}
		answers, err := h.race(ctx, rng, complete, complete, complete)
		if err != nil {
			return err
		}
		if err := oneOf(answers, http.StatusOK, "FLOW_INVALID"); err != nil {
			return err
		}
		var sessions int
		err = h.db.QueryRowContext(ctx, `SELECT count(*) FROM sessions s JOIN users u ON u.id = s.user_id WHERE u.email = $1`,
			name+"@example.com").Scan(&sessions)
		if err == nil && sessions != n+1 {
			err = fmt.Errorf("%d sessions after %d sign-ins", sessions, n+1)
		}
		return err
	}
}

// comesBack sends a browser to a provider and back, and returns the headers of its pages.
func (h *house) comesBack(ctx context.Context, t *testing.T, idp *idptest.Provider, slug string) (http.Header, error) {
	header := http.Header{"Origin": {shopURL}}
	a, err := h.processes[0].call(ctx, http.MethodPost, "/auth/oidc/"+slug+"/start", header, map[string]string{"mode": "sign-in"})
	if err != nil {
		return nil, err
	}
	s, err := said{answer: a}.read()
	if err != nil || s.Data.URL == "" {
		return nil, errors.Join(err, odd(a))
	}
	for _, c := range (&http.Response{Header: a.header}).Cookies() {
		header.Add("Cookie", c.Name+"="+c.Value)
	}
	back := idp.Arrive(t, s.Data.URL)
	a, err = h.processes[1].call(ctx, http.MethodGet, back.RequestURI(), header, nil)
	if err == nil && a.status != http.StatusSeeOther {
		err = odd(a)
	}
	return header, err
}

// Whoever made the account keeps nothing of it once its mailbox has chosen a password, whatever they do meanwhile.
func raceOfReclaims(t *testing.T, h *house, name string) func(context.Context, *rand.Rand, int) error {
	t.Helper()
	return func(ctx context.Context, rng *rand.Rand, n int) error {
		squatter, err := h.registers(ctx, h.processes[rng.IntN(2)], fmt.Sprintf("%s-%d", name, n))
		if err != nil {
			return err
		}
		token, err := squatter.forgot(ctx)
		if err != nil {
			return err
		}
		const owners = "chosen by the owner"
		answers, err := h.race(ctx, rng,
			request{
				method: http.MethodPost, path: "/auth/reset-password", body: map[string]string{"token": token, "newPassword": owners},
			},
			request{method: http.MethodPost, path: "/auth/refresh", body: map[string]string{"refresh_token": squatter.refresh}},
			request{
				method: http.MethodPost, path: "/auth/change-password", bearer: squatter.bearer,
				body: map[string]string{"currentPassword": adminPassword, "newPassword": "chosen by the squatter"},
			},
			request{
				method: http.MethodPost, path: "/auth/login", body: map[string]string{"email": squatter.email, "password": adminPassword},
			},
			request{
				method: http.MethodPost, path: "/auth/email/change", bearer: squatter.bearer,
				body: map[string]string{"newEmail": fmt.Sprintf("%s-evil%d@example.com", name, n)},
			})
		if err != nil {
			return err
		}
		return squatter.keptNothing(ctx, answers, owners)
	}
}

// keptNothing returns an error if anything of a race, in which the first answer is the reset by the mailbox, is left to
// whoever made the account.
func (v *visitor) keptNothing(ctx context.Context, answers []said, owners string) error {
	if err := answers[0].wants(http.StatusOK); err != nil {
		// A new password of the squatter voids the link; the owner asks for another.
		token, err := v.forgot(ctx)
		if err != nil {
			return err
		}
		if _, err := v.do(ctx, http.MethodPost, "/auth/reset-password",
			map[string]string{"token": token, "newPassword": owners}, http.StatusOK); err != nil {
			return err
		}
	}
	for _, a := range append(answers, said{}) {
		for _, token := range []string{a.Data.AccessToken, v.bearer} {
			if token == "" {
				continue
			}
			if me, err := v.p.send(ctx, http.MethodGet, "/auth/me", token, nil); err != nil || me.status != http.StatusUnauthorized {
				return instead(err, "a session of before is alive: %d %s", me.status, me.body)
			}
		}
		if a.Data.RefreshToken != "" {
			again, err := v.p.send(ctx, http.MethodPost, "/auth/refresh", "", map[string]string{"refresh_token": a.Data.RefreshToken})
			if err != nil || again.Error.Code != "REFRESH_FAILED" {
				return instead(err, "a session of before is refreshed: %d %s", again.status, again.body)
			}
		}
	}
	for password, status := range map[string]int{
		owners: http.StatusOK, adminPassword: http.StatusUnauthorized, "chosen by the squatter": http.StatusUnauthorized,
	} {
		if in, err := v.login(ctx, password); err != nil || in.status != status {
			return instead(err, "%q signs in with %d", password, in.status)
		}
	}
	pending := v.h.db.QueryRowContext(ctx, `SELECT count(*) FROM mail_tokens WHERE kind = 'change' AND user_id =
		(SELECT id FROM users WHERE email = $1)`, v.email)
	var n int
	if err := pending.Scan(&n); err != nil || n != 0 {
		return instead(err, "%d changes of address are pending", n)
	}
	return nil
}

// instead is the error of what happened, if there was one, or else says what was found.
func instead(err error, format string, args ...any) error {
	return cmp.Or(err, fmt.Errorf(format, args...))
}
