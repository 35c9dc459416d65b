package proof

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"testing"
)

const apiKeys = "/auth/api-keys"

// newKey is the form of a key that reads what is its user's.
func newKey(name string) map[string]any {
	return map[string]any{"name": name, "scopes": []string{"self:read"}}
}

// opens reports whether a key works.
func (v *visitor) opens(ctx context.Context, key string) (bool, error) {
	s, err := v.p.call(ctx, http.MethodGet, "/api/marketplace/orders", bearer(key), nil)
	if err == nil && s.status != http.StatusOK && s.status != http.StatusUnauthorized {
		err = odd(s)
	}
	return s.status == http.StatusOK, err
}

// Of those who replace the secret of a key one gets another, and it and the first one work until the key is revoked.
func raceOfRotations(t *testing.T, h *house, name string) func(context.Context, *rand.Rand, int) error {
	t.Helper()
	v := h.settled(t, name)
	return func(ctx context.Context, rng *rand.Rand, _ int) error {
		if err := v.shows(ctx); err != nil {
			return err
		}
		made, err := v.do(ctx, http.MethodPost, apiKeys, newKey(name), http.StatusCreated)
		if err != nil {
			return err
		}
		path := apiKeys + "/" + made.Data.ID
		rotate := request{method: http.MethodPost, path: path + "/rotate", bearer: v.bearer}
		answers, err := h.race(ctx, rng, rotate, rotate, rotate, rotate)
		if err != nil {
			return err
		}
		if err := oneOf(answers, http.StatusCreated, "CONFLICT"); err != nil {
			return err
		}
		secrets := []string{made.Data.Key}
		for _, a := range answers {
			if a.status == http.StatusCreated {
				secrets = append(secrets, a.Data.Key)
			}
		}
		work := func(want bool) error {
			for i, key := range secrets {
				if works, err := v.opens(ctx, key); err != nil || works != want {
					return instead(err, "secret %d works: %t", i, works)
				}
			}
			return nil
		}
		if err := work(true); err != nil {
			return err
		}
		if _, err := v.do(ctx, http.MethodDelete, path, nil, http.StatusOK); err != nil {
			return err
		}
		return work(false)
	}
}

// makesKeys makes two keys, replaces the secret of one, and revokes the other of some accounts.
func (l *lives) makesKeys(ctx context.Context, v *visitor, rng *rand.Rand) error {
	var path string
	for _, name := range []string{"first", "second"} {
		made, err := l.takes(ctx, v, rng, post(v.bearer, apiKeys, http.StatusCreated, newKey(name)))
		if err != nil {
			return err
		}
		path = apiKeys + "/" + made.Data.ID
		v.keys = append(v.keys, made.Data.Key)
	}
	rotated, err := l.takes(ctx, v, rng, post(v.bearer, path+"/rotate", http.StatusCreated, nil, "CONFLICT"))
	if err != nil {
		return err
	}
	if rotated.Data.Key != "" { // else it was replaced without an answer
		v.keys = append(v.keys, rotated.Data.Key)
	}
	if rng.IntN(2) == 0 {
		return nil
	}
	revoke := step{request{method: http.MethodDelete, path: path, bearer: v.bearer}, http.StatusOK, []string{"NOT_FOUND"}}
	if _, err := l.takes(ctx, v, rng, revoke); err != nil {
		return err
	}
	for _, key := range v.keys[1:] {
		if works, err := v.opensAnywhere(ctx, rng, key); err != nil || works {
			return instead(err, "a key that was revoked works: %t", works)
		}
	}
	return nil
}

// opensAnywhere is opens, at one process after another until one answers.
func (v *visitor) opensAnywhere(ctx context.Context, rng *rand.Rand, key string) (works bool, err error) {
	for {
		v.p = v.h.processes[rng.IntN(len(v.h.processes))]
		if works, err = v.opens(ctx, key); err == nil {
			return works, nil
		}
		if err := pause(ctx); err != nil {
			return false, err
		}
	}
}

// checkKeys fails the test if a key outlived the password that a mail replaced, or one was changed without its entry.
func (l *lives) checkKeys(t *testing.T, h *house) {
	t.Helper()
	for _, v := range l.people {
		v.p = h.processes[0]
		for i, key := range v.keys {
			if works, err := v.opens(t.Context(), key); err != nil || works {
				t.Errorf("%s: key %d outlived the new password: %t, %v", v.email, i, works, err)
			}
		}
	}
	const entries = `(SELECT count(*) FROM audit_log a WHERE a.target_id = k.id AND a.action = 'apikey.%s')`
	for what, query := range map[string]string{
		"keys that live":                       `SELECT count(*) FROM api_keys k WHERE k.revoked_at_ms = 0`,
		"keys that the audit has not once":     `SELECT count(*) FROM api_keys k WHERE ` + fmt.Sprintf(entries, "create") + ` <> 1`,
		"replaced secrets without their entry": `SELECT count(*) FROM api_keys k WHERE (k.renewed_at_ms > 0) <> (` + fmt.Sprintf(entries, "rotate") + ` > 0)`,
	} {
		if n := h.number(t, query); n != 0 {
			t.Errorf("there are %d %s", n, what)
		}
	}
}
