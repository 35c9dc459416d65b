package proof

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"stoa/internal/testkit/needtest"
)

// People make accounts, prove and change their addresses, make, replace and revoke API keys, switch a second factor on,
// get new recovery codes, choose a password by mail, switch the factor off again, invite somebody who accepts and gets
// a role of the shop's own, and plan to leave, which some call off and some do, through two processes of which one or
// both are killed, a hundred times on each engine. Afterwards no factor is half on, no session stands on one that is
// gone, no link works that was used, who left is gone with everything, and whatever was answered is so.
func TestAnAccountIsWholeAfterAKill(t *testing.T) {
	t.Parallel()
	needtest.Long(t, "a mail that a killed process was sending waits two minutes for its lease to end")
	notShort(t)

	onBothHouses(t, func(t *testing.T, h *house) {
		seed := newSeed(t)
		var (
			wg   sync.WaitGroup
			kept lives
			stop atomic.Bool // people finish what they have begun
		)
		for i := range 4 {
			rng := rand.New(rand.NewPCG(seed, uint64(i)))
			wg.Go(func() {
				for n := 0; !stop.Load(); n++ {
					if err := kept.live(t.Context(), h, rng, fmt.Sprintf("p%d-%d", i, n), n); err != nil {
						t.Error(err)
						return
					}
				}
			})
		}
		n := amount(t, 100)
		killAndStart(t, h.cluster, rand.New(rand.NewPCG(seed, buyers)), n)
		stop.Store(true)
		wg.Wait()
		t.Logf("%d kills; %d lives; %d requests were answered, %d were not; %d of %d who left were removed meanwhile", n,
			len(kept.people), kept.answered.Load(), kept.unanswered.Load(),
			h.number(t, `SELECT count(*) FROM audit_log WHERE action = 'user.erase'`), len(kept.left))
		if kept.unanswered.Load() == 0 {
			t.Error("the kills did not meet the requests")
		}
		h.checkWays(t)
		h.checkRoles(t)
		h.checkNobody(t)
		kept.check(t, h)
		kept.checkKeys(t, h)
		kept.checkLeft(t, h)
		h.checkWays(t)
	})
}

// lives are what people know from their answers.
type lives struct {
	answered, unanswered atomic.Int64

	mu     sync.Mutex
	people []*visitor
	stayed []*visitor // who called a deletion off
	left   []*visitor // whose deletion is due
	spent  []request  // with a link, each answered with success or done without an answer
}

// step is one request of a life. done are the codes of answers that it gets when it had happened without an answer.
type step struct {
	request

	status int
	done   []string
}

// takes sends a step until there is an answer, to one process after another, and reports whether it was the first.
func (l *lives) takes(ctx context.Context, v *visitor, rng *rand.Rand, s step) (answer said, err error) {
	for again := false; ; again = true {
		v.p = v.h.processes[rng.IntN(len(v.h.processes))]
		answer, err = v.p.send(ctx, s.method, s.path, s.bearer, s.body)
		if err == nil && answer.status < http.StatusInternalServerError {
			l.answered.Add(1)
			if answer.status == s.status {
				return answer, nil
			}
			for _, code := range s.done {
				if again && answer.Error.Code == code {
					return answer, nil
				}
			}
			return answer, fmt.Errorf("%s %s, again %t: %w", s.method, s.path, again, odd(answer.answer))
		}
		l.unanswered.Add(1)
		if err := pause(ctx); err != nil {
			return answer, err
		}
	}
}

// spends takes a step with a link, and keeps it: it must not work again.
func (l *lives) spends(ctx context.Context, v *visitor, rng *rand.Rand, s step) error {
	if _, err := l.takes(ctx, v, rng, s); err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.spent = append(l.spent, s.request)
	return nil
}

// keeps adds somebody to a list.
func (l *lives) keeps(list *[]*visitor, v *visitor) {
	l.mu.Lock()
	defer l.mu.Unlock()
	*list = append(*list, v)
}

func post(bearer, path string, status int, body any, done ...string) step {
	return step{request{method: http.MethodPost, path: path, bearer: bearer, body: body}, status, done}
}

// live is the life of one account, and of those who come with it. The n-th of whoever lives one after another.
func (l *lives) live(ctx context.Context, h *house, rng *rand.Rand, name string, n int) error {
	v := &visitor{h: h, email: name + "@example.com"}
	if err := l.arrives(ctx, v, rng, name); err != nil {
		return err
	}
	parts := []func() error{
		func() error {
			return inTurn(
				func() error { return l.moves(ctx, v, rng, name) },
				func() error { return l.makesKeys(ctx, v, rng) },
				func() error { return l.guards(ctx, v, rng) },
				func() error { return l.resets(ctx, v, rng) })
		},
		func() error { return l.helps(ctx, h, rng, name, n < 8) },
		func() error { return l.leaves(ctx, h, rng, name) },
	}
	rng.Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
	if err := inTurn(parts...); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	l.keeps(&l.people, v)
	return nil
}

// inTurn calls functions until one returns an error.
func inTurn(parts ...func() error) error {
	for _, part := range parts {
		if err := part(); err != nil {
			return err
		}
	}
	return nil
}

// arrives makes an account, signs in to it and proves its address.
func (l *lives) arrives(ctx context.Context, v *visitor, rng *rand.Rand, username string) error {
	in, err := l.takes(ctx, v, rng, post("", "/auth/register", http.StatusCreated,
		map[string]string{"email": v.email, "username": username, "password": adminPassword}, "REGISTRATION_FAILED"))
	if err == nil && in.Data.AccessToken == "" { // it was made without an answer
		in, err = l.takes(ctx, v, rng, post("", "/auth/login", http.StatusOK,
			map[string]string{"email": v.email, "password": adminPassword}))
	}
	if err != nil {
		return err
	}
	v.signsIn(in)
	token, err := v.h.mails.link(ctx, v.email, "verify-email")
	if err != nil {
		return err
	}
	return l.spends(ctx, v, rng, post(v.bearer, "/auth/email/verify", http.StatusOK, map[string]string{"token": token}, "INVALID_LINK"))
}

// moves changes the address.
func (l *lives) moves(ctx context.Context, v *visitor, rng *rand.Rand, name string) error {
	address := name + "-new@example.com"
	if _, err := l.takes(ctx, v, rng, post(v.bearer, "/auth/email/change", http.StatusAccepted,
		map[string]string{"newEmail": address})); err != nil {
		return err
	}
	token, err := v.h.mails.link(ctx, address, "change-email")
	if err == nil {
		err = l.spends(ctx, v, rng, post(v.bearer, "/auth/email/change/confirm", http.StatusOK,
			map[string]string{"token": token}, "INVALID_LINK"))
	}
	v.email = address
	return err
}

// guards switches a second factor on and gets new recovery codes; of some accounts it is switched off again.
func (l *lives) guards(ctx context.Context, v *visitor, rng *rand.Rand) error {
	s, err := l.takes(ctx, v, rng, post(v.bearer, "/auth/totp", http.StatusCreated, nil))
	if err != nil {
		return err
	}
	if err := v.learns(s); err != nil {
		return err
	}
	if _, err := l.takes(ctx, v, rng, post(v.bearer, "/auth/totp/confirm", http.StatusOK,
		map[string]string{"code": v.code()}, "SECOND_FACTOR_FAILED", "TOTP_ON")); err != nil {
		return err
	}
	if _, err := l.takes(ctx, v, rng, post(v.bearer, "/auth/recovery-codes", http.StatusCreated, nil)); err != nil {
		return err
	}
	if rng.IntN(2) == 0 {
		return nil
	}
	v.secret = nil
	_, err = l.takes(ctx, v, rng, step{
		request{method: http.MethodDelete, path: "/auth/totp", bearer: v.bearer}, http.StatusOK, []string{"NOT_FOUND"},
	})
	return err
}

// resets chooses a password by mail.
func (l *lives) resets(ctx context.Context, v *visitor, rng *rand.Rand) error {
	// This mail is not recorded: it is lost with the process that was to send it, and people ask again.
	token, err := "", error(nil)
	for try := 0; token == "" && try < 20; try++ {
		if err := v.forgetsResets(ctx); err != nil {
			return err
		}
		if _, err := l.takes(ctx, v, rng, post("", "/auth/forgot-password", http.StatusOK, map[string]string{"email": v.email})); err != nil {
			return err
		}
		token, err = v.h.mails.linkWithin(ctx, 30*time.Second, v.email, "reset-password")
	}
	if err != nil {
		return err
	}
	return l.spends(ctx, v, rng, post("", "/auth/reset-password", http.StatusOK,
		map[string]string{"token": token, "newPassword": "chosen by mail"}, "INVALID_RESET_TOKEN"))
}

// check fails the test unless everything that was answered is so, and nothing that was used works again.
func (l *lives) check(t *testing.T, h *house) {
	t.Helper()
	p := h.processes[0]
	for _, v := range l.people {
		v.p = p
		in, err := v.login(t.Context(), "chosen by mail")
		want := http.StatusOK
		if v.secret != nil {
			want = http.StatusUnauthorized
		}
		if err != nil || in.status != want || (v.secret != nil) != (in.Error.Code == "SECOND_FACTOR_REQUIRED") {
			t.Errorf("%s, with a second factor: %t: signing in is answered %d %s, %v", v.email, v.secret != nil, in.status, in.body, err)
		}
		if me, err := p.send(t.Context(), http.MethodGet, "/auth/me", v.bearer, nil); err != nil || me.status != http.StatusUnauthorized {
			t.Errorf("%s: a session outlived the new password: %d, %v", v.email, me.status, err)
		}
		// The notice of the change was recorded with it.
		if _, err := h.mails.link(t.Context(), strings.Replace(v.email, "-new@", "@", 1), "revert-email"); err != nil {
			t.Error(err)
		}
	}
	for _, r := range l.spent {
		s, err := p.send(t.Context(), r.method, r.path, r.bearer, r.body)
		if err != nil || s.status < http.StatusBadRequest {
			t.Errorf("a link that was used works again: %s %d, %v", r.path, s.status, err)
		}
	}
}

// checkWays fails the test if anything of an account is half done.
func (h *house) checkWays(tb testing.TB) {
	tb.Helper()
	const factor = `(EXISTS (SELECT 1 FROM totp t WHERE t.user_id = u.id AND t.confirmed_at_ms > 0)
		OR EXISTS (SELECT 1 FROM passkeys p WHERE p.user_id = u.id))`
	for what, query := range map[string]string{
		"second factors without eight recovery codes": `SELECT count(*) FROM totp t WHERE t.confirmed_at_ms > 0
			AND (SELECT count(*) FROM recovery_codes c WHERE c.user_id = t.user_id) <> 8`,
		"users with recovery codes and no second factor": `SELECT count(*) FROM users u WHERE NOT ` + factor + `
			AND EXISTS (SELECT 1 FROM recovery_codes c WHERE c.user_id = u.id)`,
		"sessions of level 2 without a second factor": `SELECT count(*) FROM sessions s JOIN users u ON u.id = s.user_id
			WHERE s.level = 2 AND NOT ` + factor,
		"sessions without a user": `SELECT count(*) FROM sessions s WHERE NOT EXISTS
			(SELECT 1 FROM users u WHERE u.id = s.user_id)`,
		"second factors of unproven accounts": `SELECT count(*) FROM users u WHERE u.email_proven_at_ms = 0 AND ` + factor,
		"changed addresses that the audit does not have once": `SELECT count(*) FROM users u WHERE u.email LIKE '%-new@example.com'
			AND (SELECT count(*) FROM audit_log a WHERE a.action = 'user.change_email' AND a.target_id = u.id) <> 1`,
		"changed addresses that cannot be taken back": `SELECT count(*) FROM users u WHERE u.email LIKE '%-new@example.com'
			AND NOT EXISTS (SELECT 1 FROM mail_tokens m WHERE m.user_id = u.id AND m.kind = 'revert')`,
		"links to prove what is proven": `SELECT count(*) FROM users u WHERE u.email LIKE '%-new@example.com'
			AND EXISTS (SELECT 1 FROM mail_tokens m WHERE m.user_id = u.id AND m.kind IN ('verify', 'change'))`,
	} {
		if n := h.number(tb, query); n != 0 {
			tb.Errorf("there are %d %s", n, what)
		}
	}
}
