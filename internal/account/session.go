package account

import (
	"slices"
	"time"

	"stoa/internal/account/token"
)

// How long things live (spec A, Authentication 2; CONTRACT 2 and 7).
const (
	AccessLife   = 604800 * time.Second
	RefreshLife  = 2592000 * time.Second
	RefreshGrace = 10 * time.Second
	PluginLife   = 10 * time.Minute
)

// maxReplaced is how many refresh tokens of one session may be in their grace at
// a time. Spec A allows 60 refreshes an hour.
const maxReplaced = 60

// Session is one place where a user is signed in, from the sign-in to its end.
// It stays one row however often it is refreshed.
type Session struct {
	ID        string
	UserID    string
	CreatedAt time.Time

	// Refresh is the refresh token that is due.
	Refresh Refresh
	// Replaced are those it replaced within the last RefreshGrace, oldest first.
	// Each one's successor is the next, and the last one's is Refresh.
	Replaced []Replaced
}

// Refresh is what it takes to make a refresh token again: Ed25519 signatures are
// deterministic, so the token itself need not be kept, and nobody who reads the
// database can use what is kept instead.
type Refresh struct {
	ID       string // jti
	KeyID    string // kid
	IssuedAt time.Time
}

// Replaced is a refresh token that another took the place of.
type Replaced struct {
	Refresh

	At time.Time // when it was replaced
}

// LastUsedAt is when the session was last refreshed, or began: a first token's
// whole second may lie a little before that.
func (s Session) LastUsedAt() time.Time {
	if s.Refresh.IssuedAt.Before(s.CreatedAt) {
		return s.CreatedAt
	}
	return s.Refresh.IssuedAt
}

// ExpiresAt is when the session ends unless it is refreshed.
func (s Session) ExpiresAt() time.Time { return s.Refresh.IssuedAt.Add(RefreshLife) }

// newRefresh returns a refresh token issued at now. Tokens have whole seconds.
func newRefresh(keyID string, now time.Time) Refresh {
	return Refresh{ID: newTokenID(), KeyID: keyID, IssuedAt: now.Truncate(time.Second).UTC()}
}

// rotate applies the use of the refresh token with the given id at now. It
// returns the token to answer with:
//
//   - for the one that is due, its successor, which is next;
//   - for one replaced no longer than RefreshGrace ago, the same successor it had
//     then;
//   - for any other, nothing: ok is false, and the session must end, because two
//     parties hold its tokens.
//
// changed says whether the session is to be stored.
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

// full reports whether so many tokens are in their grace that no other may be
// replaced now.
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

// claims are those of the session's refresh token r.
func (s Session) claims(r Refresh) token.Claims {
	return token.Claims{UserID: s.UserID, SessionID: s.ID, ID: r.ID, IssuedAt: r.IssuedAt, ExpiresAt: r.IssuedAt.Add(RefreshLife)}
}

// Alive is what a request needs to know about the session it came with.
type Alive struct {
	User      User
	ExpiresAt time.Time // of the session
}
