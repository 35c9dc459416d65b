package account

import (
	"context"
	"errors"
	"time"

	"stoa/internal/account/password"
	"stoa/internal/account/token"
	"stoa/internal/caller"
	"stoa/internal/cuid2"
	"stoa/internal/errs"
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

// newTokenID returns a jti: unique, and of no meaning.
func newTokenID() string { return cuid2.New() }

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

// Authenticate returns the caller behind a bearer token: a user whose session is
// alive and who is active, or a service. For anything else it returns ErrToken.
// Role and state are the database's of this moment, not the token's.
func (s *Service) Authenticate(ctx context.Context, raw string) (caller.Caller, error) {
	u, session, err := s.signedIn(ctx, raw)
	switch {
	case err == nil:
		return caller.Caller{UserID: u.ID, Role: u.Role, SessionID: session}, nil
	case !errors.Is(err, ErrToken):
		return caller.Caller{}, err
	}
	subject, err := s.Services.Verify(raw, s.Now())
	if err != nil {
		return caller.Caller{}, ErrToken
	}
	return caller.Caller{Service: subject, Role: caller.RoleAdmin}, nil
}

// Me returns the user whose access token it is, as Authenticate judges it, or
// ErrToken. It asks the database once.
func (s *Service) Me(ctx context.Context, raw string) (User, error) {
	u, _, err := s.signedIn(ctx, raw)
	return u, err
}

// signedIn returns the user behind an access token, as the database has it at
// this moment, and the session's id; or ErrToken.
func (s *Service) signedIn(ctx context.Context, raw string) (u User, session string, err error) {
	claims, err := s.parse(ctx, raw, token.Access, ErrToken)
	if err != nil {
		return User{}, "", err
	}
	alive, err := s.Store.Alive(ctx, claims.SessionID)
	if errs.KindOf(err) == errs.NotFound {
		return User{}, "", ErrToken
	} else if err != nil {
		return User{}, "", err
	}
	if !alive.User.Active || alive.User.ID != claims.UserID || !s.Now().Before(alive.ExpiresAt) {
		return User{}, "", ErrToken
	}
	return alive.User, claims.SessionID, nil
}

// IssuePluginToken returns a token with which a plugin may call the platform API
// on behalf of one of its installations, and when it expires (CONTRACT 7).
func (s *Service) IssuePluginToken(ctx context.Context, installationID string) (raw string, expires time.Time, err error) {
	key, err := s.Ring.Signer(ctx)
	if err != nil {
		return "", time.Time{}, err
	}
	now := s.Now().Truncate(time.Second)
	expires = now.Add(PluginLife)
	raw, err = token.Sign(key, token.Plugin, token.Claims{Subject: installationID, ID: newTokenID(), IssuedAt: now, ExpiresAt: expires})
	return raw, expires, err
}

// PluginTokenKey returns the id of the key that IssuePluginToken signs with now.
func (s *Service) PluginTokenKey(ctx context.Context) (string, error) {
	key, err := s.Ring.Signer(ctx)
	return key.ID, err
}

// VerifyPluginToken returns the installation a plugin token was issued for, or
// ErrPluginToken. Whether that installation still exists is not looked up.
func (s *Service) VerifyPluginToken(ctx context.Context, raw string) (installationID string, err error) {
	claims, err := s.parse(ctx, raw, token.Plugin, ErrPluginToken)
	return claims.Subject, err
}
