package store

import (
	"stoa/internal/database"

	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"strings"

	"stoa/internal/audit"
)

// Audit implements audit.Store.
type Audit struct {
	conn
}

var _ audit.Store = (*Audit)(nil)

// NewAudit returns the audit log of db.
func NewAudit(db *database.DB) *Audit { return &Audit{newConn(db)} }

// Record implements audit.Store, and the Record of every domain's Store: all of
// them embed conn. Inside a domain's transaction the entry is part of it.
func (c conn) Record(ctx context.Context, e audit.Entry) error {
	details := "{}"
	if len(e.Details) > 0 {
		b, err := json.Marshal(e.Details)
		if err != nil {
			return fmt.Errorf("store: audit details: %w", err)
		}
		details = string(b)
	}
	// The name is looked up here, so that no request has to know it and none can
	// state another.
	_, err := c.Write.ExecContext(ctx, `
		INSERT INTO audit_log (id, at_ms, actor_kind, actor_id, actor_name, action, target_type, target_id, address, request_id, details_json)
		VALUES ($1, $2, $3, $4, CASE WHEN $3 = 'user' THEN COALESCE((SELECT email FROM users WHERE id = $4), '') ELSE $5 END, $6, $7, $8, $9, $10, $11)`,
		e.ID, database.Millis(e.At), string(e.Actor.Kind), e.Actor.ID, e.Actor.Name, string(e.Action),
		e.Target.Type, e.Target.ID, e.Address, e.RequestID, details)
	return err
}

// ListEntries implements audit.Store.
func (a *Audit) ListEntries(ctx context.Context, q audit.Query) ([]audit.Entry, int, error) {
	where, args := auditWhere(q)
	var total int
	if err := a.Read.QueryRowContext(ctx, `SELECT count(*) FROM audit_log a`+where, args...).Scan(&total); err != nil {
		return nil, 0, err
	}
	rows, err := a.Read.QueryContext(ctx, `
		SELECT a.id, a.at_ms, a.actor_kind, a.actor_id, a.actor_name, a.action, a.target_type, a.target_id, a.address, a.request_id, a.details_json
		FROM audit_log a`+where+fmt.Sprintf(`
		ORDER BY a.at_ms DESC, a.seq DESC
		LIMIT $%d OFFSET $%d`, len(args)+1, len(args)+2), append(args, q.Limit, q.Offset)...)
	if err != nil {
		return nil, 0, err
	}
	defer rows.Close()

	list := []audit.Entry{}
	for rows.Next() {
		var (
			e       audit.Entry
			at      sql.NullInt64
			details string
		)
		err := rows.Scan(&e.ID, &at, &e.Actor.Kind, &e.Actor.ID, &e.Actor.Name, &e.Action, &e.Target.Type, &e.Target.ID, &e.Address, &e.RequestID, &details)
		if err != nil {
			return nil, 0, err
		}
		e.At = fromMillis(at)
		if err := json.Unmarshal([]byte(details), &e.Details); err != nil {
			return nil, 0, fmt.Errorf("store: audit entry %s: details: %w", e.ID, err)
		}
		list = append(list, e)
	}
	return list, total, rows.Err()
}

// auditWhere returns the WHERE clause of a query and its arguments.
func auditWhere(q audit.Query) (where string, args []any) {
	var terms []string
	arg := func(v any) string {
		args = append(args, v)
		return fmt.Sprintf("$%d", len(args))
	}
	if q.Actor != "" {
		a := arg(q.Actor)
		terms = append(terms, "(a.actor_id = "+a+" OR a.actor_name = "+a+")")
	}
	if q.Action != "" {
		a, family := arg(q.Action), arg(strings.TrimSuffix(q.Action, ".")+".")
		terms = append(terms, "(a.action = "+a+" OR substr(a.action, 1, length("+family+")) = "+family+")")
	}
	switch kind, id, both := strings.Cut(q.Target, ":"); {
	case both:
		terms = append(terms, "a.target_type = "+arg(kind)+" AND a.target_id = "+arg(id))
	case q.Target != "":
		terms = append(terms, "a.target_id = "+arg(q.Target))
	}
	if !q.From.IsZero() {
		terms = append(terms, "a.at_ms >= "+arg(q.From.UnixMilli()))
	}
	if !q.To.IsZero() {
		terms = append(terms, "a.at_ms < "+arg(q.To.UnixMilli()))
	}
	if len(terms) == 0 {
		return "", nil
	}
	return " WHERE " + strings.Join(terms, " AND "), args
}
