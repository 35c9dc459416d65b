package origin

import (
	"context"
	"log/slog"
	"time"

	"stoa/internal/base/errs"
	"stoa/internal/market/terms"
	"stoa/internal/message/mail"
	"stoa/internal/trust/keyring"
)

// Service is the market of a stoa. Fields are required unless they say otherwise. It is safe for
// concurrent use, and so are those of several processes on one database.
type Service struct {
	Store Store
	// Ring holds the keys of KeyPurpose. Its MaySign is Service.MaySign.
	Ring *keyring.Ring
	// LicenseKeys are those that others check leases with.
	LicenseKeys *keyring.Ring
	// Describe reads from archives what the database does not say of releases yet.
	Describe func(ctx context.Context) error
	// Name returns what the shop is called.
	Name func(ctx context.Context) (string, error)

	URL        string // at which others reach this stoa, without a slash at the end
	PlatformID string

	Administrators Administrators
	Poster         Poster
	Now            func() time.Time
	Log            *slog.Logger
}

// Administrators are mailed before the root ends.
type Administrators interface {
	// Admins returns the administrators of the shop. Some may be there beside an error.
	Admins(ctx context.Context) ([]mail.Reader, error)
}

// Poster sends mails in the background. *mail.Queue implements it.
type Poster interface {
	Post(ctx context.Context, compose mail.Compose)
}

// File returns a file with metadata by its name below terms.MetadataPath, or ErrNoFile.
func (s *Service) File(ctx context.Context, name string) (Signed, error) {
	role, version, ok := terms.ParseMetadataFile(name)
	if !ok {
		return Signed{}, ErrNoFile
	}
	m, err := s.Store.Metadata(ctx, role, version)
	return m, errs.Missing(err, ErrNoFile)
}

// Target returns the content of a target that is no package, by its name and SHA-256, or ErrNoFile.
func (s *Service) Target(ctx context.Context, name, hash string) ([]byte, error) {
	content, err := s.Store.Target(ctx, name, hash)
	return content, errs.Missing(err, ErrNoFile)
}

// changedLimit is for how long an answer may wait for signatures. What is not signed then, Tend signs.
const changedLimit = 20 * time.Second

// Changed signs what follows from a change that was made, also if whoever made it is gone. If that fails, Tend goes on
// trying.
func (s *Service) Changed(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), changedLimit)
	defer cancel()
	if err := s.Sync(ctx); err != nil {
		s.Log.ErrorContext(ctx, "the metadata of the market was not signed after a change; stoa goes on trying",
			slog.Any("err", err))
	}
}
