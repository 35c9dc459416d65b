// Package lookup finds everything about a customer by whatever they write: part of an
// e-mail address, an order number or a part of it, a license key or a half of one. It
// reads across the domains and changes nothing.
package lookup

import (
	"context"
	"slices"
	"strings"
	"time"

	"stoa/internal/account"
	"stoa/internal/base/errs"
	"stoa/internal/base/text"
	"stoa/internal/shop/license"
)

// Kind is the kind of an item.
type Kind string

// The kinds, in the order in which groups are shown.
const (
	User     Kind = "user"
	Order    Kind = "order"
	License  Kind = "license"
	Product  Kind = "product"
	Plugin   Kind = "plugin"
	Instance Kind = "instance"
	Webhook  Kind = "webhook"
)

// Item is a search result.
type Item struct {
	ID       string
	Slug     string // of the product, or of the plugin; empty for others
	Title    string
	Subtitle string
	State    string
}

// Group has the items of one kind, the best first. It is not empty.
type Group struct {
	Kind  Kind
	Items []Item
}

// PerKind is the maximum number of items in a group.
const PerKind = 5

// Limits of the searched text, in characters.
const (
	MaxText = 320 // the longest e-mail address
	minText = 2
	// minPart is the minimum length for finding a text in the middle of an id or an address:
	// shorter ones are part of many.
	minPart = 4
)

// Query is what Store looks for.
type Query struct {
	Text string // as it was written, without space around it
	Key  string // the same in the form in which addresses and names are compared
	// Users and Orders are ids that were found before: what is theirs is found, too.
	Users, Orders []string
	// KeyHash is that of a whole license key, KeyTail the last group of a half. An empty one
	// finds nothing.
	KeyHash, KeyTail string
	// Middle says to look into the middle of texts, too, which reads whole indexes.
	Middle bool

	// Masked says that the reader sees no addresses: users and orders are not found by one.
	Masked bool
	// NoFormer says that what those who left wrote on their bills is neither searched for nor shown.
	NoFormer bool

	At    time.Time
	Limit int
}

// Reader is for whom is searched.
type Reader struct {
	Shows  func(Kind) bool // whether they see things of a kind; nothing of another is found, nor anything by it
	People bool            // whether they see addresses and the ends of keys
	Former bool            // whether they see what those who left wrote on their bills
}

// Sealed is a license that may have a key that was looked for.
type Sealed struct {
	Item
	KeySealed string
}

// Store searches. Package store implements it for SQLite and PostgreSQL; its tests hold
// every sentence here to it. Each method returns at most Limit items, those that equal the
// text first. With q.Middle, "begins with" means "contains".
type Store interface {
	// Users finds whose id is the text, and whose e-mail address or username begins with it.
	Users(ctx context.Context, q Query) ([]Item, error)
	// Orders finds those whose id begins with the text, or the e-mail address, name or company of
	// the bill, those of q.Users and that of q.KeyHash.
	Orders(ctx context.Context, q Query) ([]Item, error)
	// Licenses finds those whose id begins with the text, that of q.KeyHash, and those of
	// q.Users and q.Orders.
	Licenses(ctx context.Context, q Query) ([]Item, error)
	// LicensesByTail finds those whose key has the last group q.KeyTail.
	LicensesByTail(ctx context.Context, q Query) ([]Sealed, error)
	// Products finds those whose id or slug begins with the text, or whose texts contain it.
	Products(ctx context.Context, q Query) ([]Item, error)
	// Plugins finds installed plugins whose slug contains the text.
	Plugins(ctx context.Context, q Query) ([]Item, error)
	// Instances finds those whose id or key begins with the text.
	Instances(ctx context.Context, q Query) ([]Item, error)
	// Webhooks finds those whose id begins with the text or whose address contains it.
	Webhooks(ctx context.Context, q Query) ([]Item, error)
}

// Service searches. All fields are required. It is safe for concurrent use.
type Service struct {
	Store Store
	Vault *license.Vault
	Now   func() time.Time
}

// Issues returns what is wrong with a text to search for.
func Issues(q string) (faults errs.Issues) {
	q = strings.TrimSpace(q)
	switch {
	case !text.Printable(q, MaxText):
		faults.Add("q", errs.CodeOutOfRange, "q must have at most %d printable characters.", MaxText)
	case len(q) < minText:
		faults.Add("q", errs.CodeOutOfRange, "q must have %d characters or more.", minText)
	}
	return faults
}

// Search returns what matches a text, by kind. The error is VALIDATION_ERROR for what
// Issues finds.
func (s *Service) Search(ctx context.Context, written string, reader Reader) ([]Group, error) {
	if err := Issues(written).Err(); err != nil {
		return nil, err
	}
	q := Query{
		Text: strings.TrimSpace(written), At: s.Now().UTC(), Limit: PerKind, Masked: !reader.People, NoFormer: !reader.Former,
	}
	q.Key = account.Key(q.Text)
	if key, err := license.ParseKey(q.Text); err == nil {
		return s.byKey(ctx, q, key, reader)
	}
	found, err := s.round(ctx, q, reader)
	if err == nil && len(found) == 0 && len(q.Text) >= minPart {
		q.Middle = true
		found, err = s.round(ctx, q, reader)
	}
	return found, err
}

// byKey returns what belongs to the license with that key.
func (s *Service) byKey(ctx context.Context, q Query, key license.Key, reader Reader) (found []Group, err error) {
	for _, hash := range s.Vault.Hashes(key) {
		q.KeyHash = hash
		if found, err = s.round(ctx, q, reader); err != nil || len(found) > 0 {
			break
		}
	}
	return found, err
}

// round looks for all kinds that the reader sees.
func (s *Service) round(ctx context.Context, q Query, reader Reader) ([]Group, error) {
	f := &search{reader: reader}
	q.Users = f.add(User, f.items(ctx, User, q, s.Store.Users))
	q.Orders = f.add(Order, f.items(ctx, Order, q, s.Store.Orders))
	f.add(License, f.items(ctx, License, q, s.Store.Licenses), f.items(ctx, License, q, s.half))
	f.add(Product, f.items(ctx, Product, q, s.Store.Products))
	f.add(Plugin, f.items(ctx, Plugin, q, s.Store.Plugins))
	f.add(Instance, f.items(ctx, Instance, q, s.Store.Instances))
	f.add(Webhook, f.items(ctx, Webhook, q, s.Store.Webhooks))
	return f.groups, f.err
}

// half returns the licenses whose key ends with the text. A half is known by its last group,
// which the database keeps; the sealed keys of the few licenses that share it show which is
// meant.
func (s *Service) half(ctx context.Context, q Query) (items []Item, err error) {
	part := license.KeyPart(q.Text)
	if q.KeyTail = license.PartTail(part); q.KeyHash != "" || q.KeyTail == "" || q.Masked {
		return nil, nil
	}
	found, err := s.Store.LicensesByTail(ctx, q)
	for _, l := range found {
		key, damaged := s.Vault.Open(license.License{ID: l.ID, KeySealed: l.KeySealed})
		if damaged == nil && key.EndsWith(part) {
			items = append(items, l.Item)
		}
	}
	return items, err
}

// search collects what was found, until the first error.
type search struct {
	reader Reader
	groups []Group
	err    error
}

// items returns what find finds of a kind.
func (f *search) items(
	ctx context.Context, kind Kind, q Query, find func(context.Context, Query) ([]Item, error),
) (items []Item) {
	if f.err == nil && f.reader.Shows(kind) {
		items, f.err = find(ctx, q)
	}
	return items
}

// add adds a group of all lists together, without repetitions, and returns its ids.
func (f *search) add(kind Kind, lists ...[]Item) (ids []string) {
	var items []Item
	for _, it := range slices.Concat(lists...) {
		if len(items) < PerKind && !slices.Contains(ids, it.ID) {
			items, ids = append(items, it), append(ids, it.ID)
		}
	}
	if len(items) > 0 {
		f.groups = append(f.groups, Group{kind, items})
	}
	return ids
}
