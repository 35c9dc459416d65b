package store

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"stoa/internal/data/database"
	"stoa/internal/operate/lookup"
)

// Lookup implements lookup.Store.
type Lookup struct{ database.Conn }

var _ lookup.Store = (*Lookup)(nil)

// NewLookup returns the search in db.
func NewLookup(db *database.DB) *Lookup { return &Lookup{db.Conn()} }

// matches collects the ids that a search finds, each with a rank: the lower, the better. Each part
// of the union has its own limit and index, so that no part reads more than it returns.
type matches struct {
	parts []string
	args  []any
	limit int
}

// with adds a part: the ids of the rows of from that meet a condition, whose placeholder is
// written as ?.
func (m *matches) with(rank int, column, from, condition string, arg any) {
	m.args = append(m.args, arg)
	condition = strings.ReplaceAll(condition, "?", fmt.Sprintf("$%d", len(m.args)))
	m.parts = append(m.parts, fmt.Sprintf("SELECT * FROM (SELECT %s AS id, %d AS rank FROM %s WHERE %s LIMIT %d) m%d",
		column, rank, from, condition, m.limit, len(m.parts)))
}

// text adds a part for texts that begin with the search text, or contain it.
func (m *matches) text(q lookup.Query, from, column, text string) {
	if q.Middle {
		m.with(3, "id", from, column+` LIKE ? ESCAPE '~'`, database.Like(text))
		return
	}
	m.with(0, "id", from, column+` = ?`, text)
	m.args = append(m.args, text)
	m.with(1, "id", from, fmt.Sprintf(`%s >= $%d AND %s < ?`, column, len(m.args), column), text+"\U0010FFFF")
}

// in adds a part for each of a list of values of a column.
func (m *matches) in(rank int, id, from, column string, values []string) {
	for _, v := range values {
		m.with(rank, id, from, column+" = ?", v)
	}
}

// union returns a query for the best matches, as a table with id and rank.
func (m *matches) union() string {
	return fmt.Sprintf(`(SELECT id, min(rank) AS rank FROM (%s) u GROUP BY id)`, strings.Join(m.parts, " UNION ALL "))
}

// list reads the items of the best matches. columns are id, slug, title, subtitle and state of a
// row of from, which has the alias t and the matched id; order sorts items of the same rank.
func (s *Lookup) list(ctx context.Context, m *matches, columns, from, order string) ([]lookup.Item, error) {
	args := slices.Concat(m.args, []any{m.limit})
	return database.All(ctx, s.Read, func(row database.Scanner) (it lookup.Item, err error) {
		err = row.Scan(&it.ID, &it.Slug, &it.Title, &it.Subtitle, &it.State)
		return it, err
	}, fmt.Sprintf(`SELECT %s FROM %s JOIN %s m ON m.id = t.id ORDER BY m.rank, %s LIMIT $%d`,
		columns, from, m.union(), order, len(args)), args...)
}

// Users implements lookup.Store.
func (s *Lookup) Users(ctx context.Context, q lookup.Query) ([]lookup.Item, error) {
	m := &matches{limit: q.Limit}
	if !q.Masked {
		m.text(q, "users", "email_key", q.Key)
	}
	m.text(q, "users", "username_key", q.Key)
	if q.Middle {
		m.text(q, "users", "id", q.Text)
	} else {
		m.with(0, "id", "users", "id = ?", q.Text)
	}
	// Their alias t is u for isActive.
	const state = `(SELECT CASE WHEN ` + isActive + ` THEN 'active' ELSE 'inactive' END FROM users u WHERE u.id = t.id)`
	return s.list(ctx, m, `t.id, '', t.email, t.username, `+state,
		`users t`, `t.created_at_ms DESC, t.id`)
}

// Orders implements lookup.Store.
func (s *Lookup) Orders(ctx context.Context, q lookup.Query) ([]lookup.Item, error) {
	m := &matches{limit: q.Limit}
	m.text(q, "orders", "id", q.Text)
	bills, billed := "orders", `coalesce(' · ' || t.billing_email_key, '')`
	if q.NoFormer {
		bills = "(SELECT * FROM orders WHERE user_id <> 'deleted') kept"
		billed = `CASE WHEN t.user_id = 'deleted' THEN '' ELSE ` + billed + ` END`
	}
	if !q.Masked {
		m.text(q, bills, "billing_email_key", q.Key)
		m.text(q, bills, "billing_name_key", q.Key)
		m.text(q, bills, "billing_company_key", q.Key)
	}
	latest := func(column string) string { return column + " = ? ORDER BY created_at_ms DESC, id" }
	for _, id := range q.Users {
		m.with(2, "id", "orders", latest("user_id"), id)
	}
	if q.KeyHash != "" {
		m.with(0, "id", "orders", "license_id = (SELECT id FROM licenses WHERE key_hash = ?)", q.KeyHash)
	}
	return s.list(ctx, m, `t.id, '', t.id, p.name || `+billed+`, t.status`,
		`orders t JOIN products p ON p.id = t.product_id`, `t.created_at_ms DESC, t.id`)
}

const (
	licenseItem = `t.id, '', t.id, p.name, CASE WHEN t.revoked_at_ms IS NOT NULL THEN 'revoked'
		WHEN t.expires_at_ms + t.leeway_ms <= $1 THEN 'expired' ELSE 'active' END`
	licensesOf = `licenses t JOIN products p ON p.id = t.product_id`
)

// Licenses implements lookup.Store.
func (s *Lookup) Licenses(ctx context.Context, q lookup.Query) ([]lookup.Item, error) {
	m := &matches{limit: q.Limit, args: []any{database.Millis(q.At)}} // $1 of licenseItem
	m.text(q, "licenses", "id", q.Text)
	if q.KeyHash != "" {
		m.with(0, "id", "licenses", "key_hash = ?", q.KeyHash)
	}
	m.in(1, "license_id", "orders", "id", q.Orders)
	for _, id := range q.Users {
		m.with(2, "id", "licenses", "user_id = ? ORDER BY created_at_ms DESC, id", id)
	}
	return s.list(ctx, m, licenseItem, licensesOf, `t.created_at_ms DESC, t.id`)
}

// LicensesByTail implements lookup.Store.
func (s *Lookup) LicensesByTail(ctx context.Context, q lookup.Query) ([]lookup.Sealed, error) {
	return database.All(ctx, s.Read, func(row database.Scanner) (l lookup.Sealed, err error) {
		err = row.Scan(&l.ID, &l.Slug, &l.Title, &l.Subtitle, &l.State, &l.KeySealed)
		return l, err
	}, `SELECT `+licenseItem+`, t.key_sealed FROM `+licensesOf+`
		WHERE t.key_tail = $2 ORDER BY t.created_at_ms DESC, t.id LIMIT $3`,
		database.Millis(q.At), q.KeyTail, q.Limit)
}

// Products implements lookup.Store.
func (s *Lookup) Products(ctx context.Context, q lookup.Query) ([]lookup.Item, error) {
	m := &matches{limit: q.Limit}
	m.text(q, "products", "id", q.Text)
	m.text(q, "products", "slug", q.Key)
	m.with(2, "id", "products", `search_text LIKE ? ESCAPE '~'`, database.Like(q.Key))
	return s.list(ctx, m, `t.id, t.slug, t.name, t.slug, CASE WHEN t.published THEN 'published' ELSE 'draft' END`,
		`products t`, `t.name_sort, t.id`)
}

// Plugins implements lookup.Store.
func (s *Lookup) Plugins(ctx context.Context, q lookup.Query) ([]lookup.Item, error) {
	m := &matches{limit: q.Limit}
	m.with(0, "id", "plugin_packages", `slug = ? AND deleted_at_ms IS NULL`, q.Key)
	m.with(1, "id", "plugin_packages", `slug LIKE ? ESCAPE '~' AND deleted_at_ms IS NULL`, database.Like(q.Key))
	return s.list(ctx, m, `t.id, t.slug, t.slug, t.source, ''`, `plugin_packages t`, `t.slug`)
}

// Instances implements lookup.Store.
func (s *Lookup) Instances(ctx context.Context, q lookup.Query) ([]lookup.Item, error) {
	m := &matches{limit: q.Limit}
	m.text(q, "plugin_instances", "id", q.Key)
	m.text(q, "plugin_instances", "instance_key", q.Key)
	return s.list(ctx, m,
		`t.id, t.package_slug, t.package_slug || ' · ' || t.instance_key, t.id,
			CASE WHEN t.enabled THEN 'enabled' ELSE 'disabled' END`,
		`plugin_instances t JOIN plugin_packages p ON p.slug = t.package_slug
			AND p.deleted_at_ms IS NULL AND t.deleted_at_ms IS NULL`, `t.package_slug, t.instance_key`)
}

// Webhooks implements lookup.Store.
func (s *Lookup) Webhooks(ctx context.Context, q lookup.Query) ([]lookup.Item, error) {
	m := &matches{limit: q.Limit}
	m.text(q, "webhooks", "id", q.Text)
	m.with(1, "id", "webhooks", `lower(url) LIKE ? ESCAPE '~'`, database.Like(q.Key))
	return s.list(ctx, m, `t.id, '', t.url, '', CASE WHEN t.enabled THEN 'enabled' ELSE 'disabled' END`,
		`webhooks t`, `t.created_at_ms, t.id`)
}
