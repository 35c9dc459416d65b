package remote

import (
	"context"
	"time"

	"stoa/internal/base/errs"
	"stoa/internal/trust/audit"
)

// State is what is to be thought of a market (contract 9.4).
type State string

// The states of a market.
const (
	OK          State = "ok"          // its metadata is current
	Unreachable State = "unreachable" // the last check failed; the timestamp held is still good
	Stale       State = "stale"       // the timestamp held has expired
	Untrusted   State = "untrusted"   // something does not fit, is too large, or cannot be read
)

// Self is the id of the local market, which is no Market of the Store.
const Self = "self"

// Market is a stoa that sells packages to this one.
type Market struct {
	ID   string
	URL  string // scheme, host and port; no slash at the end
	Name string // as the market calls itself

	// Fingerprint is the SHA-256 of its first root, which an administrator confirmed.
	Fingerprint string
	AddedAt     time.Time

	// ETag is that of the timestamp held. Empty: ask for all of it.
	ETag string
	// TimestampUntil is the end of the timestamp held; GoodUntil the first end of anything held.
	TimestampUntil time.Time
	GoodUntil      time.Time

	// Failure says why the last check failed, Distrust why the market is not trusted. Both are parts of
	// sentences, and empty if all is well.
	Failure  string
	Distrust string
	// Misfit is the version of the snapshot under which a package did not fit what was signed, or 0.
	// The distrust then lasts until the market signs another snapshot, or an administrator asks.
	Misfit int64

	// CheckedAt is when the last check ended that fitted. SeenAt is the latest time of the clock at a
	// check, so that a clock that is set back makes nothing good again.
	CheckedAt time.Time
	SeenAt    time.Time

	// Revision rises with every change: of two checks at the same time, the first one counts.
	Revision int64
}

// At returns the state of m at a time, and why it is not OK.
func (m Market) At(now time.Time) (state State, reason string) {
	switch {
	case m.ID == Self:
		return OK, ""
	case m.Distrust != "":
		return Untrusted, m.Distrust
	case expired(m.TimestampUntil, later(now, m.SeenAt)):
		return Stale, reasonExpired
	case m.Failure != "":
		return Unreachable, m.Failure
	}
	return OK, ""
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// expired reports whether what is good until a time is not good any more, as go-tuf judges it.
func expired(until, now time.Time) bool { return now.After(until) }

// Files are what is held of a market: verified metadata by its role, and contents of targets by their
// path. No role has the name of a target: targets end in .json or .zip.
type Files map[string][]byte

// size returns how many bytes f has.
func (f Files) size() (n int) {
	for _, content := range f {
		n += len(content)
	}
	return n
}

// Store keeps markets and what is held of them. Package store implements it.
type Store interface {
	// List returns all markets, the oldest first.
	List(ctx context.Context) ([]Market, error)
	// Get returns a market; the error has the kind NotFound if there is none. Inside InTx it locks it.
	Get(ctx context.Context, id string) (Market, error)
	// Known reports whether there is a market with a fingerprint.
	Known(ctx context.Context, fingerprint string) (bool, error)
	// Files returns what is held of a market. It is empty for an unknown one.
	Files(ctx context.Context, id string) (Files, error)
	// Create adds a market. The error has the kind Conflict if there is one with its fingerprint.
	Create(ctx context.Context, m Market) error
	// Update changes everything but id, address, fingerprint and the time it was added.
	Update(ctx context.Context, m Market) error
	// PutFile stores a file of a market in place of what has its name. Nil contents remove it.
	PutFile(ctx context.Context, id, name string, content []byte) error
	// Delete removes a market with its files; the error has the kind NotFound if there is none.
	Delete(ctx context.Context, id string) error

	// InUse reports whether something from a market is installed or being bought, a license of it is on its way or kept,
	// also of a package that can be restored, or a seat is to be given back to it.
	InUse(ctx context.Context, id string) (bool, error)

	// Needed returns the slugs of the products of a market that something is installed from, also what can be restored,
	// or on its way.
	Needed(ctx context.Context, id string) ([]string, error)

	// Record appends an entry to the audit log. Inside InTx it is part of the transaction.
	Record(ctx context.Context, e audit.Entry) error
	// InTx runs fn on a Store whose changes are kept if fn returns nil and undone otherwise. fn may run
	// more than once.
	InTx(ctx context.Context, fn func(Store) error) error
}

// Errors returned by Service.
var (
	ErrNotFound  = errs.New(errs.NotFound, "NOT_FOUND", "There is no such market.")
	ErrNoProduct = errs.New(errs.NotFound, "NOT_FOUND", "The market has no such product.")
	ErrSelf      = errs.New(errs.Conflict, "CONFLICT", "The market of this stoa itself cannot be removed.")
	ErrInUse     = errs.New(errs.Conflict, "CONFLICT",
		"Something from this market is in use. Uninstall what is installed, remove for good what can be restored, and end "+
			"what is under way. A kept license or seat goes by itself: after ten days, and seven more while the market is away.")
	ErrKnown       = errs.New(errs.Conflict, "CONFLICT", "This market was added before.")
	ErrUnconfirmed = errs.New(errs.Conflict, "MARKET_UNCONFIRMED",
		"Compare details.rootFingerprint with what the market's operator tells, and send it as rootFingerprint.")
	ErrUnreachable = errs.New(errs.Unreachable, "MARKET_UNREACHABLE",
		"The market does not answer. details.reason tells more.")
	ErrUntrusted = errs.New(errs.Conflict, "MARKET_UNTRUSTED",
		"The market cannot be trusted now. details.state and details.reason tell why.")
)
