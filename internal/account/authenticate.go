package account

import (
	"context"
	"errors"

	"stoa/internal/account/apikey"
	"stoa/internal/account/token"
	"stoa/internal/base/errs"
	"stoa/internal/base/permission"
	"stoa/internal/base/reqctx"
)

// Authenticate returns the caller behind a bearer token: an active user with a live
// session, a service, or whoever an API key stands for. For anything else it returns ErrToken. Role and state come
// from the database or from Live, not from the token.
func (s *Service) Authenticate(ctx context.Context, raw string) (reqctx.Caller, error) {
	if apikey.Marked(raw) {
		return s.byKey(ctx, raw)
	}
	alive, session, err := s.signedIn(ctx, raw)
	switch {
	case err == nil:
		return s.caller(alive, session), nil
	case !errors.Is(err, ErrToken):
		return reqctx.Caller{}, err
	}
	subject, err := s.Services.Verify(raw, s.Now())
	if err != nil {
		return reqctx.Caller{}, ErrToken
	}
	return reqctx.Caller{Service: subject, Role: reqctx.RoleAdmin, Rights: permission.All()}, nil
}

// caller returns whoever is in a session.
func (s *Service) caller(alive Alive, session string) reqctx.Caller {
	return reqctx.Caller{
		UserID: alive.User.ID, Role: alive.User.Role, SessionID: session, Rights: alive.Rights,
		Impersonator: alive.StandIn.ID, Writes: alive.StandIn.Writable,
		FactorDue: s.LastRules().Safeguards.StaffFactor.due(alive),
	}
}

// Reaffirm returns a caller without a key that Authenticate returned as it is now, or ErrToken for one whose session
// has ended. That a token expires meanwhile ends nothing. Whoever issues the tokens of a service takes none back.
func (s *Service) Reaffirm(ctx context.Context, who reqctx.Caller) (reqctx.Caller, error) {
	if who.SessionID == "" {
		return who, nil
	}
	alive, err := s.inSession(ctx, token.Claims{UserID: who.UserID, SessionID: who.SessionID, Actor: who.Impersonator})
	if err != nil {
		return reqctx.Caller{}, err
	}
	return s.caller(alive, who.SessionID), nil
}

// Me returns the user behind an access token, or ErrToken if Authenticate would. It
// asks the database once at most, and once more after the rules were changed. Lines of the log about the request of ctx
// name who acts as the user.
func (s *Service) Me(ctx context.Context, raw string) (User, error) {
	alive, _, err := s.signedIn(ctx, raw)
	if err == nil {
		reqctx.SetBehalf(ctx, reqctx.Behalf{UserID: alive.User.ID, Impersonator: alive.StandIn.ID})
	}
	return alive.User, err
}

// signedIn returns the session behind an access token with its user, and the session's id; or ErrToken.
func (s *Service) signedIn(ctx context.Context, raw string) (alive Alive, session string, err error) {
	claims, err := s.parse(ctx, raw, token.Access, ErrToken)
	if err != nil {
		return Alive{}, "", err
	}
	alive, err = s.inSession(ctx, claims)
	if errors.Is(err, ErrToken) && claims.Actor != "" {
		s.standInEnded(ctx, claims.SessionID)
	}
	return alive, claims.SessionID, err
}

// inSession returns the session that a valid token is of, with its user, or ErrToken.
func (s *Service) inSession(ctx context.Context, claims token.Claims) (Alive, error) {
	alive, err := s.alive(ctx, claims.SessionID)
	if errs.KindOf(err) == errs.NotFound {
		return Alive{}, ErrToken
	} else if err != nil {
		return Alive{}, err
	}
	if _, err := s.rulesSince(ctx, alive.Rules); err != nil {
		return Alive{}, err
	}
	if alive.User.ID != claims.UserID || alive.StandIn.ID != claims.Actor || !s.goesOn(alive) {
		return Alive{}, ErrToken
	}
	return alive, nil
}

// RoleRow returns what rows about a change to a role name in place of a user; nothing for a role that cannot change.
func RoleRow(role reqctx.Role) []string {
	if permission.IsBuiltIn(string(role)) {
		return nil
	}
	return []string{"role " + string(role)}
}

// alive is Store.Alive, from memory where that may be. A refresh makes a session last longer, which the
// memory does not notice: the end that it remembers is not believed.
func (s *Service) alive(ctx context.Context, session string) (Alive, error) {
	if s.Live == nil {
		return s.Store.Alive(ctx, session)
	}
	if known, ok := s.Live.Get(session); ok && s.Now().Before(known.ExpiresAt) {
		return known, nil
	}
	mark := s.Live.Mark() // before asking
	alive, err := s.Store.Alive(ctx, session)
	switch {
	case err == nil:
		kept := alive
		kept.Rules = ""
		s.Live.Put(mark, session, alive.User.ID, kept, kept.about()...)
	case errs.KindOf(err) == errs.NotFound:
		s.Live.Forget(session)
	}
	return alive, err
}
