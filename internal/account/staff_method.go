package account

import (
	"context"
	"math"
	"slices"
	"strings"
)

// closedToStaff returns which sessions of a user began in a way in which staff may not sign in (contract 2.29): by
// mail, or with a provider that is not for staff, or not there anymore.
func closedToStaff(ctx context.Context, tx Store, userID string) (func(Session) bool, error) {
	all, err := tx.Providers(ctx)
	if err != nil {
		return nil, err
	}
	mine, err := tx.IdentitiesOf(ctx, userID)
	open := func(method string) bool {
		return slices.ContainsFunc(mine, func(i Identity) bool {
			return i.method() == method &&
				slices.ContainsFunc(all, func(p Provider) bool { return p.Staff && p.Issuer == i.Issuer })
		})
	}
	closed := func(method string) bool {
		name, _, _ := strings.Cut(method, ":")
		return name == MethodMail || name == methodProvider && !open(method)
	}
	return func(one Session) bool { return slices.ContainsFunc(one.Methods, closed) }, err
}

// endClosedToStaff ends what a user who becomes staff may not go on with: sessions that began in a way that is not for
// staff, and sign-ins whose second step is due, whatever the first was. The user is locked.
func (s *Service) endClosedToStaff(ctx context.Context, tx Store, userID string) error {
	closed, err := closedToStaff(ctx, tx, userID)
	if err != nil {
		return err
	}
	list, err := tx.ListSessions(ctx, userID, s.Now(), math.MaxInt32)
	if err != nil {
		return err
	}
	for _, one := range list {
		if !closed(one) {
			continue
		}
		if err := tx.DeleteSession(ctx, userID, one.ID); err != nil {
			return err
		}
	}
	return tx.DeleteChallenges(ctx, userID)
}
