package license

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"
)

// Client holds the license of one installation of an app. Set its fields before
// the first call; Store, HTTP and Now are optional. It is safe for concurrent use
// and must not be copied.
type Client struct {
	BaseURL    string // of the shop: https://shop.example.com
	Product    string // the product's slug
	LicenseKey string // as the customer entered it
	Instance   string // identifies this installation: a domain name, a machine id
	Keys       Keys   // the vendor's public keys, built into the app

	// Store keeps the lease between runs. If nil, the lease is lost when the program
	// ends, and an app that starts offline has none.
	Store Store
	// HTTP sends the requests; if nil, a client with a timeout of 15 seconds.
	// Redirects are never followed, whatever its CheckRedirect says.
	HTTP *http.Client
	// Now is the clock; if nil, time.Now.
	Now func() time.Time

	memory memory
}

// maxAnswer limits how much of an answer is read, in bytes.
const maxAnswer = 1 << 20

// Error is an error answer of the shop.
type Error struct {
	Status  int
	Code    string // "ACTIVATION_FAILED", "VALIDATION_ERROR", …
	Message string // for people
}

// Error implements error.
func (e *Error) Error() string { return fmt.Sprintf("license: %s: %s", e.Code, e.Message) }

// Reason says why the vendor refused a license.
type Reason string

// The reasons. A later stoa may add others.
const (
	ReasonNotFound     Reason = "not_found"     // the product has no such key
	ReasonRevoked      Reason = "revoked"       // for good, for example after a refund
	ReasonExpired      Reason = "expired"       // until the license is renewed
	ReasonNotActivated Reason = "not_activated" // this instance has no seat
	ReasonUnpaid       Reason = "unpaid"        // until the payment arrives
)

// Refused is the vendor's signed answer that the license may not be used.
type Refused struct {
	Code Reason
}

// Error implements error.
func (r *Refused) Error() string { return "license: refused: " + string(r.Code) }

// The types and statuses of a license.
const (
	TypePerpetual    = "perpetual"
	TypeSubscription = "subscription"

	StatusActive  = "active"
	StatusExpired = "expired"
	StatusRevoked = "revoked"
)

// License is a license as the shop shows it.
type License struct {
	ID               string    `json:"id"`
	ProductID        string    `json:"productId"`
	LicenseKey       string    `json:"licenseKey"`
	Type             string    `json:"type"`   // TypePerpetual or TypeSubscription
	Status           string    `json:"status"` // StatusActive, StatusExpired or StatusRevoked
	Features         []string  `json:"features"`
	MaxInstances     int       `json:"maxInstances"`
	CurrentInstances int       `json:"currentInstances"`
	ExpiresAt        time.Time `json:"expiresAt,omitzero"`
	CreatedAt        time.Time `json:"createdAt"`

	// Development reports that this instance is a development instance, which takes
	// no seat.
	Development bool `json:"-"`
}

// Status is the result of a check.
type Status struct {
	Result

	// Online reports that the vendor answered just now. If it is false, Cause says
	// why the stored lease was used instead.
	Online bool
	Cause  error

	// StoreErr is a warning: the Store failed. The app works as usual until it stops,
	// but may start without a lease next time.
	StoreErr error
}

// Activate takes a seat of the license for this instance. It may be repeated. It
// returns an *Error when no seat is free or the key is not valid.
func (c *Client) Activate(ctx context.Context) (License, error) { return c.post(ctx, "activate") }

// Deactivate frees the seat and forgets the lease. It may be repeated. If the seat
// was freed but the store failed, it returns the license together with ErrStore.
func (c *Client) Deactivate(ctx context.Context) (License, error) {
	l, err := c.post(ctx, "deactivate")
	if err != nil {
		return l, err
	}
	return l, c.giveBack()
}

// Verify asks the vendor whether the license may be used now. If not, it returns a
// *Refused and forgets the stored lease. Other errors are ErrUnsigned when the
// answer is not the vendor's, an *Error, or a network error.
func (c *Client) Verify(ctx context.Context) (License, error) {
	var answer struct {
		Valid       bool    `json:"valid"`
		Development bool    `json:"development"`
		License     License `json:"license"`
	}
	_, err := c.ask(ctx, "verify", &answer, &answer.Valid)
	answer.License.Development = answer.Development
	if refused, ok := asRefused(err); ok {
		_ = c.refuse(refused) // kept in memory; the next Check tries the store again
	}
	return answer.License, err
}

// Renew asks the vendor for a new lease and stores it. It returns the errors of
// Verify and of Verifier.Check. A failing store is no error: see Status.StoreErr.
func (c *Client) Renew(ctx context.Context) (Status, error) {
	var answer struct {
		Valid bool   `json:"valid"`
		Lease string `json:"lease"`
	}
	before := c.ends()
	at, err := c.ask(ctx, "lease", &answer, &answer.Valid)
	if refused, ok := asRefused(err); ok {
		return Status{Online: true, StoreErr: c.refuse(refused)}, err
	}
	if err != nil {
		return Status{}, err
	}
	// The vendor's clock decides; the last time seen does not matter here.
	r, err := c.verifier().Check(answer.Lease, at, time.Time{})
	if err != nil {
		return Status{}, err
	}
	refused, storeErr := c.grant(saved{Lease: answer.Lease, LastSeen: r.LastSeen.Unix()}, before)
	if refused != nil {
		return Status{Online: true}, refused
	}
	return Status{Result: r, Online: true, StoreErr: storeErr}, nil
}

// Offline checks the stored lease without network. It returns ErrNoLease when
// there is none, a *Refused when the vendor's last answer was a refusal, and the
// errors of Verifier.Check.
func (c *Client) Offline() (Status, error) {
	c.memory.Lock()
	defer c.memory.Unlock()

	s, storeErr := c.load()
	switch {
	case s.Refused != nil:
		return Status{StoreErr: storeErr}, &Refused{Code: *s.Refused}
	case s.Lease == "" && storeErr != nil:
		return Status{StoreErr: storeErr}, fmt.Errorf("%w: %w", ErrNoLease, storeErr)
	case s.Lease == "":
		return Status{}, ErrNoLease
	}
	r, err := c.verifier().Check(s.Lease, c.now(), s.seen())
	if err == nil && r.LastSeen.Sub(s.seen()) >= time.Minute { // do not write on every call
		s.LastSeen = r.LastSeen.Unix()
		storeErr = errors.Join(storeErr, c.save(s))
	}
	return Status{Result: r, StoreErr: storeErr}, err
}

// Check asks the vendor for a new lease. If the vendor cannot be reached, or the
// answer is not the vendor's, it falls back to the stored lease. Call it at start
// and once or twice a day.
//
// It returns a *Refused when the vendor refused and an *Error when the request was
// wrong. Otherwise an error says why no new lease came and why the stored one does
// not help. An expired lease is no error: see Result.Usable.
func (c *Client) Check(ctx context.Context) (Status, error) {
	s, cause := c.Renew(ctx)
	if cause == nil {
		return s, nil
	}
	var e *Error
	if _, refused := asRefused(cause); refused || errors.As(cause, &e) && e.Status < http.StatusInternalServerError {
		s.Online = true
		return s, cause
	}
	s, err := c.Offline()
	s.Cause = cause
	switch {
	case errors.Is(err, ErrNoLease): // the cause comes first: it is what to fix
		return s, fmt.Errorf("%w (%w)", cause, err)
	case err != nil:
		return s, fmt.Errorf("%w (%w)", err, cause)
	}
	return s, nil
}

func asRefused(err error) (*Refused, bool) {
	var r *Refused
	ok := errors.As(err, &r)
	return r, ok
}

func (c *Client) now() time.Time {
	if c.Now != nil {
		return c.Now()
	}
	return time.Now()
}

func (c *Client) verifier() Verifier {
	return Verifier{Keys: c.Keys, Product: c.Product, Instance: c.Instance}
}
