package tests

import (
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"strings"
	"testing"

	"stoa/internal/account/token"
	"stoa/internal/shop/license/lease"
	"stoa/internal/trust/keyring"
)

type leaseVector struct {
	Name     string `json:"name"`
	Lease    string `json:"lease"`
	Product  string `json:"product"`
	Instance string `json:"instance"`
	Issuer   string `json:"issuer,omitempty"`
	Now      int64  `json:"now"`
	LastSeen int64  `json:"lastSeen,omitempty"`
	// Either the error or the result.
	Error    string        `json:"error,omitempty"`
	State    string        `json:"state,omitempty"`
	SeenNext int64         `json:"seenNext,omitempty"`
	Claims   *lease.Claims `json:"claims,omitempty"`
}

const (
	t0  = 1893499200 // 2030-01-01T12:00:00Z
	day = 24 * 60 * 60
)

var claims = lease.Claims{
	Issuer: "https://shop.example.com", Subject: "tz4a98xxat96iws9zmbrgj3a",
	Product:    lease.Product{ID: "pr4a98xxat96iws9zmbrgj3a", Slug: "mail-pack"},
	InstanceID: "a.example", Features: []string{"templates", "süß & <b>"},
	LicenseType: "subscription", LicenseExpiresAt: t0 + 30*day,
	IssuedAt: t0, ExpiresAt: t0 + 7*day, GraceUntil: t0 + 10*day, Nonce: "n-1",
}

func sign(tb testing.TB, k keyring.Key, c lease.Claims) string {
	tb.Helper()
	raw, err := lease.Sign(k, c)
	if err != nil {
		tb.Fatal(err)
	}
	return raw
}

// forge signs a token with any header and claims.
func forge(k keyring.Key, header, claims string) string {
	text := base64.RawURLEncoding.EncodeToString([]byte(header)) + "." +
		base64.RawURLEncoding.EncodeToString([]byte(claims))
	return text + "." + base64.RawURLEncoding.EncodeToString(ed25519.Sign(k.Private, []byte(text)))
}

// leaseCase completes a vector with what most of them have in common.
func leaseCase(name, raw string, now int64, v leaseVector) leaseVector {
	v.Name, v.Lease, v.Now = name, raw, now
	if v.Product == "" {
		v.Product = "mail-pack"
	}
	if v.Instance == "" {
		v.Instance = "a.example"
	}
	if v.State != "" && v.SeenNext == 0 {
		v.SeenNext = max(now, t0)
	}
	return v
}

// badLease is a lease that no SDK may take for one.
func badLease(name, raw string) leaseVector {
	return leaseCase(name, raw, t0, leaseVector{Error: "invalid"})
}

func leaseVectors(tb testing.TB) []leaseVector {
	tb.Helper()
	v := genuineLeases(tb)
	v = append(v, misspelledLeases(tb)...)
	return append(v, forgedLeases(tb)...)
}

// genuineLeases differ in what the app and its clock make of them.
func genuineLeases(tb testing.TB) []leaseVector {
	tb.Helper()
	v, good := leaseCase, sign(tb, key(tb, 1), claims)
	perpetual := claims
	perpetual.LicenseExpiresAt, perpetual.LicenseType, perpetual.Nonce = 0, "perpetual", ""
	perpetual.Features = []string{}
	development := claims
	development.Development = true
	trial := claims
	trial.Trial = true
	setBack := leaseVector{State: "grace", LastSeen: t0 + 7*day + 10, SeenNext: t0 + 7*day + 10}
	return []leaseVector{
		v("the moment it is issued", good, t0, leaseVector{State: "valid", Claims: &claims}),
		v("the last second", good, t0+7*day-1, leaseVector{State: "valid"}),
		v("the first second of the grace", good, t0+7*day, leaseVector{State: "grace"}),
		v("the last second of the grace", good, t0+10*day-1, leaseVector{State: "grace"}),
		v("after the grace", good, t0+10*day, leaseVector{State: "expired"}),
		v("a perpetual license", sign(tb, key(tb, 1), perpetual), t0, leaseVector{State: "valid", Claims: &perpetual}),
		v("a development instance", sign(tb, key(tb, 1), development), t0, leaseVector{State: "valid", Claims: &development}),
		v("a trial, which readers may ignore", sign(tb, key(tb, 1), trial), t0, leaseVector{State: "valid", Claims: &claims}),
		v("by the next key", sign(tb, key(tb, 2), claims), t0, leaseVector{State: "valid"}),
		v("an instance in another spelling", good, t0, leaseVector{State: "valid", Instance: " A.Example\n"}),
		v("the issuer it has", good, t0, leaseVector{State: "valid", Issuer: "https://shop.example.com/"}),
		v("another issuer", good, t0, leaseVector{Error: "issuer", Issuer: "https://evil.example.com"}),
		v("another product", good, t0, leaseVector{Error: "product", Product: "other"}),
		v("another instance", good, t0, leaseVector{Error: "instance", Instance: "b.example"}),
		v("a clock a little behind", good, t0-3600, leaseVector{State: "valid"}),
		v("a clock before it was issued", good, t0-3601, leaseVector{Error: "clock"}),
		v("a clock that was set back", good, t0+day, leaseVector{Error: "clock", LastSeen: t0 + 2*day}),
		v("a clock that was set back a little", good, t0+7*day-10, setBack),
		v("an old lastSeen", good, t0+day, leaseVector{State: "valid", LastSeen: t0 - day}),
		v("another key", sign(tb, key(tb, 9), claims), t0, leaseVector{Error: "unknown_key"}),
		v("claims of later stoas, which readers ignore", later(tb), t0, leaseVector{State: "valid", Claims: &claims}),
	}
}

// later is a lease with claims that not all readers know, of every type that JSON has.
func later(tb testing.TB) string {
	tb.Helper()
	tiered := claims
	tiered.Tier = "business"
	raw, err := json.Marshal(tiered)
	if err != nil {
		tb.Fatal(err)
	}
	more := `{"x-text":"a","x-number":1.5,"x-yes":true,"x-none":null,"x-list":[1,{"y":[]}],"x-object":{"sub":"other"},`
	header := `{"alg":"EdDSA","kid":"` + key(tb, 1).ID + `","typ":"` + lease.Type + `"}`
	return forge(key(tb, 1), header, more+string(raw[1:]))
}

// misspelledLeases are a genuine lease whose text was changed.
func misspelledLeases(tb testing.TB) []leaseVector {
	tb.Helper()
	good, body := sign(tb, key(tb, 1), claims), body(tb)
	last, parts := strings.LastIndexByte(good, '.'), strings.Split(good, ".")
	changed := base64.RawURLEncoding.EncodeToString([]byte(strings.Replace(body, "templates", "everythin", 1)))
	return []leaseVector{
		badLease("nothing", ""),
		badLease("no token", "a.b.c"),
		badLease("two parts", good[:last]),
		badLease("four parts", good+".x"),
		badLease("no signature", good[:last+1]),
		badLease("padding", good+"="),
		badLease("a line break at the end", good+"\n"),
		badLease("a line break in the signature", good[:len(good)-9]+"\r\n"+good[len(good)-9:]),
		badLease("another spelling of the last bits", good[:len(good)-1]+respell(good[len(good)-1])),
		badLease("changed claims", parts[0]+"."+changed+"."+parts[2]),
	}
}

// respell returns another last character, which decodes to the same bytes for a
// decoder that ignores the unused bits.
func respell(c byte) string {
	const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
	return string(alphabet[strings.IndexByte(alphabet, c)^1])
}

// forgedLeases are signed with a key of the vendor, and are no leases.
func forgedLeases(tb testing.TB) []leaseVector {
	tb.Helper()
	current, other, body := key(tb, 1), key(tb, 9), body(tb)
	head := func(change ...string) string {
		genuine := `{"alg":"EdDSA","kid":"` + current.ID + `","typ":"license-lease+jwt"}`
		return strings.NewReplacer(change...).Replace(genuine)
	}
	by := func(name string, change ...string) leaseVector {
		return badLease(name, forge(current, head(change...), body))
	}
	without := func(name, from, to string) leaseVector {
		return badLease(name, forge(current, head(), strings.Replace(body, from, to, 1)))
	}
	access, err := token.Sign(current, token.Access, token.Claims{UserID: "u", Role: "ADMIN", SessionID: "s", ID: "j"})
	if err != nil {
		tb.Fatal(err)
	}
	noKeyID := forge(current, head(`"kid":"`+current.ID+`",`, ""), body)
	return []leaseVector{
		badLease("another key under a known id", forge(other, head(), body)),
		leaseCase("no kid", noKeyID, t0, leaseVector{Error: "unknown_key"}),
		by("algorithm none", "EdDSA", "none"),
		by("another algorithm", "EdDSA", "HS256"),
		badLease("an access token", access),
		by("an access token's typ", "license-lease+jwt", "at+jwt"),
		by("typ in another case", "license-lease+jwt", "LICENSE-LEASE+JWT"),
		by("an extension that must be understood", `"typ"`, `"crit":["b64"],"typ"`),
		badLease("claims that are no object", forge(current, head(), `[]`)),
		badLease("claims that are no JSON", forge(current, head(), `{`)),
		without("no license", `"sub":"tz4a98xxat96iws9zmbrgj3a",`, ""),
		without("no instance", `"instanceId"`, `"y"`),
		without("no beginning", `"iat"`, `"y"`),
		without("no end", `"exp"`, `"exq"`),
		without("an end that is no number", `"exp":`, `"exp":"x","y":`),
		without("a grace before the end", `"graceUntil":`, `"graceUntil":1,"y":`),
	}
}

// body is the JSON of the claims.
func body(tb testing.TB) string {
	tb.Helper()
	text, err := json.Marshal(claims)
	if err != nil {
		tb.Fatal(err)
	}
	return string(text)
}
