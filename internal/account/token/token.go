package token

import (
	"bytes"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"github.com/golang-jwt/jwt/v5"
)

// Kind is the header typ of a token, which tells the kinds apart; but see typeActed.
type Kind string

// The kinds of token the platform signs.
const (
	Access  Kind = "at+jwt"
	Refresh Kind = "rt+jwt"
	Plugin  Kind = "pt+jwt"
)

// typeActed is the header typ of access tokens in which somebody acts for the user. Release 0.1.0 knows no act and
// compares the typ: with that of other access tokens it would take one for the user's own.
const typeActed = "it+jwt"

// PluginAudience is the aud of plugin tokens (contract 7.1).
const PluginAudience = "stoa:plugin"

// ViaChannel is the Via of a token that works on the installation's own channel alone.
const ViaChannel = "channel"

// typeRefresh is the claim type of refresh tokens (contract 2.4).
const typeRefresh = "refresh"

// Leeway is how far the clocks of two replicas may differ.
const Leeway = 30 * time.Second

// MaxLen is the length of the longest token that is read, in bytes. Our own have
// about 700.
const MaxLen = 8 << 10

// ErrInvalid is returned for every token that is refused. It does not say why, because
// the client must not learn it.
var ErrInvalid = errors.New("token: invalid")

// Claims are the claims of the platform's tokens. Which of them a token has depends on
// its kind. Times are whole seconds.
type Claims struct {
	UserID    string
	Email     string
	Role      string
	SessionID string
	ID        string // jti
	IssuedAt  time.Time
	ExpiresAt time.Time
	// Actor is whoever acts for the user (act, RFC 8693); empty for the user.
	Actor string

	// Of a plugin token:
	Subject  string // the installation
	Enabling int64  // of the installation; 0 in a hook's token, and in those of release 0.1.0
	Via      string // where it is accepted: ViaChannel, or empty for the public listener
	Hook     string // the delivery of the hook that it was made for
	Scope    string // the permissions of a hook's token, with spaces between them
	For      string // the user for whom Actor made the call
}

// ValidAt reports whether the times of a token with these claims allow its use at now.
// Parse applies the same rule.
func (c Claims) ValidAt(now time.Time) bool {
	return now.Before(c.ExpiresAt.Add(Leeway)) && !now.Before(c.IssuedAt.Add(-Leeway))
}

// payload is Claims on the wire. Its fields are signed in this order, by wire. Do not change
// it: the successor of a refresh token is signed again from its claims and must come
// out the same (account.Service.Refresh).
type payload struct {
	members

	Issued  *jwt.NumericDate `json:"iat,omitempty"`
	Expires *jwt.NumericDate `json:"exp,omitempty"`
}

// members are the claims on the wire without the times.
type members struct {
	UserID   string `json:"userId,omitempty"`
	Email    string `json:"email,omitempty"`
	Role     string `json:"role,omitempty"`
	Type     string `json:"type,omitempty"`
	Session  string `json:"sid,omitempty"`
	Subject  string `json:"sub,omitempty"`
	Audience string `json:"aud,omitempty"`
	ID       string `json:"jti,omitempty"`
	Enabling int64  `json:"enabling,omitempty"`
	Via      string `json:"via,omitempty"`
	Hook     string `json:"hook,omitempty"`
	Scope    string `json:"scope,omitempty"`
	For      string `json:"for,omitempty"`
	Act      *actor `json:"act,omitempty"`
}

// actor is the claim act.
type actor struct {
	Subject string `json:"sub"`
}

// actorOf returns the claim of a token by which subject acts for somebody; nil without one.
func actorOf(subject string) *actor {
	if subject == "" {
		return nil
	}
	return &actor{subject}
}

// actor returns who acts, or "".
func (m members) actor() string {
	if m.Act == nil {
		return ""
	}
	return m.Act.Subject
}

// typ returns the header typ of a token of that kind with these claims.
func (m members) typ(kind Kind) string {
	if kind == Access && m.Act != nil {
		return typeActed
	}
	return string(kind)
}

// The getters implement jwt.Claims.

func (p payload) GetExpirationTime() (*jwt.NumericDate, error) { return p.Expires, nil }
func (p payload) GetIssuedAt() (*jwt.NumericDate, error)       { return p.Issued, nil }
func (p payload) GetNotBefore() (*jwt.NumericDate, error)      { return nil, nil }
func (p payload) GetIssuer() (string, error)                   { return "", nil }
func (p payload) GetSubject() (string, error)                  { return p.Subject, nil }
func (p payload) GetAudience() (jwt.ClaimStrings, error)       { return jwt.ClaimStrings{p.Audience}, nil }

// complete reports whether the token has the claims of its kind.
func (p payload) complete(kind Kind) bool { return p.Issued != nil && p.members.complete(kind) }

func (m members) complete(kind Kind) bool {
	if m.ID == "" || m.Act != nil && (m.Act.Subject == "" || kind == Refresh) {
		return false
	}
	user := m.UserID != "" && m.Session != ""
	switch kind {
	case Access:
		return user && m.Role != "" && m.Type == "" && m.Audience == "" && m.For == ""
	case Refresh:
		return user && m.Type == typeRefresh && m.Audience == ""
	case Plugin:
		return m.Subject != "" && m.Audience == PluginAudience && m.UserID == ""
	}
	return false
}

// Parse verifies a token of the given kind at the time now and returns its claims.
// find returns the public key with an id, or an error, which Parse passes on. Every
// other failure is ErrInvalid.
func Parse(raw string, kind Kind, now time.Time, find func(kid string) (ed25519.PublicKey, error)) (Claims, error) {
	if len(raw) > MaxLen {
		return Claims{}, ErrInvalid
	}
	var (
		p       payload
		findErr error
	)
	_, err := parser(now, jwt.SigningMethodEdDSA.Alg()).ParseWithClaims(raw, &p, func(t *jwt.Token) (any, error) {
		kid, ok := t.Header["kid"].(string)
		if !ok || kid == "" || t.Header["typ"] != p.typ(kind) || !onlyKnown(t.Header) {
			return nil, ErrInvalid
		}
		var key ed25519.PublicKey
		key, findErr = find(kid)
		return key, findErr
	})
	if findErr != nil {
		return Claims{}, findErr
	}
	if err != nil || !p.complete(kind) || !unambiguous(raw) {
		return Claims{}, ErrInvalid // not the library's error, which may quote the token
	}
	return Claims{
		UserID: p.UserID, Email: p.Email, Role: p.Role, SessionID: p.Session, ID: p.ID,
		Subject: p.Subject, Enabling: p.Enabling, Via: p.Via, Hook: p.Hook, Scope: p.Scope,
		For: p.For, Actor: p.actor(),
		IssuedAt: p.Issued.UTC(), ExpiresAt: p.Expires.UTC(),
	}, nil
}

// parser returns a parser for a set of algorithms. With strict decoding a token has
// one spelling.
func parser(now time.Time, algs ...string) *jwt.Parser {
	return jwt.NewParser(jwt.WithValidMethods(algs), jwt.WithStrictDecoding(), jwt.WithExpirationRequired(),
		jwt.WithIssuedAt(), jwt.WithLeeway(Leeway), jwt.WithTimeFunc(func() time.Time { return now }))
}

// onlyKnown reports whether a header has no extension that must be understood (RFC
// 7515, 4.1.11), because this package understands none.
func onlyKnown(header map[string]any) bool {
	_, crit := header["crit"]
	return !crit
}

// unambiguous reports whether the names in the header and among the claims of a parsed
// token differ by more than case. Programs disagree on which of two equal names counts
// (RFC 7519, 4).
func unambiguous(raw string) bool {
	header, rest, _ := strings.Cut(raw, ".")
	claims, _, _ := strings.Cut(rest, ".")
	for _, part := range []string{header, claims} {
		text, err := base64.RawURLEncoding.DecodeString(part)
		if err != nil || !namesOnce(text) {
			return false
		}
	}
	return true
}

// namesOnce reports whether text is a JSON object whose names differ by more than
// case. It does not look at nested objects.
func namesOnce(text []byte) bool {
	d := json.NewDecoder(bytes.NewReader(text))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return false
	}
	seen := make(map[string]struct{})
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return false
		}
		key := strings.ToLower(name.(string)) //nolint:forcetypeassert // a name of a JSON object
		if _, twice := seen[key]; twice {
			return false
		}
		seen[key] = struct{}{}
		var value json.RawMessage
		if d.Decode(&value) != nil {
			return false
		}
	}
	return true
}
