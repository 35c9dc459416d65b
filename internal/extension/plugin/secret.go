package plugin

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"time"

	"stoa/internal/base/errs"
	"stoa/internal/extension/manifest"
	"stoa/internal/trust/audit"
)

// SecretOverlap is how long a secret still signs after it was replaced
// (contract 4.12).
const SecretOverlap = 24 * time.Hour

// newSecret returns 32 random bytes as text. The HMAC key is the text itself, not the
// bytes it encodes.
func newSecret() string {
	var b [32]byte
	_, _ = rand.Read(b[:]) // never fails (crypto/rand)
	return base64.RawURLEncoding.EncodeToString(b[:])
}

// SigningSecrets returns the secrets that sign requests to a package's instances:
// the current one, then the previous one while it still signs. The error is an
// errs.NotFound for an unknown package.
func (s *Service) SigningSecrets(ctx context.Context, slug string) ([]string, error) {
	secret, err := s.usableSecret(ctx, slug)
	if err != nil {
		return nil, err
	}
	return secret.at(s.now()), nil
}

// usableSecret returns the opened secret of an installed package, or ErrNotFound.
func (s *Service) usableSecret(ctx context.Context, slug string) (Secret, error) {
	if !manifest.IsSlug(slug) {
		return Secret{}, ErrNotFound
	}
	return s.openSecret(ctx, s.Store, slug)
}

// at returns the texts that sign at a moment, Current first.
func (s Secret) at(now time.Time) []string {
	return []string{s.Current, s.Previous}[:s.countAt(now)]
}

// countAt returns how many texts sign at a moment.
func (s Secret) countAt(now time.Time) int {
	if s.Previous == "" || !now.Before(s.PreviousUntil) {
		return 1
	}
	return 2
}

// secretsOf is SigningSecrets for a secret that the database has kept.
func (s *Service) secretsOf(sealed Secret, slug string) ([]string, error) {
	secret, err := s.openSealed(sealed, slug)
	if err != nil {
		return nil, err
	}
	return secret.at(s.now()), nil
}

// Secret returns a package's signing secret for an administrator who sets up the
// plugin, and records that it was shown. The error is ErrNotFound for an unknown
// package.
func (s *Service) Secret(ctx context.Context, slug string) (Secret, error) {
	secret, err := s.usableSecret(ctx, slug)
	if err != nil {
		return Secret{}, err
	}
	if err := s.record(ctx, s.Store, audit.PluginSecretRead, packageTarget(slug), nil); err != nil {
		return Secret{}, err
	}
	return secret, nil
}

func (s *Service) openSecret(ctx context.Context, st Store, slug string) (Secret, error) {
	sealed, err := st.GetSecret(ctx, slug)
	if errs.KindOf(err) == errs.NotFound {
		return Secret{}, ErrNotFound
	}
	if err != nil {
		return Secret{}, err
	}
	return s.openSealed(sealed, slug)
}

// openSealed returns the secret of a package that the database keeps as sealed.
func (s *Service) openSealed(sealed Secret, slug string) (secret Secret, err error) {
	if secret.Current, err = s.unseal(sealed.Current, slug); err != nil {
		return Secret{}, err
	}
	if sealed.Previous != "" && s.now().Before(sealed.PreviousUntil) {
		secret.PreviousUntil = sealed.PreviousUntil
		secret.Previous, err = s.unseal(sealed.Previous, slug)
	}
	return secret, err
}

func (s *Service) unseal(text, slug string) (string, error) {
	plain, err := s.Secrets.Open(text, slug)
	if err != nil {
		return "", fmt.Errorf("plugin: signing secret of %s: %w", slug, err)
	}
	return string(plain), nil
}

// RotateSecret replaces a package's signing secret. The old one still signs for
// SecretOverlap; one replaced earlier stops signing at once. The error is
// ErrNotFound for an unknown package.
func (s *Service) RotateSecret(ctx context.Context, slug string) (Secret, error) {
	var rotated Secret
	err := s.Store.InTx(ctx, func(st Store) error {
		if _, err := live(ctx, st, slug); err != nil { // also the lock that keeps rotations apart
			return err
		}
		old, err := s.openSecret(ctx, st, slug)
		if err != nil {
			return err
		}
		rotated = Secret{Current: newSecret(), Previous: old.Current, PreviousUntil: s.now().Add(SecretOverlap)}
		err = st.PutSecret(ctx, slug, Secret{
			Current:       s.Secrets.Seal([]byte(rotated.Current), slug),
			Previous:      s.Secrets.Seal([]byte(rotated.Previous), slug),
			PreviousUntil: rotated.PreviousUntil,
		})
		if err != nil {
			return err
		}
		return s.record(ctx, st, audit.PluginSecretRotate, packageTarget(slug), nil)
	})
	if err != nil {
		return Secret{}, err
	}
	return rotated, nil
}
