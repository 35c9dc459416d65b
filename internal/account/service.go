package account

import (
	"context"
	"errors"
	"time"

	"stoa/internal/account/password"
	"stoa/internal/account/token"
	"stoa/internal/keyring"
)

// Service applies the rules of accounts. Its fields are required unless they say
// otherwise; it is safe for concurrent use.
type Service struct {
	Store  Store
	Ring   *keyring.Ring // of KeyPurpose
	Hasher Hasher
	Now    func() time.Time

	// Policy are the rules for new passwords; PolicyStandard if empty.
	Policy Policy

	// Outbox sends mail. Nil sends none: nobody can reset a forgotten password.
	Outbox Outbox

	// PublicURL is where users reach the platform, for links in mails; without a
	// slash at the end. Never what a request's Host header says: that is the
	// client's word.
	PublicURL string

	// Services verifies service JWTs. Nil turns them off.
	Services *token.Service

	seen verifiedTokens
}

// Hasher is how Service hashes passwords; *password.Hasher is one. Its errors are
// passed on.
type Hasher interface {
	// Hash returns the hash of a password, taken exactly as it is.
	Hash(ctx context.Context, password string) (string, error)

	// Verify reports whether password has the given hash, and whether the hash
	// should be made again because parameters rose since.
	Verify(ctx context.Context, hash, password string) (match, outdated bool, err error)

	// Dummy returns a hash that no password has. Checking against it costs as much
	// as checking against a real one.
	Dummy() string
}

var _ Hasher = (*password.Hasher)(nil)

// ErrSharedKey says that service JWTs are to be verified with a key that signs
// the platform's own tokens.
var ErrSharedKey = errors.New("SERVICE_JWT_PUBLIC_KEY is one of this platform's own signing keys; services need a key of their own")

// Start makes the signing keys at first start and loads them. It returns
// ErrSharedKey if services would share one of them.
func (s *Service) Start(ctx context.Context) error {
	if err := s.Ring.Init(ctx); err != nil {
		return err
	}
	if s.Services == nil {
		return nil
	}
	set, err := s.Ring.PublicKeys(ctx)
	for _, k := range set {
		if s.Services.IsKey(k) {
			return ErrSharedKey
		}
	}
	return err
}
