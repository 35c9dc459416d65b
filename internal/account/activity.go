package account

import (
	"context"
	"slices"
	"time"

	"stoa/internal/account/device"
	"stoa/internal/base/ids"
	"stoa/internal/base/reqctx"
	"stoa/internal/trust/audit"
)

// activityKept is how long sign-ins are kept, and how far back users see what happened to their account.
const activityKept = 90 * 24 * time.Hour

// How sign-ins ended (Visit.Outcome).
const (
	VisitSignedIn = "signed_in"
	// VisitRefused is a second step that was wrong, after a right password. Wrong passwords are not kept: anybody
	// could fill the list.
	VisitRefused = "refused"
)

// Visit is that somebody signed in to an account, or knew the password and got no further.
type Visit struct {
	ID        string
	UserID    string
	At        time.Time
	Outcome   string
	Methods   []string // as Session.Methods; of a refused one, those that were right
	Address   string
	UserAgent string
	DeviceID  string // of a KnownDevice; empty: none
}

// Activity is something that happened to an account: a Visit, or a change.
type Activity struct {
	Visit

	// Action is what was changed, empty for a visit.
	Action audit.Action
	// By is who changed it: "you", "staff" or "system".
	By string
}

// Visits is the part of Store about who signed in, and what else happened to accounts.
type Visits interface {
	// AddVisit inserts a visit.
	AddVisit(ctx context.Context, v Visit) error

	// SignedInFrom reports whether a program signed the user in from an address after a time. If it did so lately, the
	// answer costs the same however long the list is.
	SignedInFrom(ctx context.Context, userID, userAgent, address string, after time.Time) (bool, error)

	// AddressesOf returns the addresses from which a program signed the user in after a time, each once.
	AddressesOf(ctx context.Context, userID, userAgent string, after time.Time) ([]string, error)

	// ListActivity returns one page of what happened to a user after a time, the latest first, and how much there
	// is on all pages. Only what the user did has an address.
	ListActivity(ctx context.Context, userID string, after time.Time, limit, offset int) ([]Activity, int, error)
}

// Activity returns one page of what happened to an account in the last 90 days, the latest first, and how much there
// is on all pages.
func (s *Service) Activity(ctx context.Context, userID string, limit, offset int) ([]Activity, int, error) {
	return s.Store.ListActivity(ctx, userID, s.Now().Add(-activityKept), limit, offset)
}

// from returns where the request of ctx comes from, as sessions and visits keep it.
func from(ctx context.Context) (address, userAgent string) {
	if a := reqctx.AddrFrom(ctx); a.IsValid() {
		address = a.String()
	}
	return address, device.Clip(reqctx.UserAgentFrom(ctx))
}

// openFirst stores the first session of a new user, of which nobody has to be told.
func (s *Service) openFirst(ctx context.Context, tx Store, session Session) error {
	if _, err := s.recognize(ctx, tx, &session); err != nil {
		return err
	}
	return s.keep(ctx, tx, session)
}

// keep stores a session that begins.
func (s *Service) keep(ctx context.Context, tx Store, session Session) error {
	if err := tx.AddVisit(ctx, visitOf(session)); err != nil {
		return err
	}
	return tx.CreateSession(ctx, session)
}

// open stores a session of a user who signed in. The user hears of it by mail unless the device is known, or the same
// program signed in from the same network in the last 90 days.
func (s *Service) open(ctx context.Context, tx Store, post poster, u User, session Session) error {
	known, err := s.recognize(ctx, tx, &session)
	if err != nil {
		return err
	}
	if !known && s.LastRules().TellSignIns && s.sendsMail() {
		if known, err = s.known(ctx, tx, session); err != nil {
			return err
		}
		if !known {
			if err := s.notify(ctx, tx, post, letterSignIn(ctx, u, session), u); err != nil {
				return err
			}
		}
	}
	return s.keep(ctx, tx, session)
}

// known reports whether a session is from where its user signed in before.
func (s *Service) known(ctx context.Context, tx Store, session Session) (bool, error) {
	after := s.Now().Add(-activityKept)
	before, err := tx.SignedInFrom(ctx, session.UserID, session.UserAgent, session.Address, after)
	if before || err != nil {
		return before, err
	}
	// From this address never, but perhaps from its network. Few sign-ins get here.
	all, err := tx.AddressesOf(ctx, session.UserID, session.UserAgent, after)
	if err != nil {
		return false, err
	}
	network := func(address string) string { return reqctx.AddrKey(reqctx.ParseAddr(address)) }
	here := network(session.Address)
	return slices.ContainsFunc(all, func(address string) bool { return network(address) == here }), nil
}

func visitOf(session Session) Visit {
	return Visit{
		ID: ids.New(), UserID: session.UserID, At: session.CreatedAt, Outcome: VisitSignedIn, Methods: session.Methods,
		Address: session.Address, UserAgent: session.UserAgent, DeviceID: session.DeviceID,
	}
}

// refused keeps that somebody knew the first step of a sign-in, and not the second.
func (s *Service) refused(ctx context.Context, tx Store, ch Challenge) error {
	v := Visit{ID: ids.New(), UserID: ch.UserID, At: s.Now(), Outcome: VisitRefused, Methods: []string{ch.First}}
	v.Address, v.UserAgent = from(ctx)
	return tx.AddVisit(ctx, v)
}
