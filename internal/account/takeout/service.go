package takeout

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"iter"
	"log/slog"
	"time"

	"stoa/internal/account"
	"stoa/internal/base/errs"
	"stoa/internal/base/ids"
	"stoa/internal/base/permission"
	"stoa/internal/base/reqctx"
	"stoa/internal/message/mail"
	"stoa/internal/trust/audit"
	"stoa/internal/trust/seal"
)

// SealPurpose is the purpose for which archives are sealed. They are bound to the ids of their exports.
const SealPurpose = "account.export"

// Life is how long an archive is kept.
const Life = 7 * 24 * time.Hour

// State is where an export is.
type State string

// An export begins running, and ends ready or failed. One that is ready runs again when the master key is replaced.
const (
	Running State = "running"
	Ready   State = "ready"
	Failed  State = "failed"
)

// Export is a copy of what there is about a user.
type Export struct {
	ID     string
	UserID string
	By     string // the administrator who asked for it; empty for the user
	State  State
	File   string // name of the sealed archive; empty unless Ready

	Attempts   int // how often a process began to make it
	CreatedAt  time.Time
	FinishedAt time.Time // zero while Running
}

// EndsAt is when the archive is removed.
func (e Export) EndsAt() time.Time { return e.CreatedAt.Add(Life) }

var (
	// ErrRunning is returned while an earlier export of the same user, by the same side, is made.
	ErrRunning = errs.New(errs.Conflict, "CONFLICT", "A copy is being made. Wait until it is ready.")
	// ErrNone is returned for an archive that there is not, not yet, or not any more.
	ErrNone = errs.New(errs.NotFound, "NOT_FOUND", "There is no such archive. It is kept for seven days.")
)

// Store is exports in the database.
type Store interface {
	// User is account.Users.User.
	User(ctx context.Context, id string) (account.Credentials, error)

	// RoleRights is account.Users.RoleRights.
	RoleRights(ctx context.Context, role reqctx.Role) (permission.Set, error)

	// LatestExport returns the user's newest export from after a time that was asked for by the user, or by staff, or
	// an errs.NotFound error. Export returns one of them by its id.
	LatestExport(ctx context.Context, userID string, staff bool, after time.Time) (Export, error)
	Export(ctx context.Context, userID, id string, after time.Time) (Export, error)

	// CreateExport inserts an export.
	CreateExport(ctx context.Context, e Export) error

	// RunningExport returns the oldest export that is running, and counts an attempt; false if there is none.
	RunningExport(ctx context.Context) (Export, bool, error)

	// FinishExport stores State, File and FinishedAt. The error is an errs.NotFound if the user was removed meanwhile, or
	// the attempt is not the present one any more.
	FinishExport(ctx context.Context, e Export) error

	// DeleteExports deletes all that were created at or before until. ExportFiles returns the files of the others.
	DeleteExports(ctx context.Context, until time.Time) error
	ExportFiles(ctx context.Context) ([]string, error)

	// Record and AddMail are those of account.Store.
	Record(ctx context.Context, e audit.Entry) error
	AddMail(ctx context.Context, m mail.Sealed) error

	// InTx is account.Store.InTx on a Store.
	InTx(ctx context.Context, fn func(Store) error) error
}

// Files keeps archives; *blob.Direct is one.
type Files interface {
	Put(ctx context.Context, content []byte, extension string) (name string, err error)
	Get(ctx context.Context, name string) (io.ReadCloser, error)
	Remove(ctx context.Context, name string) error
	List(ctx context.Context) ([]fs.FileInfo, error)
}

// List is the content of a file that is a list.
type List = iter.Seq2[any, error]

// Source knows what there is about users.
type Source interface {
	// Write calls add with each file of a user's copy: its name without an extension, and what becomes JSON. A List
	// is read while it is written, so that it need not fit into memory.
	Write(ctx context.Context, userID string, add func(name string, content any) error) error
}

// Service makes exports. Its fields are required; it is safe for concurrent use.
type Service struct {
	Store  Store
	Files  Files
	Source Source
	Box    *seal.Box // of SealPurpose
	Now    func() time.Time
	Log    *slog.Logger

	// Outbox records mails; nil where none arrives. PublicURL is where users reach the platform, with no slash behind.
	Outbox    mail.Recorder
	PublicURL string
}

// Free returns ErrRunning while an export that the user asked for is made.
func (s *Service) Free(ctx context.Context, userID string) error {
	return s.free(ctx, s.Store, userID, false)
}

func (s *Service) free(ctx context.Context, st Store, userID string, staff bool) error {
	e, err := st.LatestExport(ctx, userID, staff, s.Now().Add(-Life))
	if err == nil && e.State == Running {
		return ErrRunning
	}
	if errs.KindOf(err) == errs.NotFound {
		return nil
	}
	return err
}

// Start has a copy made for a user, or with by for that administrator. The error is account.ErrNoUser, account.ErrToken
// for a user who is leaving, or ErrRunning.
func (s *Service) Start(ctx context.Context, userID, by string) (Export, error) {
	e := Export{ID: ids.New(), UserID: userID, By: by, State: Running, CreatedAt: s.Now().UTC().Truncate(time.Millisecond)}
	err := s.Store.InTx(ctx, func(tx Store) error {
		c, err := tx.User(ctx, userID) // locked: of two at once, one is the first
		switch {
		case errs.KindOf(err) == errs.NotFound:
			return account.ErrNoUser
		case err != nil:
			return err
		case by == "" && !c.Active:
			return account.ErrToken
		}
		if err := account.CheckAbove(ctx, tx, c.Role); err != nil {
			return err
		}
		if err := s.free(ctx, tx, userID, by != ""); err != nil {
			return err
		}
		if err := tx.CreateExport(ctx, e); err != nil {
			return err
		}
		target := audit.Target{Type: "user", ID: userID}
		return tx.Record(ctx, audit.New(ctx, s.Now(), audit.UserExport, target, audit.Details{"email": c.Email}))
	})
	return e, err
}

// Latest returns the export that the user asked for last, if it is kept; ok is false if there is none.
func (s *Service) Latest(ctx context.Context, userID string) (e Export, ok bool, err error) {
	e, err = s.Store.LatestExport(ctx, userID, false, s.Now().Add(-Life))
	if errs.KindOf(err) == errs.NotFound {
		return e, false, nil
	}
	return e, err == nil, err
}

// Archive returns the ZIP archive of an export of a user, that the user asked for or, with staff, an administrator. The
// error is ErrNone.
func (s *Service) Archive(ctx context.Context, userID, id string, staff bool) ([]byte, error) {
	e, err := s.Store.Export(ctx, userID, id, s.Now().Add(-Life))
	if errs.KindOf(err) == errs.NotFound || err == nil && (e.State != Ready || staff != (e.By != "")) {
		return nil, ErrNone
	} else if err != nil {
		return nil, err
	}
	file, err := s.Files.Get(ctx, e.File)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, ErrNone.Because(err)
	} else if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	sealed, err := io.ReadAll(file)
	if err != nil {
		return nil, err
	}
	archive, err := s.Box.Open(string(sealed), e.ID)
	if err != nil { // it was sealed with a master key that is gone (docs/keys.md)
		return nil, ErrNone.Because(err)
	}
	return archive, nil
}
