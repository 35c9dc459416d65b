package account

import (
	"context"

	"stoa/internal/base/ids"
	"stoa/internal/message/template"
	"stoa/internal/trust/audit"
)

const (
	// recoveryCodes is how many codes a user gets at a time.
	recoveryCodes = 8
	// recoveryBytes is how many random bytes a code stands for: 120 bits, so that a hash without salt
	// and passes is enough (ASVS 6.5.2).
	recoveryBytes = 15
)

// newRecoveryCodes returns codes as users see them, and their hashes. Only the hashes are kept.
func newRecoveryCodes() (codes, hashes []string) {
	for range recoveryCodes {
		code := newCode(recoveryBytes)
		codes, hashes = append(codes, code), append(hashes, recoveryHash(code))
	}
	return codes, hashes
}

// recoveryHash returns the hash of a code, however it was typed.
func recoveryHash(typed string) string {
	return ids.HashLinkToken(plainCode(typed))
}

// NewRecoveryCodes gives a user new recovery codes in place of all others, and tells the user by mail. The
// error is ErrNoFactor for an account without a second factor, or ErrToken for a session that has ended.
func (s *Service) NewRecoveryCodes(ctx context.Context, userID, sessionID string) ([]string, error) {
	codes, hashes := newRecoveryCodes()
	err := s.withFactors(ctx, userID, sessionID, func(tx Store, post poster, c Credentials, f SecondFactors) error {
		if !f.Any() {
			return ErrNoFactor
		}
		if err := tx.PutRecoveryCodes(ctx, userID, hashes, s.Now()); err != nil {
			return err
		}
		if _, err := s.endFactorReset(ctx, tx, c); err != nil { // these stand in for what is lost
			return err
		}
		if err := s.mailChange(ctx, tx, post, c.User, change{kind: template.RecoveryCodesReplaced}); err != nil {
			return err
		}
		return s.record(ctx, tx, audit.UserNewCodes, userID, audit.Details{"email": c.Email})
	})
	if err != nil {
		return nil, err
	}
	return codes, nil
}
