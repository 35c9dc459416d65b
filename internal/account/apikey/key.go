package apikey

import (
	"crypto/subtle"
	"encoding/json"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"stoa/internal/base/errs"
	"stoa/internal/base/permission"
	"stoa/internal/base/reqctx"
)

// The limits of keys.
const (
	MaxKeys     = 25 // of one owner, live ones
	maxName     = 64
	defaultLife = 90 * 24 * time.Hour
	maxLife     = 366 * 24 * time.Hour
	// overlap is how long the former secret works beside the one that replaced it, at most.
	overlap = 24 * time.Hour
	// pause is how soon after one replacement no other happens: of two at once, the second would end the secret that
	// the first just gave.
	pause = 10 * time.Second
)

// Key is a key without its secret.
type Key struct {
	ID string
	// UserID is whose a personal key is, AccountID the service account's otherwise. One of them is empty.
	UserID, AccountID string

	Name      string
	Scopes    Scopes
	CreatedAt time.Time
	ExpiresAt time.Time // zero: never, for keys of service accounts only

	// Hash is of the secret, Previous of the one before, which works until PreviousUntil.
	Hash, Previous string
	PreviousUntil  time.Time
	// RenewedAt is when the present secret was made. Zero: with the key.
	RenewedAt time.Time

	LastUsedAt  time.Time // zero: not yet. At most a minute late
	LastAddress string

	// Creator made the key, or replaced its secret last, and Ceiling is what they were allowed to then: a key of a
	// service account is allowed no more. Unused for personal keys.
	Creator string
	Ceiling permission.Set

	RevokedAt time.Time // zero: not
}

// Kind returns whose k is.
func (k Key) Kind() Kind {
	if k.UserID != "" {
		return Personal
	}
	return Service
}

// live reports whether k has neither been revoked nor expired.
func (k Key) live(now time.Time) bool {
	return k.RevokedAt.IsZero() && (k.ExpiresAt.IsZero() || now.Before(k.ExpiresAt))
}

// SecretSince returns when the present secret was made.
func (k Key) SecretSince() time.Time {
	if k.RenewedAt.IsZero() {
		return k.CreatedAt
	}
	return k.RenewedAt
}

// opens reports whether a token is a secret of k that works now.
func (k Key) opens(token string, now time.Time) bool {
	h := []byte(hash(token))
	if subtle.ConstantTimeCompare(h, []byte(k.Hash)) == 1 {
		return true
	}
	return k.Previous != "" && now.Before(k.PreviousUntil) && subtle.ConstantTimeCompare(h, []byte(k.Previous)) == 1
}

// Holder is a key and the state of whoever it stands for, of one moment.
type Holder struct {
	Key Key
	// Active reports whether the user of a personal key may sign in. Role and Rights are the user's.
	Active bool
	Role   reqctx.Role
	Rights permission.Set
}

// Caller returns who calls with a token of h. ok is false if nobody does: the token is none of the key's secrets, the
// key has ended, or its user is deactivated.
func (h Holder) Caller(token string, kind Kind, now time.Time) (who reqctx.Caller, ok bool) {
	if h.Key.Kind() != kind || !h.Key.opens(token, now) {
		return reqctx.Caller{}, false
	}
	return h.Stands(now)
}

// Stands returns whoever the key stands for now. ok is false if that is nobody: the key has ended, or its user is
// deactivated.
func (h Holder) Stands(now time.Time) (who reqctx.Caller, ok bool) {
	k := h.Key
	if !k.live(now) {
		return reqctx.Caller{}, false
	}
	who.Key = reqctx.Key{ID: k.ID, Read: k.Scopes.Read, Write: k.Scopes.Write}
	if k.Kind() == Service {
		who.Service, who.Rights = k.AccountID, k.Scopes.Rights.And(k.Ceiling)
		return who, true
	}
	if !h.Active {
		return reqctx.Caller{}, false
	}
	who.UserID, who.Role, who.Rights = k.UserID, h.Role, k.Scopes.Rights.And(h.Rights)
	return who, true
}

// Name is the form to rename a key.
type Name struct {
	Name string `json:"name"`
}

// Issues returns what is wrong with in.
func (in Name) Issues() (f errs.Issues) {
	nameIssues(&f, in.Name)
	return f
}

// nameIssues adds what is wrong with the name of a key or a service account.
func nameIssues(f *errs.Issues, name string) {
	if !f.Require("name", strings.TrimSpace(name)) {
		return
	}
	if utf8.RuneCountInString(name) > maxName || strings.ContainsFunc(name, unicode.IsControl) || !utf8.ValidString(name) {
		f.Add("name", errs.CodeOutOfRange, "name must have %d characters or fewer, without control characters.", maxName)
	}
}

// Form is what somebody asks for with a new key. There is no field for whose it is.
type Form struct {
	Name   string            `json:"name"`
	Scopes []permission.Name `json:"scopes"`
	// ExpiresAt is a time, null for a key that does not expire, or absent for the usual term.
	ExpiresAt json.RawMessage `json:"expiresAt"`
}

// Issues returns what is wrong with in, whoever asks.
func (in Form) Issues(kind Kind, now time.Time) (f errs.Issues) {
	nameIssues(&f, in.Name)
	scopeIssues(&f, in.Scopes, kind)
	_, never, err := in.end(now)
	switch {
	case err != nil:
		f.Add("expiresAt", errs.CodeWrongType, "expiresAt must be a time such as 2030-01-31T12:00:00Z.")
	case never && kind == Personal:
		f.Add("expiresAt", errs.CodeInvalid, "A personal key expires. Leave expiresAt out, or send a time.")
	case !never && in.outside(now):
		f.Add("expiresAt", errs.CodeOutOfRange, "expiresAt must lie ahead, and at most 366 days.")
	}
	return f
}

// outside reports whether the end is not ahead, or too far.
func (in Form) outside(now time.Time) bool {
	end, _, _ := in.end(now)
	return !end.After(now) || end.After(now.Add(maxLife))
}

// end returns when the key ends; never says that it does not.
func (in Form) end(now time.Time) (at time.Time, never bool, err error) {
	switch {
	case len(in.ExpiresAt) == 0:
		return now.Add(defaultLife), false, nil
	case string(in.ExpiresAt) == "null":
		return time.Time{}, true, nil
	}
	err = json.Unmarshal(in.ExpiresAt, &at)
	return at.UTC().Truncate(time.Millisecond), false, err
}
