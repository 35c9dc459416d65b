package license

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Client is one installation of an app, with its licence. Its fields but the last
// three are required. It is safe for concurrent use if Store is.
type Client struct {
	BaseURL    string // of the stoa, https://shop.example.com
	Product    string // slug of the app's product
	LicenseKey string // as the customer entered it
	Instance   string // what tells this installation from others: a domain name, a machine id
	Keys       Keys   // the vendor's, built into the app

	// Store keeps the lease between runs. Without one, an app that starts without
	// network has none.
	Store Store
	// HTTP sends requests; one with a time limit of 15 s if nil.
	HTTP *http.Client
	// Now is the clock; time.Now if nil.
	Now func() time.Time
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
}

// Activate takes a seat of the licence for this instance, and may be repeated. It
// returns an *Error when there is none, or the key does not work.
func (c *Client) Activate(ctx context.Context) (License, error) { return c.post(ctx, "activate") }

// Deactivate gives the seat back and forgets the lease. It may be repeated.
func (c *Client) Deactivate(ctx context.Context) (License, error) {
	l, err := c.post(ctx, "deactivate")
	if err == nil {
		err = c.save(saved{})
	}
	return l, err
}

// Verify asks the vendor whether the licence may be used now. It returns a
// *Refused when not, ErrUnsigned for an answer that is not the vendor's, an
// *Error, or what went wrong on the way.
func (c *Client) Verify(ctx context.Context) (License, error) {
	var answer struct {
		Valid   bool    `json:"valid"`
		License License `json:"license"`
	}
	_, err := c.ask(ctx, "verify", &answer, &answer.Valid)
	return answer.License, err
}

// Renew asks the vendor for a new lease and keeps it. It returns errors as Verify
// does; when the licence is refused the lease at hand is forgotten.
func (c *Client) Renew(ctx context.Context) (Result, error) {
	var answer struct {
		Valid bool   `json:"valid"`
		Lease string `json:"lease"`
	}
	at, err := c.ask(ctx, "lease", &answer, &answer.Valid)
	if err != nil {
		if _, refused := errors.AsType[*Refused](err); refused {
			err = errors.Join(err, c.save(saved{}))
		}
		return Result{}, err
	}
	// By the vendor's clock: what was thought of the time before does not count.
	r, err := c.verifier().Check(answer.Lease, at, time.Time{})
	if err != nil {
		return Result{}, err
	}
	return r, c.save(saved{Lease: answer.Lease, LastSeen: r.LastSeen.Unix()})
}

// Offline checks the lease at hand without network. It returns ErrInvalid when
// there is none.
func (c *Client) Offline() (Result, error) {
	s, err := c.load()
	if err != nil {
		return Result{}, err
	}
	r, err := c.verifier().Check(s.Lease, c.now(), s.seen())
	if err == nil && r.LastSeen.Sub(s.seen()) >= time.Minute { // not for every call
		s.LastSeen = r.LastSeen.Unix()
		err = c.save(s)
	}
	return r, err
}

// Check asks the vendor, and falls back to the lease at hand when the vendor can
// not be reached or what answers is not the vendor. It is what an app calls at
// start and once or twice a day. It returns a *Refused when the vendor refused,
// an *Error when the request makes no sense to the vendor, and else why there is
// no usable lease. A lease that ran out is no error: look at Usable.
func (c *Client) Check(ctx context.Context) (Status, error) {
	r, cause := c.Renew(ctx)
	if cause == nil {
		return Status{Result: r, Online: true}, nil
	}
	_, refused := errors.AsType[*Refused](cause)
	if e, is := errors.AsType[*Error](cause); refused || is && e.Status < http.StatusInternalServerError {
		return Status{Online: true}, cause
	}
	r, err := c.Offline()
	if err != nil {
		return Status{Cause: cause}, errors.Join(err, cause)
	}
	return Status{Result: r, Cause: cause}, nil
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

func (c *Client) address(path string) string {
	return strings.TrimSuffix(c.BaseURL, "/") + "/api/marketplace/products/" + url.PathEscape(c.Product) + "/" + path
}

// post sends activate or deactivate, whose answers are not signed: nothing rests
// on them.
func (c *Client) post(ctx context.Context, what string) (License, error) {
	body, err := json.Marshal(map[string]string{"licenseKey": c.LicenseKey, "instanceId": c.Instance})
	if err != nil {
		return License{}, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.address(what), bytes.NewReader(body))
	if err != nil {
		return License{}, errAddress
	}
	req.Header.Set("Content-Type", "application/json")
	a, err := c.send(req)
	if err != nil {
		return License{}, err
	}
	var answer struct {
		License License `json:"license"`
	}
	if a.Status != http.StatusOK {
		return License{}, a.failure()
	}
	if err := json.Unmarshal(a.Body, &answer); err != nil {
		return License{}, fmt.Errorf("license: the answer is not JSON: %w", err)
	}
	return answer.License, nil
}

// ask sends a question whose answer is signed, and returns when it was answered.
func (c *Client) ask(ctx context.Context, what string, into any, valid *bool) (time.Time, error) {
	nonce := rand.Text()
	query := url.Values{"licenseKey": {c.LicenseKey}, "instanceId": {c.Instance}, "nonce": {nonce}}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, c.address("license/"+what)+"?"+query.Encode(), http.NoBody)
	if err != nil {
		return time.Time{}, errAddress
	}
	a, err := c.send(req)
	if err != nil {
		return time.Time{}, err
	}
	at, err := VerifyAnswer(c.Keys, a, nonce)
	switch {
	case err != nil:
		return time.Time{}, err
	case a.Status != http.StatusOK:
		return at, a.failure()
	case json.Unmarshal(a.Body, into) != nil:
		return at, ErrUnsigned
	case !*valid:
		return at, &Refused{Code: a.Header.Get(codeHeader)}
	}
	return at, nil
}

// errAddress does not quote the address: it holds the licence key.
var errAddress = errors.New("license: BaseURL and Product make no address")

// send sends a request and reads the answer. Its errors do not hold the address,
// in which the licence key is.
func (c *Client) send(req *http.Request) (Answer, error) {
	client := c.HTTP
	if client == nil {
		client = &http.Client{Timeout: 15 * time.Second}
	}
	res, err := client.Do(req)
	if e, ok := errors.AsType[*url.Error](err); ok {
		err = e.Err
	}
	if err != nil {
		return Answer{}, fmt.Errorf("license: the vendor cannot be reached: %w", err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer))
	if err != nil {
		return Answer{}, fmt.Errorf("license: the vendor's answer broke off: %w", err)
	}
	return Answer{Method: req.Method, URL: req.URL, Status: res.StatusCode, Header: res.Header, Body: body}, nil
}

// failure returns the Error that an answer is.
func (a Answer) failure() error {
	var flat struct {
		Code    string `json:"error"`
		Message string `json:"message"`
	}
	if json.Unmarshal(a.Body, &flat) != nil || flat.Code == "" {
		flat.Code, flat.Message = "UNEXPECTED_ANSWER", "The server answered with status "+http.StatusText(a.Status)+"."
	}
	return &Error{Status: a.Status, Code: flat.Code, Message: flat.Message}
}
