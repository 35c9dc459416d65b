package account

import (
	"slices"
	"strings"
	"time"

	"stoa/internal/account/apikey"
	"stoa/internal/account/token"
	"stoa/internal/base/permission"
	"stoa/internal/base/reqctx"
)

// How long things live (contract 2.4, 2.5 and 7.1).
const (
	AccessLife   = 604800 * time.Second
	RefreshLife  = 2592000 * time.Second
	RefreshGrace = 10 * time.Second
	PluginLife   = 10 * time.Minute
	ActedLife    = time.Minute // of a plugin's token for a call by staff who act as a user
)

// maxReplaced is how many refresh tokens of one session may be in their grace period
// at a time. There are 60 refreshes an hour (contract 1.7).
const maxReplaced = 60

// Session is one place where a user is signed in, from sign-in to the end. It stays
// one row however often it is refreshed.
type Session struct {
	ID        string
	UserID    string
	CreatedAt time.Time

	// Level is 2 after a second factor, else 1. Methods are how the user signed in, at
	// AuthenticatedAt; sessions that began before migration 0070 have none. A refresh changes neither.
	Level           int
	Methods         []string
	AuthenticatedAt time.Time
	// ReauthenticatedAt is when the user proved again to be there; zero for never.
	ReauthenticatedAt time.Time
	// EndsAt is when it ends whatever is refreshed; zero for never. It is not stored, except where somebody else acts
	// as the user: see sessionEnd.
	EndsAt time.Time

	// Address is where the user signed in from, LastAddress where the session was last refreshed, empty if it was not.
	// UserAgent is what the program said of itself at sign-in, of at most 256 bytes.
	Address, LastAddress, UserAgent string
	// DeviceID is that of the KnownDevice in which it begins, empty for none. It is stored, and not read.
	DeviceID string

	// StandIn is who acts as the user in it; nobody in the user's own.
	StandIn StandIn

	// Refresh is the current refresh token.
	Refresh Refresh
	// Replaced are those it replaced within the last RefreshGrace, oldest first. The
	// successor of each is the next, and of the last it is Refresh.
	Replaced []Replaced
}

// Refresh is what it takes to sign a refresh token again. Ed25519 signatures are
// deterministic, so the token itself is not kept, and nobody who reads the database
// can use what is.
type Refresh struct {
	ID       string // jti
	KeyID    string // kid
	IssuedAt time.Time
}

// Replaced is a refresh token that has a successor.
type Replaced struct {
	Refresh

	At time.Time // when it was replaced
}

// How users sign in (Session.Methods).
const (
	MethodPassword     = "pwd"
	MethodCode         = "otp" // of an app
	MethodRecoveryCode = "rec"
	MethodMail         = "eml"
	methodPasskey      = "pky" // with a colon and the id of the Passkey
	methodProvider     = "ext" // with a colon and the id of the Identity
)

// MethodNames returns how the user signed in, without the ids of passkeys.
func (s Session) MethodNames() []string { return MethodNames(s.Methods) }

// MethodNames returns methods without the ids of passkeys.
func MethodNames(methods []string) []string {
	names := []string{}
	for _, m := range methods {
		name, _, _ := strings.Cut(m, ":")
		names = append(names, name)
	}
	return names
}

// with returns the methods of a session that rests on another one from now on. Sessions from before migration 0070
// began with a password: there was no other way in.
func (s Session) with(method string) []string {
	if len(s.Methods) == 0 {
		return []string{MethodPassword, method}
	}
	return append(slices.Clone(s.Methods), method)
}

// PhishingResistant reports whether the session rests on a passkey, which works at the platform's own pages only.
func (s Session) PhishingResistant() bool { return slices.ContainsFunc(s.Methods, isPasskey) }

func isPasskey(method string) bool { return strings.HasPrefix(method, methodPasskey+":") }

// levelOf returns the level of a session that rests on methods.
func levelOf(methods []string) int {
	second := func(m string) bool { return m == MethodCode || m == MethodRecoveryCode || isPasskey(m) }
	if slices.ContainsFunc(methods, second) {
		return 2
	}
	return 1
}

// LastUsedAt is when the session was last refreshed, or when it began. The first
// token's time is cut to the second and may lie just before that.
func (s Session) LastUsedAt() time.Time {
	if s.Refresh.IssuedAt.Before(s.CreatedAt) {
		return s.CreatedAt
	}
	return s.Refresh.IssuedAt
}

// ExpiresAt is when the session ends unless it is refreshed, and can be.
func (s Session) ExpiresAt() time.Time { return s.notAfter(s.Refresh.IssuedAt.Add(RefreshLife)) }

// notAfter returns t, or the session's end if that comes before.
func (s Session) notAfter(t time.Time) time.Time {
	if s.EndsAt.IsZero() || t.Before(s.EndsAt) {
		return t
	}
	return s.EndsAt
}

// newRefresh returns a refresh token issued at now, in whole seconds.
func newRefresh(keyID string, now time.Time) Refresh {
	return Refresh{ID: newTokenID(), KeyID: keyID, IssuedAt: now.Truncate(time.Second).UTC()}
}

// rotate applies the use of the refresh token with the given id at now. It
// returns the token to answer with:
//
//   - for the current one its successor, which is next;
//   - for one replaced within RefreshGrace the successor it got then;
//   - for any other none: ok is false, and the session must end, because two parties
//     hold its tokens.
//
// changed says whether the session must be stored.
func (s *Session) rotate(id string, next Refresh, now time.Time) (successor Refresh, changed, ok bool) {
	if id == s.Refresh.ID {
		s.Replaced = slices.DeleteFunc(s.Replaced, func(r Replaced) bool { return !inGrace(r, now) })
		s.Replaced = append(s.Replaced, Replaced{Refresh: s.Refresh, At: now})
		s.Refresh = next
		return next, true, true
	}
	i := slices.IndexFunc(s.Replaced, func(r Replaced) bool { return r.ID == id && inGrace(r, now) })
	switch {
	case i < 0:
		return Refresh{}, false, false
	case i+1 < len(s.Replaced):
		return s.Replaced[i+1].Refresh, false, true
	}
	return s.Refresh, false, true
}

// full reports whether as many tokens are in their grace period as may be, so that
// none may be replaced now.
func (s *Session) full(now time.Time) bool {
	n := 0
	for _, r := range s.Replaced {
		if inGrace(r, now) {
			n++
		}
	}
	return n >= maxReplaced
}

func inGrace(r Replaced, now time.Time) bool { return !now.After(r.At.Add(RefreshGrace)) }

// claims returns the claims of the session's refresh token r.
func (s Session) claims(r Refresh) token.Claims {
	return token.Claims{
		UserID: s.UserID, SessionID: s.ID, ID: r.ID,
		IssuedAt: r.IssuedAt, ExpiresAt: s.notAfter(r.IssuedAt.Add(RefreshLife)),
	}
}

// Alive is a session and its user, as far as a request needs them.
type Alive struct {
	User            User
	ExpiresAt       time.Time // of the session
	AuthenticatedAt time.Time // as in Session, and so is Level
	Level           int
	// PhishingResistant says that a passkey opened it.
	PhishingResistant bool
	// Rights are what the user's role allows.
	Rights permission.Set
	// StandIn is who acts as the user, and StandInRole and StandInRights are theirs.
	StandIn       StandIn
	StandInRole   reqctx.Role
	StandInRights permission.Set
	// Rules names the state of the Rules at the time; empty in memory, where it may be old.
	Rules string
	// Key is an API key, remembered in place of a session; nil for a session.
	Key *apikey.Holder
}
