package account

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"stoa/internal/account/apikey"
	"stoa/internal/account/breached"
	"stoa/internal/account/federated"
	"stoa/internal/account/live"
	"stoa/internal/account/passkey"
	"stoa/internal/account/password"
	"stoa/internal/account/token"
	"stoa/internal/trust/keyring"
	"stoa/internal/trust/seal"
)

// Service applies the rules of accounts. Its fields are required unless they say
// otherwise; it is safe for concurrent use.
type Service struct {
	Store Store
	Ring  *keyring.Ring // of KeyPurpose
	// PluginRing has the keys of PluginKeyPurpose.
	PluginRing *keyring.Ring

	// TOTPBox seals the secrets of apps for one-time codes, for TOTPPurpose.
	TOTPBox *seal.Box

	// CodeKeys, of CodeKeysPurpose, are for the hashes of codes that are mailed to prove that somebody is there. They are
	// secret.
	CodeKeys *seal.Derived[[]byte]

	// Passkeys is for whom browsers make passkeys. nil: they make none at the platform's address.
	Passkeys *passkey.Party

	// Federated talks to identity providers. nil: there are none. ProviderBox, VerifierBox and ResultBox seal for the
	// purposes of their names.
	Federated                           *federated.Client
	ProviderBox, VerifierBox, ResultBox *seal.Box

	Hasher Hasher
	Now    func() time.Time
	Log    *slog.Logger // nil: nothing is logged

	// Book has the Rules that hold. nil: the zero Rules.
	Book RuleBook

	// Breached has the passwords that attackers try first; nil: none. Whoever has one is told.
	Breached *breached.List

	// Mailer sends mail that was asked for and may be lost. Without one, nobody can reset a forgotten
	// password.
	Mailer Mailer

	// Outbox sends mail that is recorded with what it is about. It is required if Mailer is set.
	Outbox Outbox

	// NoMail says that what Mailer and Outbox get arrives nowhere. Nobody is asked to prove a mailbox then.
	NoMail bool

	// PublicURL is where users reach the platform, for links in mails, without a
	// slash at the end. It is never taken from a request's Host header, which the
	// client chooses.
	PublicURL string
	// SiteName returns what mails call the platform.
	SiteName func(ctx context.Context) string

	// Services verifies service JWTs. Nil turns them off.
	Services *token.Service

	// Live remembers which sessions are alive, and API keys. nil: the database is asked on every request.
	Live *live.Memory[Alive]
	// KeyUses notes when API keys are used. nil: nobody does.
	KeyUses *apikey.Uses

	// StandInEnded is called when somebody met the end of a session in which staff acted as a user, or may have:
	// impersonate.Service.RecordEnd. If nil, it is not called.
	StandInEnded func(ctx context.Context, session string)

	seen *verifiedTokens // made by Start
}

// Hasher is how Service hashes passwords; *password.Hasher is one. Its errors are
// passed on.
type Hasher interface {
	// Hash returns the hash of a password, taken exactly as it is.
	Hash(ctx context.Context, password string) (string, error)

	// Verify reports whether password has the given hash, and whether the hash is
	// outdated because the parameters were raised since.
	Verify(ctx context.Context, hash, password string) (match, outdated bool, err error)

	// Dummy returns a hash that no password has. Verifying against it costs as much as
	// against a real one.
	Dummy() string
}

var _ Hasher = (*password.Hasher)(nil)

// ErrSharedKey says that service JWTs would be verified with a key that signs the
// platform's own tokens.
var ErrSharedKey = errors.New("SERVICE_JWT_PUBLIC_KEY is one of this platform's own signing keys; " +
	"services need a key of their own")

// Start loads the rules and the signing keys; the first start creates those. It returns ErrSharedKey
// if services share one of them.
func (s *Service) Start(ctx context.Context) error {
	s.seen = newVerifiedTokens()
	if _, err := s.Rules(ctx); err != nil {
		return err
	}
	for _, ring := range []*keyring.Ring{s.Ring, s.PluginRing} {
		if err := ring.Init(ctx); err != nil {
			return err
		}
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
