package overview

import (
	"context"
	"time"

	"stoa/internal/operate/system"
	"stoa/internal/shop/product"
	"stoa/internal/trust/keyring"
)

// The lengths of the series.
const (
	Hours = 24
	Days  = 30

	day = 24 * time.Hour
)

// Bucket is what happened within the hour or day that begins at From (UTC).
type Bucket struct {
	From                       time.Time
	Orders                     int // paid, free ones included
	Sales                      []product.Money
	Activations, Registrations int
}

// Overview is the state of the shop.
type Overview struct {
	At    time.Time
	Hours []Bucket // the last one is the current hour
	Days  []Bucket // the last one is today
	// Demo says that a demo made up some of the sales.
	Demo bool
	// Attention has the concerns, the most urgent first.
	Attention []Concern
	// Licenses are those of packages from markets that are in grace or have lapsed.
	Licenses []License
}

// License is the license of a package that stops, or will.
type License struct {
	Kind, Slug    string // of the package
	State, Reason string // as package entitlement names them
	GraceUntil    time.Time
}

// Service makes overviews. Fields are required unless stated otherwise. It is safe for concurrent
// use.
type Service struct {
	Store Store
	Now   func() time.Time
	Rings []*keyring.Ring
	// Broken reports whether an instance fails, as far as this process knows.
	Broken func(installationID string) bool
	// BackupEvery is the time from one backup to the next; 0 if stoa does not make backups.
	BackupEvery time.Duration
	// Market returns what the operator of a market has to do; the zero value where there is none. nil: the same.
	Market func(ctx context.Context) (Market, error)
	// Licenses returns the licenses of packages that stop, or will. nil: there are none.
	Licenses func(ctx context.Context) ([]License, error)
	// StaffFactor says whether administrators should have a second factor now, and whether it should be a passkey. nil:
	// they need none.
	StaffFactor func() (wanted, passkey bool)
	// Storage returns the room on the disks of this process, and what does not let it write. nil:
	// neither is known.
	Storage func() (spaces []system.Space, failing system.Failure)
}

// Get returns the overview.
func (s *Service) Get(ctx context.Context) (Overview, error) {
	now := s.Now().UTC().Truncate(time.Millisecond)
	o := Overview{
		At:    now,
		Hours: buckets(now.Truncate(time.Hour), Hours, time.Hour), Days: buckets(now.Truncate(day), Days, day),
	}
	since := o.Days[0].From
	if first := o.Hours[0].From; first.Before(since) {
		since = first
	}
	for _, series := range []struct {
		read func(context.Context, time.Time) ([]Counted, error)
		add  func(*Bucket, Counted)
	}{
		{s.Store.Sales, (*Bucket).addSales},
		{s.Store.Activations, func(b *Bucket, c Counted) { b.Activations += c.Count }},
		{s.Store.Registrations, func(b *Bucket, c Counted) { b.Registrations += c.Count }},
	} {
		counted, err := series.read(ctx, since)
		if err != nil {
			return Overview{}, err
		}
		for _, c := range counted {
			fill(o.Hours, time.Hour, c, series.add)
			fill(o.Days, day, c, series.add)
		}
	}
	var err error
	if o.Demo, err = s.Store.DemoSales(ctx, since); err != nil {
		return Overview{}, err
	}
	if s.Licenses != nil {
		if o.Licenses, err = s.Licenses(ctx); err != nil {
			return Overview{}, err
		}
	}
	o.Attention, err = s.attention(ctx, now)
	return o, err
}

// buckets returns n buckets of a length, the last of which begins at last.
func buckets(last time.Time, n int, length time.Duration) []Bucket {
	list := make([]Bucket, n)
	for i := range list {
		list[i].From = last.Add(-time.Duration(n-1-i) * length)
	}
	return list
}

// fill adds c to the bucket it belongs to, if there is one.
func fill(list []Bucket, length time.Duration, c Counted, add func(*Bucket, Counted)) {
	i := int(c.Hour.Sub(list[0].From) / length)
	if !c.Hour.Before(list[0].From) && i < len(list) {
		add(&list[i], c)
	}
}

func (b *Bucket) addSales(c Counted) {
	b.Orders += c.Count
	for i, m := range b.Sales {
		if m.Currency == c.Currency {
			b.Sales[i].Minor += c.Minor
			return
		}
	}
	b.Sales = append(b.Sales, product.Money{Minor: c.Minor, Currency: c.Currency})
}
