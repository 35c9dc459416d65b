package entitlement

import (
	"context"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode/utf8"

	"stoa/internal/base/errs"
	"stoa/internal/extension"
	"stoa/internal/extension/plugin"
	"stoa/internal/market/remote"
	"stoa/internal/message/mail"
	"stoa/internal/trust/seal"
)

// SealedFor is the purpose for which license keys are sealed.
const SealedFor = "package.license"

// Markets are the markets that an administrator trusts. Package remote implements them.
type Markets interface {
	// Get returns a market, or remote.ErrNotFound.
	Get(ctx context.Context, id string) (remote.Market, error)
	// LicenseKeys returns the keys that sign the leases of a market.
	LicenseKeys(ctx context.Context, id string) ([]byte, error)
}

// Plugins stop and start. Package plugin implements them. What they return is to be called after the
// transaction of st; it may be nil.
type Plugins interface {
	// Lapse records that a package stops because its license has lapsed.
	Lapse(ctx context.Context, st plugin.Store, slug string) (after func(), err error)
	// Return records that its license holds again.
	Return(ctx context.Context, st plugin.Store, slug string) (after func(), err error)
}

// Administrators receive mails about problems.
type Administrators interface {
	// Admins returns the active administrators.
	Admins(ctx context.Context) ([]mail.Reader, error)
}

// Poster sends mail in the background.
type Poster interface {
	Post(ctx context.Context, compose mail.Compose)
}

// Service knows the licenses of packages. All fields are required. It is safe for concurrent use.
type Service struct {
	Store   Store
	Markets Markets
	Plugins Plugins
	// Client asks markets; see remote.Fetcher.Client.
	Client *http.Client
	// Keys seals license keys; see SealedFor.
	Keys *seal.Box
	// Instance is as which markets know this stoa; see InstanceOf.
	Instance string

	Administrators Administrators
	Poster         Poster
	Log            *slog.Logger
	Now            func() time.Time
}

// InstanceOf returns as which markets know the stoa with a public address: its host, without port.
func InstanceOf(publicURL string) string {
	const local = "localhost"
	u, err := url.Parse(publicURL)
	if err != nil || u.Hostname() == "" {
		return local
	}
	return strings.ToLower(u.Hostname())
}

func (s *Service) now() time.Time { return s.Now().UTC().Truncate(time.Millisecond) }

// Get returns the license of a package. The error is ErrNotFound if it has none.
func (s *Service) Get(ctx context.Context, kind extension.Kind, slug string) (License, error) {
	l, err := s.Store.Get(ctx, kind, slug)
	return l, errs.Missing(err, ErrNotFound)
}

// Deciding returns the license that decides about a package: its own, or for a plugin also that of a bundle that
// brought it. The error is ErrNotFound if there is none.
func (s *Service) Deciding(ctx context.Context, kind extension.Kind, slug string) (License, error) {
	if kind != extension.Plugin {
		return s.Get(ctx, kind, slug)
	}
	l, err := s.Store.Deciding(ctx, slug)
	return l, errs.Missing(err, ErrNotFound)
}

// Worrying returns the licenses of installed packages that are in grace or have lapsed, with State and Reason
// as they are now.
func (s *Service) Worrying(ctx context.Context) (list []License, err error) {
	all, err := s.Store.List(ctx)
	for _, l := range all {
		l.State, l.Reason = l.At(s.now())
		if l.Live && (l.State == Grace || l.State == Lapsed) {
			list = append(list, l)
		}
	}
	return list, err
}

// Key returns the kept license key of a package; ok is false if it has none, or none that can be opened. A key of
// another market or product is none of it: nobody else may learn it.
func (s *Service) Key(ctx context.Context, of Subject) (key string, ok bool, err error) {
	l, err := s.Store.Get(ctx, of.Kind, of.Slug)
	if errs.KindOf(err) == errs.NotFound || err == nil && l.Subject != of {
		return "", false, nil
	} else if err != nil {
		return "", false, err
	}
	if key, err = s.open(l.Sealed, l.ID); err != nil { // whoever enters another one goes on with that
		s.Log.WarnContext(ctx, "the key of a license cannot be opened", s.names(l, slog.Any("err", err))...)
		return "", false, nil
	}
	return key, true, nil
}

func (s *Service) open(sealed, id string) (string, error) {
	key, err := s.Keys.Open(sealed, id)
	return string(key), err
}

// tail returns the last group of a license key, and never more than a third of it.
func tail(key string) string {
	const most = 8
	group := []rune(key[strings.LastIndexByte(key, '-')+1:])
	return string(group[max(len(group)-min(most, utf8.RuneCountInString(key)/3), 0):])
}
