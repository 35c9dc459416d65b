package account

import (
	"context"
	"time"

	"stoa/internal/account/token"
	"stoa/internal/base/errs"
	"stoa/internal/base/permission"
	"stoa/internal/base/reqctx"
)

// StandIn is somebody of the staff who acts as a user, in a session of its own kind: see package impersonate. The zero
// value is nobody.
type StandIn struct {
	ID       string // of the member of staff
	Parent   string // the session in which they began it, with which it ends
	Writable bool   // to change something, too
	// Name is the member of staff's username. It is read with sessions, and not stored.
	Name string
}

// ImpersonationMode says whether staff may act as users, and how users hear of it.
type ImpersonationMode string

// The modes.
const (
	ImpersonationNotify  ImpersonationMode = "notify"  // by mail, and in their account
	ImpersonationAccount ImpersonationMode = "account" // in their account
	ImpersonationOff     ImpersonationMode = "off"     // nobody may
)

// Any reports whether somebody acts as the user.
func (i StandIn) Any() bool { return i.ID != "" }

// stands reports whether a session may go on as far as it depends on who acts in it: nobody acts as staff, and who acts
// must still have the right to.
func (a Alive) stands() bool {
	if !a.StandIn.Any() {
		return true
	}
	return a.User.Role == reqctx.RoleUser && a.StandInRights.Has(permission.Impersonate) &&
		(!a.StandIn.Writable || a.StandInRights.Has(permission.ImpersonateToWrite))
}

// about returns what rows name, in place of the session's user, after which a session must be read again.
func (a Alive) about() []string {
	names := RoleRow(a.User.Role)
	if a.StandIn.Any() {
		names = append(append(names, a.StandIn.ID), RoleRow(a.StandInRole)...)
	}
	return names
}

// Stands reports whether a session goes on, as a request in it would find.
func (s *Service) Stands(ctx context.Context, session string) (bool, error) {
	alive, err := s.alive(ctx, session)
	if errs.KindOf(err) == errs.NotFound {
		return false, nil
	}
	return err == nil && s.goesOn(alive), err
}

// goesOn reports whether a session is one to act in now.
func (s *Service) goesOn(alive Alive) bool {
	now := s.Now()
	return alive.User.Active && now.Before(alive.ExpiresAt) && alive.stands() && s.allows(alive.StandIn) &&
		!over(s.sessionEnd(alive.User.Role, alive.AuthenticatedAt), now)
}

// allows reports whether i may act here, if it is anybody: switching impersonation off ends those that run.
func (s *Service) allows(i StandIn) bool {
	return !i.Any() || s.LastRules().Impersonation != ImpersonationOff
}

// EndByAge returns when a session of somebody with that role ends by its age, whatever is refreshed; zero: never.
func (s *Service) EndByAge(role reqctx.Role, session Session) time.Time {
	return s.sessionEnd(role, session.AuthenticatedAt)
}

// AccessToken returns an access token for a session until it ends. Of one in which somebody else acts it says so
// (RFC 8693). There is no refresh token to it.
func (s *Service) AccessToken(ctx context.Context, u User, session Session) (string, error) {
	signer, err := s.Ring.Signer(ctx)
	if err != nil {
		return "", err
	}
	now := s.Now().Truncate(time.Second)
	return token.Sign(signer, token.Access, accessClaims(u, session, now, session.EndsAt))
}

func accessClaims(u User, session Session, now, end time.Time) token.Claims {
	return token.Claims{
		UserID: u.ID, Email: u.Email, Role: string(u.Role), SessionID: session.ID, Actor: session.StandIn.ID,
		ID: newTokenID(), IssuedAt: now, ExpiresAt: end,
	}
}

// standInEnded tells whoever records it that a session may have ended in which staff acted as a user.
func (s *Service) standInEnded(ctx context.Context, session string) {
	if s.StandInEnded != nil {
		s.StandInEnded(ctx, session)
	}
}
