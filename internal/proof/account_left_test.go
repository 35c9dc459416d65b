package proof

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"testing"

	"stoa/internal/testkit/waittest"
)

const deletion = "/auth/account/deletion"

// leaves has two people make an account, buy something and plan to leave. One calls it off, and the other is removed
// when it is due.
func (l *lives) leaves(ctx context.Context, h *house, rng *rand.Rand, name string) error {
	for _, stays := range []bool{true, false} {
		v := &visitor{h: h, email: fmt.Sprintf("%s-stays-%t@example.com", name, stays)}
		username := fmt.Sprintf("%s-stays-%t", name, stays)
		if err := l.arrives(ctx, v, rng, username); err != nil {
			return err
		}
		if _, err := l.takes(ctx, v, rng, post(v.bearer, app+"/purchase", http.StatusOK, map[string]any{
			"tierId": "seats-1", "paymentMethod": "card", "billingInfo": map[string]string{"email": v.email},
		})); err != nil {
			return err
		}
		if _, err := l.takes(ctx, v, rng, post(v.bearer, apiKeys, http.StatusCreated, newKey("first"))); err != nil {
			return err
		}
		// The session ends with it.
		if _, err := l.takes(ctx, v, rng, post(v.bearer, deletion, http.StatusAccepted,
			map[string]string{"username": username}, "UNAUTHORIZED")); err != nil {
			return err
		}
		if !stays {
			if err := h.falls(ctx, v); err != nil {
				return err
			}
			l.keeps(&l.left, v)
			continue
		}
		token, err := h.mails.link(ctx, v.email, "keep-account")
		if err == nil {
			err = l.spends(ctx, v, rng, post("", deletion+"/cancel", http.StatusOK, map[string]string{"token": token}, "INVALID_LINK"))
		}
		if err != nil {
			return err
		}
		l.keeps(&l.stayed, v)
	}
	return nil
}

// falls has a planned deletion be due now, and a process that starts carry it out: the lease of one that was killed
// lasts for minutes.
func (h *house) falls(ctx context.Context, v *visitor) error {
	_, err := h.db.ExecContext(ctx, `UPDATE users SET deletion_at_ms = 1 WHERE email = $1 AND deletion_at_ms > 0`, v.email)
	_, free := h.db.ExecContext(ctx, `DELETE FROM duties WHERE name = 'accounts'`)
	return errors.Join(err, free)
}

// checkLeft fails the test unless those who called it off are there, the others are removed once, and own nothing.
func (l *lives) checkLeft(t *testing.T, h *house) {
	t.Helper()
	if _, err := h.db.ExecContext(t.Context(), `DELETE FROM duties WHERE name = 'accounts'`); err != nil {
		t.Fatal(err)
	}
	h.processes[0].kill()
	if err := h.processes[0].start(); err != nil {
		t.Fatal(err)
	}
	waittest.Until(t, "the end of those who leave", func() error {
		if n := h.number(t, `SELECT count(*) FROM users WHERE deletion_at_ms = 1`); n > 0 {
			return fmt.Errorf("%d are there", n)
		}
		return nil
	})
	for _, list := range []struct {
		people []*visitor
		want   int
	}{{l.stayed, http.StatusOK}, {l.left, http.StatusUnauthorized}} {
		for _, v := range list.people {
			v.p = h.processes[0]
			if in, err := v.login(t.Context(), adminPassword); err != nil || in.status != list.want {
				t.Errorf("%s signs in with %d %s, %v; want %d", v.email, in.status, in.body, err, list.want)
			}
		}
	}
	if n := h.number(t, `SELECT count(*) FROM audit_log WHERE action = 'user.erase'`); n != len(l.left) {
		t.Errorf("%d are removed, and %d left", n, len(l.left))
	}
	h.checkNobody(t)
}

// checkNobody fails the test if anything about somebody who leaves, or has left, is half done.
func (h *house) checkNobody(tb testing.TB) {
	tb.Helper()
	const (
		entries = `(SELECT count(*) FROM audit_log a WHERE a.target_id = u.id AND a.action = 'user.%s')`
		erased  = `SELECT target_id FROM audit_log WHERE action = 'user.erase'`
		link    = `EXISTS (SELECT 1 FROM mail_tokens m WHERE m.user_id = u.id AND m.kind = 'delete_cancel')`
		nobody  = ` NOT IN ('deleted', 'anonymous') AND NOT EXISTS (SELECT 1 FROM users u WHERE u.id = `
	)
	plans := fmt.Sprintf(entries, "plan_deletion") + ` - ` + fmt.Sprintf(entries, "cancel_deletion")
	for what, query := range map[string]string{
		"sessions of those who leave":              `SELECT count(*) FROM sessions s JOIN users u ON u.id = s.user_id WHERE u.deletion_at_ms <> 0`,
		"keys of those who leave":                  `SELECT count(*) FROM api_keys k JOIN users u ON u.id = k.user_id WHERE u.deletion_at_ms <> 0`,
		"who leave without the link, or stay with": `SELECT count(*) FROM users u WHERE (u.deletion_at_ms <> 0) <> ` + link,
		"plans that the audit does not have":       `SELECT count(*) FROM users u WHERE (u.deletion_at_ms <> 0) <> (` + plans + ` = 1)`,
		"plans that the audit has too often":       `SELECT count(*) FROM users u WHERE (` + plans + `) NOT IN (0, 1)`,
		"who are removed and there":                `SELECT count(*) FROM users WHERE id IN (` + erased + `)`,
		"who are removed more than once":           `SELECT count(*) FROM (` + erased + ` GROUP BY target_id HAVING count(*) > 1) x`,
		"names of those who left in the audit":     `SELECT count(*) FROM audit_log WHERE actor_id IN (` + erased + `) AND actor_name <> ''`,
		"addresses of those who left in the audit": `SELECT count(*) FROM audit_log WHERE target_id IN (` + erased + `) AND details_json LIKE '%@example.com%'`,
		"orders of nobody":                         `SELECT count(*) FROM orders o WHERE o.user_id` + nobody + `o.user_id)`,
		"licenses of nobody":                       `SELECT count(*) FROM licenses l WHERE l.user_id` + nobody + `l.user_id)`,
		"orders whose license is somebody else's":  `SELECT count(*) FROM orders o JOIN licenses l ON l.id = o.license_id WHERE o.user_id <> l.user_id`,
		"links of nobody":                          `SELECT count(*) FROM mail_tokens m WHERE NOT EXISTS (SELECT 1 FROM users u WHERE u.id = m.user_id)`,
		"keys of nobody":                           `SELECT count(*) FROM api_keys k WHERE k.user_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM users u WHERE u.id = k.user_id)`,
	} {
		if n := h.number(tb, query); n != 0 {
			tb.Errorf("there are %d %s", n, what)
		}
	}
	removed := h.number(tb, `SELECT count(*) FROM audit_log WHERE action = 'user.erase'`)
	if told := h.number(tb, `SELECT count(*) FROM events WHERE type = 'user.deleted'`); told != removed {
		tb.Errorf("%d are removed, and %d events say so", removed, told)
	}
}
