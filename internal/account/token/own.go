package token

import (
	"crypto/ed25519"
	"crypto/subtle"
	"encoding/base64"
	"encoding/json"
	"strings"
	"time"

	"stoa/internal/trust/keyring"
)

// wire is payload as Sign writes it: the same members in the same order, without the cost of jwt's types.
type wire struct {
	members

	Issued  int64 `json:"iat"`
	Expires int64 `json:"exp"`
}

// The header of our tokens. Key ids and kinds need no escapes.
const (
	headerStart = `{"alg":"EdDSA","kid":"`
	headerType  = `","typ":"`
	headerEnd   = `"}`
)

var segment = base64.RawURLEncoding.Strict()

// unsigned returns header and payload of a token, as they are signed.
func unsigned(kid string, kind Kind, c Claims) (string, error) {
	w := wire{
		members: members{
			UserID: c.UserID, Email: c.Email, Role: c.Role, Session: c.SessionID, Subject: c.Subject, ID: c.ID,
			Enabling: c.Enabling, Via: c.Via, Hook: c.Hook, Scope: c.Scope, For: c.For, Act: actorOf(c.Actor),
		},
		Issued: c.IssuedAt.Unix(), Expires: c.ExpiresAt.Unix(),
	}
	switch kind {
	case Access:
	case Refresh:
		w.Type = typeRefresh
	case Plugin:
		w.Audience = PluginAudience
	}
	body, err := json.Marshal(w)
	if err != nil {
		return "", err
	}
	b := segment.AppendEncode(nil, []byte(headerStart+kid+headerType+w.typ(kind)+headerEnd))
	return string(segment.AppendEncode(append(b, '.'), body)), nil
}

// Sign returns a token. Ed25519 signatures are deterministic: the same claims
// under the same key give the same string.
func Sign(key keyring.Key, kind Kind, c Claims) (string, error) {
	text, err := unsigned(key.ID, kind, c)
	if err != nil {
		return "", err
	}
	return text + "." + segment.EncodeToString(ed25519.Sign(key.Private, []byte(text))), nil
}

// Own returns the claims of a token of that kind that Sign made, valid at the time now, and the id of its
// key. ok is false for every other token, which Parse may still accept. find returns the platform's key
// with an id; its error means that there is none.
//
// It signs the claims again and compares, which takes little more than half of verifying the signature, and
// leaves no room for a second spelling.
func Own(raw string, kind Kind, now time.Time,
	find func(kid string) (keyring.Key, error),
) (c Claims, kid string, ok bool) {
	header, rest, _ := strings.Cut(raw, ".")
	body, _, _ := strings.Cut(rest, ".")
	kid, w, ok := decodeOwn(header, body, kind)
	if !ok {
		return Claims{}, "", false
	}
	c = Claims{
		UserID: w.UserID, Email: w.Email, Role: w.Role, SessionID: w.Session, Subject: w.Subject, ID: w.ID,
		Actor:    w.actor(),
		IssuedAt: time.Unix(w.Issued, 0).UTC(), ExpiresAt: time.Unix(w.Expires, 0).UTC(),
	}
	text, err := unsigned(kid, kind, c)
	if err != nil || text != raw[:len(header)+1+len(body)] || !w.complete(kind) || !c.ValidAt(now) {
		return Claims{}, "", false
	}
	key, err := find(kid)
	if err != nil || key.ID != kid {
		return Claims{}, "", false
	}
	want := segment.EncodeToString(ed25519.Sign(key.Private, []byte(text)))
	if subtle.ConstantTimeCompare([]byte(raw[len(text):]), []byte("."+want)) != 1 {
		return Claims{}, "", false
	}
	return c, kid, true
}

// decodeOwn reads the first two segments of a token that Sign may have made.
func decodeOwn(header, body string, kind Kind) (kid string, w wire, ok bool) {
	h, err := segment.DecodeString(header)
	if err != nil {
		return "", w, false
	}
	b, err := segment.DecodeString(body)
	if err != nil || json.Unmarshal(b, &w) != nil {
		return "", w, false
	}
	kid, starts := strings.CutPrefix(string(h), headerStart)
	kid, ends := strings.CutSuffix(kid, headerType+w.typ(kind)+headerEnd)
	return kid, w, starts && ends && kid != ""
}
