package license

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"strings"
	"time"
)

// leaseType is the typ header of leases. No other token of stoa has it.
const leaseType = "license-lease+jwt"

// maxLease is the longest lease that is parsed, in bytes.
const maxLease = 256 << 10

// ClockTolerance is how far the clock may be behind the latest known time before
// it counts as set back.
const ClockTolerance = time.Hour

// Why a lease is not accepted. Errors never contain the lease.
var (
	ErrInvalid    = errors.New("license: not a lease, or changed after it was signed")
	ErrUnknownKey = errors.New("license: the lease is signed with an unknown key")
	ErrProduct    = errors.New("license: the lease is for another product")
	ErrInstance   = errors.New("license: the lease is for another instance")
	ErrIssuer     = errors.New("license: the lease is from another vendor")
	// ErrClock means that the clock is behind the lease or behind lastSeen. A new
	// lease from the vendor resolves it.
	ErrClock = errors.New("license: the clock was set back")
)

// State is the state of a lease.
type State string

// The states of a lease.
const (
	Valid   State = "valid"   // keep running
	Grace   State = "grace"   // keep running, and tell the user to go online
	Expired State = "expired" // stop
)

// Lease is the content of a lease.
type Lease struct {
	Issuer           string
	LicenseID        string
	ProductID        string
	Product          string // slug
	Instance         string
	Development      bool   // this instance takes no seat
	Trial            bool   // the license was given to try the product, and not bought since
	Tier             string // id of the tier; empty in leases of earlier stoas
	Features         []string
	LicenseType      string    // "perpetual" or "subscription"
	LicenseExpiresAt time.Time // zero if the license never expires
	IssuedAt         time.Time
	ExpiresAt        time.Time
	GraceUntil       time.Time
	Nonce            string
}

// Has reports whether the license includes a feature.
func (l Lease) Has(feature string) bool {
	for _, f := range l.Features {
		if f == feature {
			return true
		}
	}
	return false
}

// Result is the result of Verifier.Check.
type Result struct {
	Lease Lease
	State State
	// LastSeen is the latest time known to have passed. Keep it and pass it to the
	// next Check.
	LastSeen time.Time
}

// Usable reports whether the app may keep running.
func (r Result) Usable() bool { return r.State == Valid || r.State == Grace }

// Verifier checks leases offline.
type Verifier struct {
	Keys     Keys
	Product  string // the product's slug
	Instance string // this installation, as activated
	Issuer   string // public URL of the shop; if empty, any shop that has the key
}

// Check verifies a lease and returns its state at the time now. lastSeen is the
// LastSeen of the previous Result, or zero: a clock before it counts as set back.
// Without it, users can set the clock back to when the lease was issued. An
// expired lease is no error: its state is Expired.
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

// NormalInstance returns an instance id as stoa stores it: trimmed, in lower case.
func NormalInstance(id string) string { return strings.ToLower(strings.TrimSpace(id)) }

// ParseLease verifies the signature of a lease and returns its content. It checks
// neither times nor whom the lease is for. It returns ErrInvalid or ErrUnknownKey.
func (k Keys) ParseLease(raw string) (Lease, error) {
	header, rest, _ := strings.Cut(raw, ".")
	payload, signature, ok := strings.Cut(rest, ".")
	// Even in strict mode, encoding/base64 ignores line breaks.
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
	if err != nil || !decode(header, &head) ||
		head.Algorithm != "EdDSA" || head.Type != leaseType || head.Critical != nil {
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

// claims is a lease as it is sent.
type claims struct {
	Issuer  string `json:"iss"`
	Subject string `json:"sub"`
	Product struct {
		ID   string `json:"id"`
		Slug string `json:"slug"`
	} `json:"product"`
	Instance       string   `json:"instanceId"`
	Development    bool     `json:"development"`
	Trial          bool     `json:"trial"`
	Tier           string   `json:"tier"`
	Features       []string `json:"features"`
	LicenseType    string   `json:"licenseType"`
	LicenseExpires int64    `json:"licenseExpiresAt"`
	Issued         int64    `json:"iat"`
	Expires        int64    `json:"exp"`
	Grace          int64    `json:"graceUntil"`
	Nonce          string   `json:"nonce"`
}

func (c claims) complete() bool {
	return c.Subject != "" && c.Product.Slug != "" && c.Instance != "" &&
		c.Issued > 0 && c.Expires > c.Issued && c.Grace >= c.Expires
}

func (c claims) lease() Lease {
	return Lease{
		Issuer: c.Issuer, LicenseID: c.Subject, ProductID: c.Product.ID, Product: c.Product.Slug, Instance: c.Instance,
		Development: c.Development, Trial: c.Trial, Tier: c.Tier, Features: c.Features, LicenseType: c.LicenseType,
		LicenseExpiresAt: unix(c.LicenseExpires),
		IssuedAt:         unix(c.Issued), ExpiresAt: unix(c.Expires), GraceUntil: unix(c.Grace), Nonce: c.Nonce,
	}
}

// unix returns the time of a count of seconds. Zero seconds are the zero time.
func unix(seconds int64) time.Time {
	if seconds == 0 {
		return time.Time{}
	}
	return time.Unix(seconds, 0).UTC()
}

// decode reads one part of a token: a JSON object in Base64URL.
func decode(part string, into any) bool {
	text, err := base64.RawURLEncoding.Strict().DecodeString(part)
	return err == nil && len(text) > 0 && text[0] == '{' && json.Unmarshal(text, into) == nil
}
