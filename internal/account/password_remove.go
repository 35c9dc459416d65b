package account

import (
	"context"

	"stoa/internal/message/template"
	"stoa/internal/trust/audit"
)

// RemovePassword removes the password of the user of a session, voids the links to choose another, and ends all other
// sessions. The user is told by mail. Having none is not an error. The error is ErrLastWay if nothing else would sign
// the user in.
func (s *Service) RemovePassword(ctx context.Context, userID, sessionID string) error {
	return s.withoutSome(ctx, userID, sessionID, func(tx Store, post poster, c Credentials, f SecondFactors) error {
		if c.PasswordHash == "" {
			return nil
		}
		if err := s.worksWithout(ctx, tx, c, f); err != nil {
			return err
		}
		if err := s.replacePassword(ctx, tx, c.ID, "", kept{session: sessionID}); err != nil {
			return err
		}
		if err := s.record(ctx, tx, audit.UserRemovePassword, c.ID, audit.Details{"email": c.Email}); err != nil {
			return err
		}
		return s.mailChange(ctx, tx, post, c.User, change{kind: template.PasswordRemoved})
	})
}

// worksWithout returns ErrLastWay if a user could not sign in without a password.
func (s *Service) worksWithout(ctx context.Context, st Store, c Credentials, f SecondFactors) error {
	c.PasswordHash = ""
	return s.keepsAWay(ctx, st, c, f)
}
