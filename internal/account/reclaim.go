package account

import (
	"context"

	"stoa/internal/base/event"
	"stoa/internal/trust/audit"
)

// provenOutside gives an unproven account to whoever proved its mailbox outside of its sessions: what its holder left
// is gone, the address is proven. It returns the user as they are then. c is locked.
func (s *Service) provenOutside(ctx context.Context, tx Store, c Credentials) (Credentials, error) {
	if err := s.reclaim(ctx, tx, c); err != nil {
		return c, err
	}
	if err := tx.SetProven(ctx, c.ID, s.Now()); err != nil {
		return c, err
	}
	if err := s.announce(ctx, tx, event.UserEmailVerified, c.ID); err != nil {
		return c, err
	}
	return tx.User(ctx, c.ID)
}

// reclaim removes everything that the holder of an unproven account left, so that whoever has proven the
// mailbox finds nothing that lets somebody else in: the password, sessions, links, what was begun, and all
// other ways in. Orders and licenses stay. The factors of staff stay, too: their account was not made by a
// stranger. c is locked.
//
// It is for an unproven account whose mailbox is proven outside of its sessions.
func (s *Service) reclaim(ctx context.Context, tx Store, c Credentials) error {
	if err := s.replacePassword(ctx, tx, c.ID, "", kept{}); err != nil {
		return err
	}
	ways := Ways{Factors: !c.isStaff()}
	links := []LinkKind{LinkVerify, LinkDisown, LinkChange, LinkRevert, LinkNotMe, LinkSignIn, LinkReauth}
	if ways.Factors { // else what is planned to become of them stays, and with it what stops it
		links = append(links, LinkKeepFactor)
	}
	if err := tx.DeleteMailTokens(ctx, c.ID, links...); err != nil {
		return err
	}
	if err := tx.RemoveWays(ctx, c.ID, ways); err != nil {
		return err
	}
	return s.record(ctx, tx, audit.UserReclaim, c.ID, audit.Details{"email": c.Email})
}
