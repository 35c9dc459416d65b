package store

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"stoa/internal/account"
	"stoa/internal/account/leave"
	"stoa/internal/account/mailbox"
	"stoa/internal/base/reqctx"
	"stoa/internal/data/database"
	"stoa/internal/shop/order"
	"stoa/internal/trust/audit"
)

// Leave implements leave.Store on the users of an Account.
type Leave struct{ *Account }

var _ leave.Store = Leave{}

// InTx implements leave.Store.
func (s Leave) InTx(ctx context.Context, fn func(leave.Store) error) error {
	return s.settled(ctx, s.Conn.InTx, func(tx *Account) error { return fn(Leave{tx}) })
}

// PlanDeletion implements leave.Store.
func (s Leave) PlanDeletion(ctx context.Context, id string, at time.Time) error {
	defer s.Settle(ctx)
	res, err := s.Write.ExecContext(ctx, `
		UPDATE users SET deletion_at_ms = $1, generation = generation + 1 WHERE id = $2`, database.Millis(at), id)
	if err := database.Affected(res, err, "User"); err != nil {
		return err
	}
	if err := s.VoidResets(ctx, id); err != nil {
		return err
	}
	if _, err := s.Write.ExecContext(ctx, `DELETE FROM api_keys WHERE user_id = $1`, id); err != nil {
		return err
	}
	return s.DeleteSessionsExcept(ctx, id, "")
}

// DueDeletions implements leave.Store.
func (s Leave) DueDeletions(ctx context.Context, now time.Time, limit int) ([]string, error) {
	return database.Texts(ctx, s.Read, `
		SELECT id FROM users WHERE deletion_at_ms <> 0 AND deletion_at_ms <= $1
		ORDER BY deletion_at_ms, id LIMIT $2`, database.Millis(now), limit)
}

// Erase implements leave.Store.
func (s Leave) Erase(ctx context.Context, c account.Credentials, kept time.Time) error {
	defer s.Settle(ctx)
	if _, err := s.blank(ctx, `user_id = $1 AND created_at_ms <= $2`, ``, c.ID, database.Millis(kept)); err != nil {
		return err
	}
	if err := s.releaseGuestOrders(ctx, c, kept); err != nil {
		return err
	}
	for _, part := range []func(context.Context, string) error{
		s.releaseOrders, s.eraseReviews, s.eraseUser, s.blankAudit,
	} {
		if err := part(ctx, c.ID); err != nil {
			return err
		}
	}
	return s.eraseInvitations(ctx, c)
}

// Release implements leave.Store.
func (s Leave) Release(ctx context.Context, id string) error {
	for _, part := range []func(context.Context, string) error{s.releaseOrders, s.eraseReviews, s.blankAudit} {
		if err := part(ctx, id); err != nil {
			return err
		}
	}
	return nil
}

// ErasedSince implements leave.Store.
func (s Leave) ErasedSince(ctx context.Context, since time.Time) ([]string, error) {
	return database.Texts(ctx, s.Read, `SELECT target_id FROM audit_log WHERE action = $1 AND at_ms >= $2`,
		string(audit.UserErase), database.Millis(since))
}

// releaseOrders takes a user's orders and licenses from them. Licenses go on working by their keys.
func (s Leave) releaseOrders(ctx context.Context, userID string) error {
	// Their subscriptions are to be ended.
	_, err := s.Write.ExecContext(ctx, `UPDATE orders SET user_id = $1, `+afresh+` WHERE user_id = $2`,
		reqctx.Deleted, userID)
	if err != nil {
		return err
	}
	_, err = s.Write.ExecContext(ctx, `UPDATE licenses SET user_id = $1 WHERE user_id = $2`, reqctx.Deleted, userID)
	if err != nil {
		return err
	}
	_, err = s.Write.ExecContext(ctx, `DELETE FROM order_claims WHERE user_id = $1`, userID)
	return err
}

// releaseGuestOrders does the same with the orders that guests made with the user's mailbox, which whoever gets the
// address later could claim. Nobody but who proved to have the mailbox decides about them.
func (s Leave) releaseGuestOrders(ctx context.Context, c account.Credentials, kept time.Time) error {
	key := order.EmailKey(c.Email)
	if c.ProvenAt.IsZero() || key == "" {
		return nil
	}
	type guests struct{ id, license, billing string }
	list, err := database.All(ctx, s.Read, func(row database.Scanner) (g guests, err error) {
		err = row.Scan(&g.id, &g.license, &g.billing)
		return g, err
	}, `
		SELECT id, license_id, COALESCE(billing_info, '{}') FROM orders
		WHERE billing_email_key = $1 AND user_id = 'anonymous'`, key)
	if err != nil {
		return err
	}
	for _, g := range list {
		var b order.BillingInfo
		if err := json.Unmarshal([]byte(g.billing), &b); err != nil {
			return fmt.Errorf("store: order %s: billing_info: %w", g.id, err)
		}
		if !mailbox.Same(b.Email, c.Email) { // EmailKey equates more
			continue
		}
		if _, err := s.Write.ExecContext(ctx, `UPDATE orders SET user_id = $1, `+afresh+` WHERE id = $2`,
			reqctx.Deleted, g.id); err != nil {
			return err
		}
		// Not the license of whoever bought what a guest only tried, nor what a guest did not pay for.
		if _, err := s.Write.ExecContext(ctx, `
			UPDATE licenses SET user_id = $1 WHERE id = $2 AND user_id = 'anonymous'
				AND EXISTS (SELECT 1 FROM orders WHERE id = $3 AND `+gaveLicense+`)`,
			reqctx.Deleted, g.license, g.id); err != nil {
			return err
		}
		if _, err := s.blank(ctx, `id = $1 AND created_at_ms <= $2`, ``, g.id, database.Millis(kept)); err != nil {
			return err
		}
	}
	return nil
}

// eraseReviews takes the author from a user's reviews. A product has one review of each author, so those without get
// one that nobody is.
func (s Leave) eraseReviews(ctx context.Context, userID string) error {
	_, err := s.Write.ExecContext(ctx, `UPDATE reviews SET user_id = $1 || id WHERE user_id = $2`,
		reqctx.Deleted+":", userID)
	return err
}

// eraseUser deletes a user, and with it whatever references it.
func (s Leave) eraseUser(ctx context.Context, userID string) error {
	res, err := s.Write.ExecContext(ctx, `DELETE FROM users WHERE id = $1`, userID)
	return database.Affected(res, err, "User")
}

// blankAudit takes a user's addresses from the audit log, which allows that once there is no such user.
func (s Leave) blankAudit(ctx context.Context, userID string) error {
	for _, statement := range []string{
		`UPDATE audit_log SET actor_name = '' WHERE actor_id = $1 AND actor_kind = 'user' AND actor_name <> ''`,
		`UPDATE audit_log SET behalf_name = '' WHERE behalf_id = $1 AND behalf_id <> '' AND behalf_name <> ''`,
	} {
		if _, err := s.Write.ExecContext(ctx, statement, userID); err != nil {
			return err
		}
	}
	return s.blankDetails(ctx, func(detailed) bool { return true },
		`SELECT id, action, details_json FROM audit_log WHERE target_id = $1 AND target_type = 'user'`, userID)
}

// eraseInvitations deletes the invitations to a user's mailbox, and blanks the address in what the audit log has of
// them. Nobody but who proved to have the mailbox decides about them.
func (s Leave) eraseInvitations(ctx context.Context, c account.Credentials) error {
	if c.ProvenAt.IsZero() {
		return nil
	}
	if _, err := s.Write.ExecContext(ctx, `DELETE FROM invitations WHERE mailbox_key = $1`,
		mailbox.Key(c.Email)); err != nil {
		return err
	}
	return s.blankDetails(ctx, func(d detailed) bool {
		var about struct{ Email string }
		return json.Unmarshal([]byte(d.details), &about) == nil && mailbox.Same(about.Email, c.Email)
	}, `SELECT id, action, details_json FROM audit_log WHERE target_type = 'invitation' AND action IN ($1, $2)`,
		string(audit.StaffInvite), string(audit.StaffRevokeInvite))
}

// detailed is an entry of the audit log with its details.
type detailed struct {
	id, action, details string
}

// blankDetails blanks the addresses in the details of entries that a query selects, and which accepts.
func (s Leave) blankDetails(ctx context.Context, which func(detailed) bool, query string, args ...any) error {
	list, err := database.All(ctx, s.Read, func(row database.Scanner) (d detailed, err error) {
		err = row.Scan(&d.id, &d.action, &d.details)
		return d, err
	}, query, args...)
	if err != nil {
		return err
	}
	list = slices.DeleteFunc(list, func(d detailed) bool { return !which(d) })
	for _, d := range list {
		blank, err := withoutAddresses(audit.Action(d.action), d.details)
		if err != nil {
			return fmt.Errorf("store: audit entry %s: details: %w", d.id, err)
		}
		if blank == d.details {
			continue
		}
		if _, err := s.Write.ExecContext(ctx, `UPDATE audit_log SET details_json = $1 WHERE id = $2`,
			blank, d.id); err != nil {
			return err
		}
	}
	return nil
}

// withoutAddresses blanks the addresses in the details of an entry about a user. The trigger of audit_log has the same
// names, and compares the rest.
func withoutAddresses(action audit.Action, details string) (string, error) {
	var all map[string]json.RawMessage
	if err := json.Unmarshal([]byte(details), &all); err != nil {
		return "", err
	}
	names := []string{"email"}
	if action == audit.UserChangeEmail || action == audit.UserRevertEmail {
		names = append(names, "from")
	}
	for _, name := range names {
		if _, ok := all[name]; ok {
			all[name] = json.RawMessage(`""`)
		}
	}
	blank, err := json.Marshal(all)
	return string(blank), err
}

// BlankBills implements leave.Store.
func (s Leave) BlankBills(ctx context.Context, until time.Time, limit int) (int, error) {
	return s.blank(ctx, `user_id = 'deleted' AND created_at_ms <= $1`, ` ORDER BY created_at_ms LIMIT $2`,
		database.Millis(until), limit)
}

// blank removes who the buyers of orders are from their bills, and from what is kept of their tax and invoices. It
// returns how many orders or payments it was, whichever is more.
func (s Leave) blank(ctx context.Context, which, some string, args ...any) (most int, err error) {
	for _, statement := range []string{
		`
		UPDATE orders SET billing_info = NULL, billing_email_key = NULL, billing_name_key = NULL, billing_company_key = NULL
		WHERE id IN (SELECT id FROM orders WHERE ` + which + ` AND billing_info IS NOT NULL` + some + `)`, `
		UPDATE payments SET tax_id = NULL, invoice_url = NULL, invoice_pdf = NULL
		WHERE order_id IN (SELECT id FROM orders WHERE ` + which + ` AND EXISTS (SELECT 1 FROM payments p
			WHERE p.order_id = orders.id AND (p.tax_id IS NOT NULL OR p.invoice_url IS NOT NULL))` + some + `)`,
	} {
		res, err := s.Write.ExecContext(ctx, statement, args...)
		if err != nil {
			return 0, err
		}
		n, err := res.RowsAffected()
		if err != nil {
			return 0, err
		}
		most = max(most, int(n))
	}
	return most, nil
}
