package account

import (
	"context"
	"errors"

	"stoa/internal/base/errs"
)

// Overview is what a user sees of their account.
type Overview struct {
	User        User
	Proven      bool // the address is
	HasPassword bool
	// Removable says that there is a password, and that its user could sign in without.
	Removable bool
	Breached  bool // the password is
	// Pending is the address that a mailed link would give the account; empty for none.
	Pending string
	Factors SecondFactors
	// FactorAllowed says whether the user may add a second factor.
	FactorAllowed bool
	// FactorAsked says that the user, who is staff, needs a second factor, FactorAdvised that one is suggested.
	FactorAsked, FactorAdvised bool
	Session                    Session // at hand
}

// Overview returns what the user of a session sees of their account.
func (s *Service) Overview(ctx context.Context, userID, sessionID string) (Overview, error) {
	c, err := s.Store.User(ctx, userID)
	if err != nil {
		return Overview{}, noUser(err)
	}
	session, err := s.Store.Session(ctx, sessionID)
	if errs.KindOf(err) == errs.NotFound {
		return Overview{}, ErrToken // it ended meanwhile
	} else if err != nil {
		return Overview{}, err
	}
	o := Overview{
		User: c.User, Proven: !c.ProvenAt.IsZero(), HasPassword: c.PasswordHash != "", FactorAllowed: s.mayAdd(c) == nil,
		Breached: !c.BreachedAt.IsZero(), Session: session,
	}
	if staff := s.LastRules().Safeguards.StaffFactor; c.isStaff() {
		o.FactorAsked, o.FactorAdvised = staff.asks(), staff == StaffFactorEncourage || staff == ""
	}
	if o.Factors, err = s.factorsOf(ctx, s.Store, userID); err != nil {
		return Overview{}, err
	}
	if o.HasPassword {
		err := s.worksWithout(ctx, s.Store, c, o.Factors)
		if o.Removable = err == nil; err != nil && !errors.Is(err, ErrLastWay) {
			return Overview{}, err
		}
	}
	pending, err := s.Store.MailTokensOf(ctx, userID, LinkChange)
	for _, t := range pending {
		if t.live(s.Now()) && t.Generation == c.Generation {
			o.Pending = t.Address
			break
		}
	}
	return o, err
}
