// Package site owns what an operator says of the shop as a whole: its name, its color,
// and where buyers find help, terms and privacy. It is in the database, so that all
// replicas say the same, and administrators change it without a restart.
package site

import (
	"context"
	"time"

	"stoa/internal/base/errs"
	"stoa/internal/extension"
	"stoa/internal/trust/audit"
)

// Settings are what the shop says of itself, and what administrators decide for the whole
// platform. An empty text is one that nobody has set.
type Settings struct {
	Name   string
	Accent string // a color, as #rrggbb in lower case

	SupportEmail string
	SupportURL   string
	TermsURL     string
	PrivacyURL   string

	// Language is the one of pages for which the reader names none; empty: the operator's (STOA_LOCALE).
	Language string
	// Logo is the picture above mails: an address, or the path of an uploaded picture.
	Logo string

	// ArchiveTypes are the file types that packages may contain beyond those of their kind
	// (contract 4.2).
	ArchiveTypes extension.Types

	Version   int64     // rises with each change
	UpdatedAt time.Time // zero before the first change
}

// Store is where the settings live. Package store implements it for SQLite and
// PostgreSQL; its tests hold every sentence here to it.
type Store interface {
	// InTx runs fn in a transaction. It commits if fn returns nil.
	InTx(ctx context.Context, fn func(Store) error) error

	// Settings returns the settings, which exist in every database. Inside InTx they stay
	// locked until the end.
	Settings(ctx context.Context) (Settings, error)

	// PutSettings replaces the settings.
	PutSettings(ctx context.Context, set Settings) error

	// Record adds an entry to the audit log (audit.Store).
	Record(ctx context.Context, e audit.Entry) error
}

// ErrStale is returned for a change of settings that somebody else has changed meanwhile.
var ErrStale = errs.New(errs.Stale, "PRECONDITION_FAILED",
	"The settings have been changed meanwhile. Read them again.")
