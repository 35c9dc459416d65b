package discount

import (
	"context"
	"fmt"
	"slices"
	"time"

	"stoa/internal/base/errs"
	"stoa/internal/base/ids"
	"stoa/internal/base/text"
	"stoa/internal/trust/audit"
)

// Match reports whether a discount of that version may be changed: it is a client's If-Match. A nil Match
// accepts every version.
type Match func(version int64) bool

// Issues returns what is wrong with the query.
func (q Query) Issues() errs.Issues {
	var is errs.Issues
	if !text.Printable(q.Search, text.Short) {
		is.Add("q", errs.CodeOutOfRange, "q must be at most %d printable characters.", text.Short)
	}
	return is
}

// Find returns one page of the discounts that match a query, the newest first, and how many there are on all
// pages. It returns VALIDATION_ERROR for what Query.Issues finds.
func (s *Service) Find(ctx context.Context, q Query) ([]Discount, int, error) {
	if err := q.Issues().Err(); err != nil {
		return nil, 0, err
	}
	return s.Store.FindDiscounts(ctx, q)
}

// Get returns the discount with that id, or ErrNotFound.
func (s *Service) Get(ctx context.Context, id string) (Discount, error) { return get(ctx, s.Store, id) }

func get(ctx context.Context, from Store, id string) (Discount, error) {
	if !ids.Plausible(id) {
		return Discount{}, ErrNotFound
	}
	d, err := from.DiscountByID(ctx, id)
	return d, errs.Missing(err, ErrNotFound)
}

// newborn is a discount before its form is read.
func newborn(now time.Time) Discount {
	return Discount{ID: ids.New(), Active: true, Version: 1, CreatedAt: now, UpdatedAt: now}
}

// CreateIssues returns what is wrong with a form of a new discount.
func (s *Service) CreateIssues(ctx context.Context, f Form) (errs.Issues, error) {
	d, faults := f.apply(newborn(s.now()))
	err := checkKnown(ctx, s.Store, d, f, &faults)
	return faults, err
}

// Create makes a discount. It returns VALIDATION_ERROR with every fault of the form, and ErrCodeTaken.
func (s *Service) Create(ctx context.Context, f Form) (Discount, error) {
	d, faults := f.apply(newborn(s.now()))
	if err := checkKnown(ctx, s.Store, d, f, &faults); err != nil {
		return Discount{}, err
	}
	if err := faults.Err(); err != nil {
		return Discount{}, err
	}
	err := s.Store.InTx(ctx, func(tx Store) error {
		if err := tx.CreateDiscount(ctx, d); err != nil {
			return taken(err)
		}
		return tx.Record(ctx, audit.New(ctx, s.Now(), audit.DiscountCreate, target(d), audit.Details{
			"code": d.Code, "off": d.describe(),
		}))
	})
	return d, err
}

// Change changes what a form names, and returns the discount as it is afterwards. Orders keep what they had. A
// change that changes nothing keeps the version and is not recorded.
//
// It returns ErrNotFound, ErrStale if match rejects the version, VALIDATION_ERROR with every fault of the
// resulting discount, ErrCodeFixed and ErrCodeTaken.
func (s *Service) Change(ctx context.Context, id string, f Form, match Match) (Discount, error) {
	var changed Discount
	err := s.Store.InTx(ctx, func(tx Store) error {
		old, err := get(ctx, tx, id)
		if err != nil {
			return err
		}
		if match != nil && !match(old.Version) {
			return ErrStale
		}
		var faults errs.Issues
		changed, faults = f.apply(old)
		if err := checkKnown(ctx, tx, changed, f, &faults); err != nil {
			return err
		}
		if err := faults.Err(); err != nil {
			return err
		}
		fields := changedFields(old, changed)
		switch {
		case len(fields) == 0:
			return nil
		case old.Used && changed.Code != old.Code:
			return ErrCodeFixed
		}
		changed.Version, changed.UpdatedAt = old.Version+1, s.now()
		if err := tx.UpdateDiscount(ctx, changed); err != nil {
			return taken(err)
		}
		return tx.Record(ctx, audit.New(ctx, s.Now(), audit.DiscountUpdate, target(changed), audit.Details{
			"code": changed.Code, "fields": fields,
		}))
	})
	return changed, err
}

// ChangeIssues returns what is wrong with a discount as a form makes it. It returns ErrNotFound.
func (s *Service) ChangeIssues(ctx context.Context, id string, f Form) (errs.Issues, error) {
	old, err := s.Get(ctx, id)
	if err != nil {
		return errs.Issues{}, err
	}
	d, faults := f.apply(old)
	err = checkKnown(ctx, s.Store, d, f, &faults)
	return faults, err
}

// Delete deletes a discount that no order ever used. It returns ErrNotFound, ErrStale if match rejects the
// version, and ErrUsed.
func (s *Service) Delete(ctx context.Context, id string, match Match) error {
	return s.Store.InTx(ctx, func(tx Store) error {
		d, err := get(ctx, tx, id)
		switch {
		case err != nil:
			return err
		case match != nil && !match(d.Version):
			return ErrStale
		case d.Used:
			return ErrUsed
		}
		if err := tx.DeleteDiscount(ctx, id); err != nil {
			return err
		}
		return tx.Record(ctx, audit.New(ctx, s.Now(), audit.DiscountDelete, target(d), audit.Details{"code": d.Code}))
	})
}

// now is the time in the precision of the database.
func (s *Service) now() time.Time { return s.Now().UTC().Truncate(time.Millisecond) }

func taken(err error) error {
	if errs.KindOf(err) == errs.Conflict {
		return ErrCodeTaken.Because(err)
	}
	return err
}

func target(d Discount) audit.Target { return audit.Target{Type: "discount", ID: d.ID} }

// describe returns what is taken off, for the audit log.
func (d *Discount) describe() string {
	if d.Percent > 0 {
		return d.PercentOff().String() + " %"
	}
	return d.Amount.String()
}

// changedFields returns the fields that differ, by their names in requests.
func changedFields(a, b Discount) (fields []string) {
	for _, f := range []struct {
		name string
		same bool
	}{
		{"code", a.Code == b.Code},
		{"percentOff", a.Percent == b.Percent},
		{"amountOff", a.Amount == b.Amount},
		{"products", slices.Equal(a.Products, b.Products)},
		{"tiers", slices.Equal(a.Tiers, b.Tiers)},
		{"duration", a.Duration == b.Duration},
		{"startsAt", a.StartsAt.Equal(b.StartsAt)},
		{"endsAt", a.EndsAt.Equal(b.EndsAt)},
		{"maxUses", a.MaxUses == b.MaxUses},
		{"oncePerCustomer", a.OncePerCustomer == b.OncePerCustomer},
		{"active", a.Active == b.Active},
	} {
		if !f.same {
			fields = append(fields, f.name)
		}
	}
	return fields
}

// names reports whether a form has products or tiers.
func (f Form) names() bool {
	_, products := f["products"]
	_, tiers := f["tiers"]
	return products || tiers
}

// checkKnown adds the products and tiers that do not exist, if the form names any: what is gone since does not
// keep an administrator from changing the rest.
func checkKnown(ctx context.Context, st Store, d Discount, f Form, faults *errs.Issues) error {
	if !f.names() || len(d.Products) == 0 && len(d.Tiers) == 0 {
		return nil
	}
	known, err := st.TierIDs(ctx, d.Products, len(d.Products) == 0)
	if err != nil {
		return err
	}
	for i, slug := range d.Products {
		if path := fmt.Sprintf("products[%d]", i); known[slug] == nil && !faults.Has(path) {
			faults.Add(path, errs.CodeUnknownValue, "There is no product %s.", text.Clip(slug))
		}
	}
	tiers := make(map[string]bool)
	for _, ids := range known {
		for _, id := range ids {
			tiers[id] = true
		}
	}
	for i, id := range d.Tiers {
		if path := fmt.Sprintf("tiers[%d]", i); !tiers[id] && !faults.Has(path) {
			faults.Add(path, errs.CodeUnknownValue, "There is no tier %s of these products.", text.Clip(id))
		}
	}
	return nil
}
