package store

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"stoa/internal/data/database"
	"stoa/internal/trust/audit"
)

// Audit implements audit.Store.
type Audit struct{ audited }

var _ audit.Store = (*Audit)(nil)

// NewAudit returns the audit log of db.
func NewAudit(db *database.DB) *Audit { return &Audit{audited{db.Conn()}} }

// AuditIn returns the audit log as conn writes it: in its transaction.
func AuditIn(conn database.Conn) *Audit { return &Audit{audited{conn}} }

// audited is a database.Conn with the Record of a domain's Store.
type audited struct{ database.Conn }

// Record implements audit.Store, and Record of the domains' Stores. Inside a
// transaction the entry is part of it.
func (c audited) Record(ctx context.Context, e audit.Entry) error {
	details := "{}"
	if len(e.Details) > 0 {
		b, err := json.Marshal(e.Details)
		if err != nil {
			return fmt.Errorf("store: audit details: %w", err)
		}
		details = string(b)
	}
	// The query looks up a user's name, so no caller has to know it and none can give
	// a wrong one.
	_, err := c.Write.ExecContext(ctx, `
		INSERT INTO audit_log (id, at_ms, actor_kind, actor_id, actor_name,
			action, target_type, target_id, address, request_id, details_json, behalf_id, behalf_name)
		VALUES ($1, $2, $3, $4, CASE WHEN $3 = 'user' THEN COALESCE((SELECT email FROM users WHERE id = $4), '') ELSE $5 END,
			$6, $7, $8, $9, $10, $11, $12,
			CASE WHEN $12 = '' THEN '' ELSE COALESCE((SELECT email FROM users WHERE id = $12), '') END)`,
		e.ID, database.Millis(e.At), string(e.Actor.Kind), e.Actor.ID, e.Actor.Name,
		string(e.Action), e.Target.Type, e.Target.ID, e.Address, e.RequestID, details, e.Behalf.ID)
	return err
}

// ListEntries implements audit.Store.
func (a *Audit) ListEntries(ctx context.Context, q audit.Query) ([]audit.Entry, int, error) {
	where := auditWhere(q)
	var total int
	err := a.Read.QueryRowContext(ctx, `SELECT count(*) FROM audit_log a`+where.String(), where.Args()...).Scan(&total)
	if err != nil {
		return nil, 0, err
	}
	page, args := where.Page(q.Limit, q.Offset)
	list, err := database.All(ctx, a.Read, scanEntry, `
		SELECT a.id, a.at_ms, a.actor_kind, a.actor_id, a.actor_name,
			a.action, a.target_type, a.target_id, a.address, a.request_id, a.details_json, a.behalf_id, a.behalf_name
		FROM audit_log a`+where.String()+auditOrders.by(q.Sort, "-at")+page, args...)
	return list, total, err
}

func scanEntry(row database.Scanner) (audit.Entry, error) {
	var e audit.Entry
	err := scanEntryAfter(row, &e)
	return e, err
}

// scanEntryAfter scans the columns of an entry after those that go to first.
func scanEntryAfter(row database.Scanner, e *audit.Entry, first ...any) error {
	var details string
	err := row.Scan(append(first, &e.ID, database.ScanMillis(&e.At), &e.Actor.Kind, &e.Actor.ID, &e.Actor.Name,
		&e.Action, &e.Target.Type, &e.Target.ID, &e.Address, &e.RequestID, &details, &e.Behalf.ID, &e.Behalf.Name)...)
	if err != nil {
		return err
	}
	if err := json.Unmarshal([]byte(details), &e.Details); err != nil {
		return fmt.Errorf("store: audit entry %s: details: %w", e.ID, err)
	}
	return nil
}

// auditWhere returns the conditions of a query.
func auditWhere(q audit.Query) (w database.Where) {
	if q.Customers {
		w.And(`(a.target_type IN ('order', 'license', 'review')
			OR a.target_type = 'user' AND a.target_id NOT IN (SELECT id FROM users WHERE role <> 'USER'))`)
	}
	switch {
	case q.Search != "" && q.Masked:
		w.And(`(lower(a.actor_id) LIKE $2 ESCAPE '~'
			OR lower(a.target_id) LIKE CASE WHEN a.target_type IN ('plugin', 'theme') THEN $1 ELSE $2 END ESCAPE '~'
			OR a.request_id LIKE $2 ESCAPE '~'
			OR a.target_id IN (SELECT id FROM products WHERE slug LIKE $1 ESCAPE '~'))`, search(q.Search)[:2]...)
	case q.Search != "":
		w.And(`(lower(a.actor_name) LIKE $1 ESCAPE '~' OR lower(a.actor_id) LIKE $2 ESCAPE '~'
			OR lower(a.target_id) LIKE CASE WHEN a.target_type IN ('plugin', 'theme') THEN $1 ELSE $2 END ESCAPE '~'
			OR a.request_id LIKE $2 ESCAPE '~'
			OR a.target_id IN (SELECT id FROM users WHERE email_key LIKE $1 ESCAPE '~')
			OR a.target_id IN (SELECT id FROM products WHERE slug LIKE $1 ESCAPE '~')
			OR a.target_id IN (SELECT id FROM licenses WHERE key_tail = $3))`, searchBy(q.Search, q.NoTails)...)
	}
	if q.Actor != "" && q.Masked {
		w.And(`(a.actor_id = $1 OR a.behalf_id = $1)`, q.Actor)
	} else if q.Actor != "" {
		w.And(`(a.actor_id = $1 OR a.actor_name = $1 OR a.behalf_id = $1 OR a.behalf_name = $1)`, q.Actor)
	}
	if q.Action != "" {
		family := strings.TrimSuffix(q.Action, ".") + "."
		w.And(`(a.action = $1 OR substr(a.action, 1, length($2)) = $2)`, q.Action, family)
	}
	switch kind, id, both := strings.Cut(q.Target, ":"); {
	case both:
		w.And(`a.target_type = $1 AND a.target_id = $2`, kind, id)
	case q.Target != "":
		w.And(`a.target_id = $1`, q.Target)
	}
	if !q.From.IsZero() {
		w.And(`a.at_ms >= $1`, database.Millis(q.From))
	}
	if !q.To.IsZero() {
		w.And(`a.at_ms < $1`, database.Millis(q.To))
	}
	return w
}
