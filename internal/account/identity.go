package account

import (
	"context"
	"errors"
	"slices"

	"stoa/internal/base/errs"
	"stoa/internal/base/ids"
	"stoa/internal/message/template"
	"stoa/internal/trust/audit"
)

// MyIdentities returns the user's accounts at providers, the oldest first, and the providers by issuer.
func (s *Service) MyIdentities(ctx context.Context, userID string) ([]Identity, map[string]Provider, error) {
	list, err := s.Store.IdentitiesOf(ctx, userID)
	if err != nil || len(list) == 0 {
		return list, nil, err
	}
	all, err := s.Store.Providers(ctx)
	byIssuer := make(map[string]Provider, len(all))
	for _, p := range all {
		byIssuer[p.Issuer] = p
	}
	return list, byIssuer, err
}

// roomFor returns ErrIdentityTaken for a user who has another identity of the provider that somebody came back from, or
// ErrManyIdentities. c is locked.
func (s *Service) roomFor(ctx context.Context, tx Store, c Credentials, who flowResult) error {
	list, err := tx.IdentitiesOf(ctx, c.ID)
	switch {
	case err != nil:
		return err
	case slices.ContainsFunc(list, func(i Identity) bool { return i.Issuer == who.Issuer }):
		return ErrIdentityTaken
	case len(list) >= maxIdentities:
		return ErrManyIdentities
	}
	return nil
}

// addIdentity links whoever came back from a provider to a user, who is told by mail. c is locked. The error is that of
// roomFor, or ErrIdentityTaken for an identity that is linked; nothing was changed then.
func (s *Service) addIdentity(
	ctx context.Context, tx Store, post poster, c Credentials, p Provider, who flowResult,
) (Identity, error) {
	if err := s.roomFor(ctx, tx, c, who); err != nil {
		return Identity{}, err
	}
	now := s.Now()
	id := Identity{
		ID: ids.New(), UserID: c.ID, ProviderID: p.ID, Issuer: who.Issuer, Subject: who.Subject, Generation: c.Generation,
		Email: who.Email, CreatedAt: now, LastUsedAt: now,
	}
	if err := tx.CreateIdentity(ctx, id); errs.KindOf(err) == errs.Conflict {
		return Identity{}, ErrIdentityTaken
	} else if err != nil {
		return Identity{}, err
	}
	if err := s.record(ctx, tx, audit.UserLinkIdentity, c.ID,
		audit.Details{"email": c.Email, "provider": p.Slug}); err != nil {
		return Identity{}, err
	}
	return id, s.mailChange(ctx, tx, post, c.User, identityLinked(p))
}

// endFlow ends the flow of a challenge that is met, if it has one, and links the account that it was for. It returns
// how the first step was done, as in Session.Methods. due is ErrIdentityTaken, with which the flow has ended: it is
// refused once that is stored. The error is ErrCode if the flow is gone, or its provider closed to the user; or
// ErrManyIdentities. c is locked: CompleteFlow locks the two in the other order, and the database has one of them begin
// anew should they meet.
func (s *Service) endFlow(
	ctx context.Context, tx Store, post poster, c Credentials, ch Challenge,
) (first string, due *errs.Error, err error) {
	if ch.Flow == "" {
		return ch.First, nil, nil
	}
	f, err := tx.TakeFlow(ctx, ch.Flow)
	if errs.KindOf(err) == errs.NotFound {
		return "", nil, ErrCode
	} else if err != nil {
		return "", nil, err
	}
	who, err := s.openResult(f)
	if err != nil {
		return "", nil, err
	}
	p, err := s.enabled(ctx, tx, func(p Provider) bool { return p.ID == f.ProviderID })
	switch {
	case errs.KindOf(err) == errs.NotFound, err == nil && !p.opensTo(c.User):
		return "", nil, ErrCode // it was disabled meanwhile, or closed to staff
	case err != nil:
		return "", nil, err
	case who.LinkTo == "":
		return ch.First, nil, nil
	case who.LinkTo != c.ID:
		return "", nil, ErrCode
	}
	id, err := s.addIdentity(ctx, tx, post, c, p, who)
	if errors.Is(err, ErrIdentityTaken) {
		return "", ErrIdentityTaken, nil
	}
	return id.method(), nil, err
}

// RemoveIdentity unlinks an account at a provider from the user of a session. What was begun with it ends: sessions,
// that one only if it began so, and flows. The user is told by mail. The error is ErrNoIdentity, or ErrLastWay.
func (s *Service) RemoveIdentity(ctx context.Context, userID, sessionID, id string) error {
	return s.withoutSome(ctx, userID, sessionID, func(tx Store, post poster, c Credentials, f SecondFactors) error {
		list, err := tx.IdentitiesOf(ctx, userID)
		if err != nil {
			return err
		}
		i := slices.IndexFunc(list, func(i Identity) bool { return i.ID == id })
		if i < 0 {
			return ErrNoIdentity
		}
		if err := tx.DeleteIdentity(ctx, userID, id); err != nil {
			return err
		}
		if err := s.keepsAWay(ctx, tx, c, f); err != nil {
			return err
		}
		return s.dropIdentity(ctx, tx, post, c, sessionID, list[i])
	})
}

// dropIdentity ends what rests on an identity that was removed.
func (s *Service) dropIdentity(
	ctx context.Context, tx Store, post poster, c Credentials, sessionID string, id Identity,
) error {
	if err := tx.EndSessionsBy(ctx, c.ID, id.method(), sessionID); err != nil {
		return err
	}
	if err := s.lower(ctx, tx, sessionID, id.method()); err != nil {
		return err
	}
	// With it goes what the same person may have begun: another link of it, or a second step that is due.
	if err := tx.RaiseGeneration(ctx, c.ID); err != nil {
		return err
	}
	p, err := s.findProvider(ctx, tx, func(p Provider) bool { return p.Issuer == id.Issuer })
	if ignore(err, errs.NotFound) != nil { // it may be gone
		return err
	}
	if err := s.record(ctx, tx, audit.UserUnlinkIdentity, c.ID,
		audit.Details{"email": c.Email, "provider": p.Slug}); err != nil {
		return err
	}
	return s.mailChange(ctx, tx, post, c.User, identityUnlinked(p))
}

// identityLinked and identityUnlinked tell of a way in that came or went. The address at the provider is not told:
// whoever linked it chose the words. Of a provider that is gone the name is empty.
func identityLinked(p Provider) change {
	return change{kind: template.IdentityLinked, values: values{template.Provider: p.Name}}
}

func identityUnlinked(p Provider) change {
	return change{kind: template.IdentityUnlinked, values: values{template.Provider: p.Name}}
}

// letterCode sends a code that proves a mailbox. It is written alike whether the mailbox has an account or not, so it
// is in the language of whoever asked.
func letterCode(ctx context.Context, to, code string) letter {
	return letterTo(ctx, User{Email: to}, template.MailboxCode, values{template.Code: code})
}
