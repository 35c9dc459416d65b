package license

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"
)

// Client is one installation of an app, with its licence. Its fields but the last
// three are required, and are set before it is used. It is safe for concurrent
// use, and must not be copied.
type Client struct {
	BaseURL    string // of the stoa, https://shop.example.com
	Product    string // slug of the app's product
	LicenseKey string // as the customer entered it
	Instance   string // what tells this installation from others: a domain name, a machine id
	Keys       Keys   // the vendor's, built into the app

	// Store keeps the lease between runs. Without one it is kept until the program
	// ends, and an app that starts without network has none.
	Store Store
	// HTTP sends requests; one with a time limit of 15 s if nil. It never follows a
	// redirect, whatever its CheckRedirect says.
	HTTP *http.Client
	// Now is the clock; time.Now if nil.
	Now func() time.Time

	memory memory
}

// maxAnswer is how much of an answer is read.
const maxAnswer = 1 << 20

// Error is what the vendor's stoa answers when a request fails.
type Error struct {
	Status  int
	Code    string // "ACTIVATION_FAILED", "VALIDATION_ERROR", …
	Message string // for people
}

// Error implements error.
func (e *Error) Error() string { return fmt.Sprintf("license: %s: %s", e.Code, e.Message) }

// Refused is the vendor's word, signed, that the licence may not be used.
type Refused struct {
	// Code says why: not_found, revoked, expired, not_activated or unpaid.
	Code string
}

// Error implements error.
func (r *Refused) Error() string { return "license: refused: " + r.Code }

// License is a licence as the vendor shows it.
type License struct {
	ID               string    `json:"id"`
	ProductID        string    `json:"productId"`
	LicenseKey       string    `json:"licenseKey"`
	Type             string    `json:"type"`
	Status           string    `json:"status"`
	Features         []string  `json:"features"`
	MaxInstances     int       `json:"maxInstances"`
	CurrentInstances int       `json:"currentInstances"`
	ExpiresAt        time.Time `json:"expiresAt,omitzero"`
	CreatedAt        time.Time `json:"createdAt"`
}

// Status is what Check found.
type Status struct {
	Result

	// Online reports that the vendor answered just now. If not, Cause says why the
	// lease at hand was used.
	Online bool
	Cause  error

	// StoreErr is what went wrong with Store, and a warning: as long as the program
	// runs all goes on as it should, but what was learned may be forgotten at its
	// end.
	StoreErr error
}

// Activate takes a seat of the licence for this instance, and may be repeated. It
// returns an *Error when there is none, or the key does not work.
func (c *Client) Activate(ctx context.Context) (License, error) { return c.post(ctx, "activate") }

// Deactivate gives the seat back and forgets the lease. It may be repeated. When
// only the store failed it returns the licence and an error that is ErrStore.
func (c *Client) Deactivate(ctx context.Context) (License, error) {
	l, err := c.post(ctx, "deactivate")
	if err != nil {
		return l, err
	}
	return l, c.giveBack()
}

// Verify asks the vendor whether the licence may be used now. It returns a
// *Refused when not, and then the lease at hand is forgotten; ErrUnsigned for an
// answer that is not the vendor's, an *Error, or what went wrong on the way.
func (c *Client) Verify(ctx context.Context) (License, error) {
	var answer struct {
		Valid   bool    `json:"valid"`
		License License `json:"license"`
	}
	_, err := c.ask(ctx, "verify", &answer, &answer.Valid)
	if refused, ok := asRefused(err); ok {
		_ = c.refuse(refused) // kept in memory, and tried again by the next Check
	}
	return answer.License, err
}

// Renew asks the vendor for a new lease and keeps it. It returns errors as Verify
// does, and those of Verifier.Check; a store that fails is none, but StoreErr of
// the Status.
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
	// By the vendor's clock: what was thought of the time before does not count.
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

// Offline checks the lease at hand without network. It returns ErrNoLease when
// there is none, a *Refused when the vendor's last word was no, and what
// Verifier.Check returns.
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
	if err == nil && r.LastSeen.Sub(s.seen()) >= time.Minute { // not for every call
		s.LastSeen = r.LastSeen.Unix()
		storeErr = errors.Join(storeErr, c.save(s))
	}
	return Status{Result: r, StoreErr: storeErr}, err
}

// Check asks the vendor, and falls back to the lease at hand when the vendor can
// not be reached or what answers is not the vendor. It is what an app calls at
// start and once or twice a day. It returns a *Refused when the vendor refused,
// an *Error when the request makes no sense to the vendor, and else why the
// vendor gave no lease and why that at hand does not do. A lease that ran out is
// no error: look at Usable.
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
	case errors.Is(err, ErrNoLease): // and what is to be mended is the cause
		return s, fmt.Errorf("%w (%w)", cause, err)
	case err != nil:
		return s, fmt.Errorf("%w (%w)", err, cause)
	}
	return s, nil
}

func asRefused(err error) (*Refused, bool) {
	var r *Refused
	return r, errors.As(err, &r)
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
