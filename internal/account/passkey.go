package account

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"stoa/internal/account/passkey"
	"stoa/internal/base/errs"
	"stoa/internal/base/ids"
)

// Passkey is a passkey of a user. It signs in alone, because its device verifies the user; after a password it is the
// second step.
type Passkey struct {
	ID         string
	UserID     string
	Name       string // as its user calls it
	PartyID    string // the host name that it was made for (passkey.Party)
	Credential passkey.Credential
	// Handle is what the user's passkeys know the user by. The Store reads it, and CreatePasskey ignores it.
	Handle     []byte
	CreatedAt  time.Time
	LastUsedAt time.Time // zero: never
}

// method is how a session that began with p says so (Session.Methods).
func (p Passkey) method() string { return methodPasskey + ":" + p.ID }

const (
	// maxPasskeys is how many passkeys a user may have.
	maxPasskeys = 20
	// maxPasskeyName is how long the name of one may be, in characters.
	maxPasskeyName = 64
)

// CeremonyKind is what a challenge for a passkey is for.
type CeremonyKind string

// The kinds of ceremonies.
const (
	CeremonyRegister CeremonyKind = "register" // a new passkey, in a session of its user
	CeremonySignIn   CeremonyKind = "sign_in"  // of nobody yet
	CeremonySecond   CeremonyKind = "second"   // the second step of a sign-in
	CeremonyReauth   CeremonyKind = "reauth"   // in a session of the user
)

// Ceremony is a challenge that a browser was asked to answer. It lives for passkey.Life, and works once, for what it
// was made for.
type Ceremony struct {
	Hash      string // of the challenge, which is not kept
	Kind      CeremonyKind
	UserID    string // empty for CeremonySignIn
	SessionID string // of CeremonyRegister and CeremonyReauth
	SignIn    string // the Challenge.Hash of CeremonySecond
	CreatedAt time.Time
}

// Passkeys is the part of Store about passkeys. Those that write are for a user who is locked, except for ceremonies.
type Passkeys interface {
	// Handle returns what the user's passkeys know the user by. The first call stores fresh.
	Handle(ctx context.Context, userID string, fresh []byte) ([]byte, error)

	// CreateCeremony inserts a ceremony.
	CreateCeremony(ctx context.Context, c Ceremony) error

	// TakeCeremony deletes the ceremony with the hash of c, unless it was created at since or earlier. The error is an
	// errs.NotFound if there is none, or if it differs from c in its kind or in whose it is, and then it stays; of
	// several callers that take it, one succeeds.
	TakeCeremony(ctx context.Context, c Ceremony, since time.Time) error

	// CreatePasskey inserts a passkey. The error is an errs.Conflict if anybody has one with that credential's id.
	CreatePasskey(ctx context.Context, p Passkey) error

	// PasskeyWith returns the passkey whose credential has that id, or an errs.NotFound error.
	PasskeyWith(ctx context.Context, credentialID string) (Passkey, error)

	// PasskeysOf returns the user's passkeys, the oldest first.
	PasskeysOf(ctx context.Context, userID string) ([]Passkey, error)

	// RenamePasskey renames a passkey of that user. The error is an errs.NotFound if it does not exist or belongs to
	// another user.
	RenamePasskey(ctx context.Context, userID, id, name string) error

	// UsePasskey notes what a proof of a passkey told, and when.
	UsePasskey(ctx context.Context, id string, u passkey.Use, at time.Time) error

	// DeletePasskey deletes a passkey of that user. Having none is not an error.
	DeletePasskey(ctx context.Context, userID, id string) error

	// EndSessionsBy ends the user's sessions that rest on a method, except the one with that id, and forgets the devices
	// in which they began.
	EndSessionsBy(ctx context.Context, userID, method, except string) error

	// ForeignPasskeys returns how many passkeys were made for another host name than partyID.
	ForeignPasskeys(ctx context.Context, partyID string) (int, error)

	// HasIdentity reports whether an account at a provider signs the user in: one that is enabled, and for staff if the
	// user is staff.
	HasIdentity(ctx context.Context, userID string) (bool, error)
}

var (
	// ErrPasskey is returned for every answer to a request for a new passkey that is not genuine, late, or was asked for
	// by somebody else.
	ErrPasskey = errs.New(errs.Invalid, "PASSKEY_INVALID", "This passkey could not be added. Try again.")

	// ErrPasskeyKnown is returned for a passkey that an account has.
	ErrPasskeyKnown = errs.New(errs.Conflict, "PASSKEY_KNOWN", "This passkey is added already.")

	// ErrManyPasskeys is returned for one passkey too many.
	ErrManyPasskeys = errs.New(errs.Conflict, "TOO_MANY", "You have 20 passkeys. Remove one first.")

	// ErrNoPasskey is returned for a passkey that does not exist, or is of another user.
	ErrNoPasskey = errs.New(errs.NotFound, "NOT_FOUND", "There is no such passkey.")

	// ErrNoPasskeys is returned where the platform's address permits no passkeys.
	ErrNoPasskeys = errs.New(errs.NotFound, "NOT_FOUND", "Passkeys do not work at this address.")

	// ErrPasskeyLogin is returned for every passkey that signs nobody in.
	ErrPasskeyLogin = errs.New(errs.Unauthenticated, "LOGIN_FAILED",
		"This passkey does not sign in here. Try another way.")

	// ErrLastWay is returned for a change after which nobody could sign in to the account.
	ErrLastWay = errs.New(errs.Conflict, "LAST_SIGN_IN_METHOD",
		"This is the last way to sign in to the account. Add another first.")
)

// begin stores a ceremony for what of names, and returns its challenge.
func (s *Service) begin(ctx context.Context, tx Store, of Ceremony) (challenge string, err error) {
	challenge = passkey.NewChallenge()
	of.Hash, of.CreatedAt = ids.HashLinkToken(challenge), s.Now()
	return challenge, tx.CreateCeremony(ctx, of)
}

// take ends the ceremony of a challenge, and reports whether it was live and is what of names.
func (s *Service) take(ctx context.Context, tx Store, challenge string, of Ceremony) (bool, error) {
	of.Hash = ids.HashLinkToken(challenge)
	err := tx.TakeCeremony(ctx, of, s.Now().Add(-passkey.Life))
	return err == nil, ignore(err, errs.NotFound)
}

// here returns the passkeys of a list that browsers can prove at the platform's present host name.
func (s *Service) here(list []Passkey) []passkey.Credential {
	var made []passkey.Credential
	for _, p := range list {
		if p.PartyID == s.partyID() {
			made = append(made, p.Credential)
		}
	}
	return made
}

// HasPasskeys reports whether browsers make and prove passkeys here.
func (s *Service) HasPasskeys() bool { return s.Passkeys != nil }

// partyID is the host name for which browsers make passkeys here; empty, as of no passkey, if they make none.
func (s *Service) partyID() string {
	if s.Passkeys == nil {
		return ""
	}
	return s.Passkeys.ID
}

// MyPasskeys returns the user's passkeys, the oldest first.
func (s *Service) MyPasskeys(ctx context.Context, userID string) ([]Passkey, error) {
	return s.Store.PasskeysOf(ctx, userID)
}

// PasskeyName is the form to rename a passkey.
type PasskeyName struct {
	Name string `json:"name"`
}

// Issues returns what is wrong with in.
func (in PasskeyName) Issues() errs.Issues {
	var f faults
	f.line("name", in.Name, maxPasskeyName)
	return f.Issues
}

// NewPasskey is the form to add a passkey: a name, and what the browser answered.
type NewPasskey struct {
	Name       string          `json:"name"`
	Credential json.RawMessage `json:"credential"`
}

// Issues returns what is wrong with in.
func (in NewPasskey) Issues() errs.Issues {
	var f faults
	f.line("name", in.Name, maxPasskeyName)
	f.credential(in.Credential)
	return f.Issues
}

func (f *faults) credential(raw json.RawMessage) {
	if len(raw) == 0 || string(raw) == "null" {
		f.Require("credential", "")
	} else if raw[0] != '{' {
		f.Add("credential", errs.CodeWrongType, "credential must be an object.")
	}
}

// RenamePasskey renames a passkey of the user, and returns it. The error is VALIDATION_ERROR or ErrNoPasskey.
func (s *Service) RenamePasskey(ctx context.Context, userID, id string, in PasskeyName) (Passkey, error) {
	if err := in.Issues().Err(); err != nil {
		return Passkey{}, err
	}
	if !ids.Plausible(id) {
		return Passkey{}, ErrNoPasskey
	}
	err := s.Store.RenamePasskey(ctx, userID, id, in.Name)
	if errs.KindOf(err) == errs.NotFound {
		return Passkey{}, ErrNoPasskey
	} else if err != nil {
		return Passkey{}, err
	}
	list, err := s.Store.PasskeysOf(ctx, userID)
	if err != nil {
		return Passkey{}, err
	}
	if i := slices.IndexFunc(list, func(p Passkey) bool { return p.ID == id }); i >= 0 {
		return list[i], nil
	}
	return Passkey{}, ErrNoPasskey // it was deleted meanwhile
}
