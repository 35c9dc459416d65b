package license

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"strings"
	"time"
)

// leaseType is the header typ of leases; no other token has it.
const leaseType = "license-lease+jwt"

// maxLease is the length of the longest lease that is looked at.
const maxLease = 256 << 10

// ClockTolerance is how far a clock may be behind what is known of the time
// before it is taken for one that was set back.
const ClockTolerance = time.Hour

// Why a lease is refused. Errors of this package never hold the lease.
var (
	ErrInvalid    = errors.New("license: this is no lease, or it was changed")
	ErrUnknownKey = errors.New("license: the lease is signed with a key that is not among yours")
	ErrProduct    = errors.New("license: the lease is for another product")
	ErrInstance   = errors.New("license: the lease is for another instance")
	ErrIssuer     = errors.New("license: the lease is of another vendor")
	// ErrClock: the clock shows a time that is over, as the lease or lastSeen
	// prove. A new lease from the vendor sets it right.
	ErrClock = errors.New("license: the clock was set back")
)

// State is how far a lease has run.
type State string

// The states of a lease.
const (
	Valid   State = "valid"   // go on
	Grace   State = "grace"   // go on, and tell the user that the vendor has to be reached
	Expired State = "expired" // stop
)

// Lease is what a lease says.
type Lease struct {
	Issuer           string
	LicenseID        string
	ProductID        string
	Product          string // slug
	Instance         string
	Features         []string
	LicenseType      string    // "perpetual" or "subscription"
	LicenseExpiresAt time.Time // zero if it never ends
	IssuedAt         time.Time
	ExpiresAt        time.Time
	GraceUntil       time.Time
	Nonce            string
}

// Has reports whether the licence has a feature.
func (l Lease) Has(feature string) bool {
	for _, f := range l.Features {
		if f == feature {
			return true
		}
	}
	return false
}

// Result is what Verifier.Check found.
type Result struct {
	Lease Lease
	State State
	// LastSeen is the latest time that is known to have been. Keep it, and give it
	// to the next Check.
	LastSeen time.Time
}

// Usable reports whether the app may go on.
func (r Result) Usable() bool { return r.State == Valid || r.State == Grace }

// Verifier checks leases without network.
type Verifier struct {
	Keys     Keys
	Product  string // slug of the app's product
	Instance string // of this installation, as it was activated
	Issuer   string // public URL of the stoa; empty accepts any that has the key
}

// Check verifies a lease and says how far it has run at the time now. lastSeen is
// the LastSeen of the Result before, or zero: the clock cannot be set back before
// it. It is worth as much as the place it was kept in; without it the clock can be
// set back to when the lease was issued. A lease that has run out is no error but
// Expired.
//
// It returns ErrInvalid, ErrUnknownKey, ErrProduct, ErrInstance, ErrIssuer or
// ErrClock.
func (v Verifier) Check(raw string, now, lastSeen time.Time) (Result, error) {
	l, err := v.Keys.ParseLease(raw)
	if err != nil {
		return Result{}, err
	}
	switch {
	case l.Product != v.Product:
		return Result{}, ErrProduct
	case l.Instance != NormalInstance(v.Instance):
		return Result{}, ErrInstance
	case v.Issuer != "" && l.Issuer != strings.TrimSuffix(v.Issuer, "/"):
		return Result{}, ErrIssuer
	}
	known := later(lastSeen, l.IssuedAt)
	if now.Before(known.Add(-ClockTolerance)) {
		return Result{}, ErrClock
	}
	at := later(now, known)
	r := Result{Lease: l, State: Expired, LastSeen: at}
	switch {
	case at.Before(l.ExpiresAt):
		r.State = Valid
	case at.Before(l.GraceUntil):
		r.State = Grace
	}
	return r, nil
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// NormalInstance returns an instance id as stoa counts it: trimmed and in lower
// case.
func NormalInstance(id string) string { return strings.ToLower(strings.TrimSpace(id)) }

// ParseLease verifies the signature of a lease and returns what it says, whatever
// time it is and whomever it is for. It returns ErrInvalid or ErrUnknownKey.
func (k Keys) ParseLease(raw string) (Lease, error) {
	header, rest, _ := strings.Cut(raw, ".")
	payload, signature, ok := strings.Cut(rest, ".")
	// encoding/base64 skips line breaks, also when it is strict.
	if !ok || len(raw) > maxLease || strings.ContainsAny(raw, "\r\n") {
		return Lease{}, ErrInvalid
	}
	var head struct {
		Algorithm string          `json:"alg"`
		Type      string          `json:"typ"`
		Key       string          `json:"kid"`
		Critical  json.RawMessage `json:"crit"`
	}
	sig, err := base64.RawURLEncoding.Strict().DecodeString(signature)
	if err != nil || !decode(header, &head) || head.Algorithm != "EdDSA" || head.Type != leaseType || head.Critical != nil {
		return Lease{}, ErrInvalid
	}
	switch ok, known := k.verify(head.Key, []byte(raw[:len(header)+1+len(payload)]), sig); {
	case !known:
		return Lease{}, ErrUnknownKey
	case !ok:
		return Lease{}, ErrInvalid
	}
	var c claims
	if !decode(payload, &c) || !c.complete() {
		return Lease{}, ErrInvalid
	}
	return c.lease(), nil
}

// claims are a lease as it travels.
type claims struct {
	Issuer  string `json:"iss"`
	Subject string `json:"sub"`
	Product struct {
		ID   string `json:"id"`
		Slug string `json:"slug"`
	} `json:"product"`
	Instance       string   `json:"instanceId"`
	Features       []string `json:"features"`
	LicenseType    string   `json:"licenseType"`
	LicenseExpires int64    `json:"licenseExpiresAt"`
	Issued         int64    `json:"iat"`
	Expires        int64    `json:"exp"`
	Grace          int64    `json:"graceUntil"`
	Nonce          string   `json:"nonce"`
}

func (c claims) complete() bool {
	return c.Subject != "" && c.Product.Slug != "" && c.Instance != "" && c.Issued > 0 && c.Expires > c.Issued && c.Grace >= c.Expires
}

func (c claims) lease() Lease {
	l := Lease{
		Issuer: c.Issuer, LicenseID: c.Subject, ProductID: c.Product.ID, Product: c.Product.Slug, Instance: c.Instance,
		Features: c.Features, LicenseType: c.LicenseType, Nonce: c.Nonce,
		IssuedAt: time.Unix(c.Issued, 0).UTC(), ExpiresAt: time.Unix(c.Expires, 0).UTC(), GraceUntil: time.Unix(c.Grace, 0).UTC(),
	}
	if c.LicenseExpires != 0 {
		l.LicenseExpiresAt = time.Unix(c.LicenseExpires, 0).UTC()
	}
	return l
}

// decode reads a part of a token: a JSON object in Base64URL.
func decode(part string, into any) bool {
	text, err := base64.RawURLEncoding.Strict().DecodeString(part)
	return err == nil && len(text) > 0 && text[0] == '{' && json.Unmarshal(text, into) == nil
}
