package template

import (
	"context"
	"time"

	"stoa/internal/base/errs"
	"stoa/internal/trust/audit"
)

// Own is what a shop has written for a kind of mail in a language.
type Own struct {
	Kind      Kind
	Language  string
	Form      Form
	Broken    bool // it could not be rendered when a mail was due, and was not changed since
	UpdatedAt time.Time
}

// Store is the templates in the database. The tests of package store cover every sentence here.
type Store interface {
	// Templates returns all templates, by kind and language.
	Templates(ctx context.Context) ([]Own, error)

	// Template returns the template of a kind in a language, or an errs.NotFound error.
	Template(ctx context.Context, kind Kind, language string) (Own, error)

	// PutTemplate writes a template, in place of one that is there.
	PutTemplate(ctx context.Context, t Own) error

	// DeleteTemplate deletes a template. It returns an errs.NotFound error when there is none.
	DeleteTemplate(ctx context.Context, kind Kind, language string) error

	// MarkBroken says that a template could not be rendered, if it is still that of updatedAt.
	MarkBroken(ctx context.Context, kind Kind, language string, updatedAt time.Time) error

	// Record appends an entry to the audit log. Inside InTx it is part of the transaction.
	Record(ctx context.Context, e audit.Entry) error

	// InTx runs fn on a Store whose calls commit together if fn returns nil and are undone otherwise. fn may
	// run more than once.
	InTx(ctx context.Context, fn func(Store) error) error
}

var (
	// ErrNotFound is returned for a kind that there is not, a language that stoa does not speak, and a
	// template that nobody has written.
	ErrNotFound = errs.New(errs.NotFound, "NOT_FOUND", "There is no such template: the mail has stoa's own words.")

	// ErrNoAddress is returned for a test mail to a caller without an address.
	ErrNoAddress = errs.New(errs.Conflict, "CONFLICT",
		"A test mail goes to the address of whoever asks for it, and this caller has none.")

	// ErrNoMail is returned where no mail is sent.
	ErrNoMail = errs.New(errs.Conflict, "CONFLICT", "This platform sends no mail: set STOA_SMTP_URL first.")
)
