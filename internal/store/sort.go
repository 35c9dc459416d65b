package store

import (
	"strings"

	"stoa/internal/base/paging"
	"stoa/internal/data/database"
)

// orders are the orders of a list by the name that requests use. Each ends with columns
// that no two rows share, so that pages neither repeat nor skip a row.
type orders map[string]string

var (
	userOrders = orders{
		"created":  `u.created_at_ms, u.id`,
		"email":    `u.email_key, u.id`,
		"username": `u.username_key, u.id`,
		"role":     `u.role, u.created_at_ms, u.id`,
	}
	orderOrders = orders{
		"created": `o.created_at_ms, o.id DESC`,
		"amount":  `o.amount_minor, o.created_at_ms, o.id DESC`,
		"product": `p.name_sort, p.id, o.created_at_ms, o.id DESC`,
		"status":  `o.status, o.created_at_ms, o.id DESC`,
	}
	licenseOrders = orders{
		"created": `l.created_at_ms, l.id DESC`,
		"expires": `l.expires_at_ms IS NULL, l.expires_at_ms, l.created_at_ms, l.id DESC`,
		"product": `p.name_sort, p.id, l.created_at_ms, l.id DESC`,
	}
	auditOrders = orders{
		"at":     `a.at_ms, a.seq`,
		"actor":  `a.actor_name, a.actor_id, a.at_ms, a.seq`,
		"action": `a.action, a.at_ms, a.seq`,
	}
	webhookOrders = orders{
		"created": `w.created_at_ms, w.id`,
		"url":     `w.url, w.id`,
	}
	reviewOrders = orders{
		"created": `r.created_at_ms, r.id DESC`,
		"rating":  `r.rating, r.created_at_ms, r.id DESC`,
	}
	packageOrders = orders{ // by name: sortByName
		"slug":    `p.slug`,
		"updated": `p.updated_at_ms, p.slug`,
	}
	instanceOrders = orders{
		"created": `i.created_at_ms, i.instance_key`,
		"key":     `i.instance_key`,
		"updated": `i.updated_at_ms, i.instance_key`,
	}
)

// by returns the ORDER BY clause of a sort, or of the list's own if sort is empty. "-"
// stands for descending.
func (o orders) by(sort, own string) string {
	if sort == "" {
		sort = own
	}
	name, descending := strings.CutPrefix(sort, "-")
	order := o[name]
	if descending {
		order = backwards(order)
	}
	return ` ORDER BY ` + order
}

// follow selects the rows of a list in the order of "-created" that come after a mark, and reports whether there is
// one. row is the name of the list's table, and next says which of two rows of the same time comes later: "<" the one
// with the lower id, ">" the one with the higher.
func follow(w *database.Where, row, next string, after paging.Mark) bool {
	if after == (paging.Mark{}) {
		return false
	}
	w.And(row+`.created_at_ms <= $1 AND (`+row+`.created_at_ms < $1 OR `+row+`.id `+next+` $2)`, after.At.UnixMilli(),
		after.ID)
	return true
}
