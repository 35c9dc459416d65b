package license

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
)

func (c *Client) address(path string) string {
	return strings.TrimSuffix(c.BaseURL, "/") + "/api/marketplace/products/" + url.PathEscape(c.Product) + "/" + path
}

// post sends activate or deactivate. Their answers are not signed: no decision
// depends on them.
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
		Development bool    `json:"development"`
		License     License `json:"license"`
	}
	if a.Status != http.StatusOK {
		return License{}, a.failure()
	}
	if err := json.Unmarshal(a.Body, &answer); err != nil {
		return License{}, fmt.Errorf("license: the answer is not JSON: %w", err)
	}
	answer.License.Development = answer.Development
	return answer.License, nil
}

// ask sends a request whose answer is signed, and returns the time of the answer.
func (c *Client) ask(ctx context.Context, what string, into any, valid *bool) (time.Time, error) {
	nonce, err := newNonce()
	if err != nil {
		return time.Time{}, err
	}
	query := url.Values{"licenseKey": {c.LicenseKey}, "instanceId": {c.Instance}, "nonce": {nonce}}
	address := c.address("license/"+what) + "?" + query.Encode()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
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
		return at, &Refused{Code: Reason(a.Header.Get(codeHeader))}
	}
	return at, nil
}

// newNonce does not use rand.Text, which Go 1.22 lacks.
func newNonce() (string, error) {
	b := make([]byte, 18)
	_, err := rand.Read(b)
	return base64.RawURLEncoding.EncodeToString(b), err
}

// errAddress does not quote the address, which contains the license key.
var errAddress = errors.New("license: BaseURL and Product do not form a valid URL")

// errRedirect reports a redirect. Following it would send the license key to
// whatever address the answer names.
var errRedirect = errors.New("it answered with a redirect; set BaseURL to the shop's own address")

// send sends a request and reads the answer. Its errors do not contain the
// address, which holds the license key.
func (c *Client) send(req *http.Request) (Answer, error) {
	client := http.Client{Timeout: 15 * time.Second}
	if c.HTTP != nil {
		client = *c.HTTP
	}
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	res, err := client.Do(req)
	var e *url.Error
	if errors.As(err, &e) {
		err = e.Err
	}
	if err == nil && res.StatusCode >= 300 && res.StatusCode < 400 {
		_ = res.Body.Close()
		err = errRedirect
	}
	if err != nil {
		return Answer{}, fmt.Errorf("license: the vendor cannot be reached: %w", err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer))
	if err != nil {
		return Answer{}, fmt.Errorf("license: the connection broke during the answer: %w", err)
	}
	return Answer{Method: req.Method, URL: req.URL, Status: res.StatusCode, Header: res.Header, Body: body}, nil
}

// failure returns an error answer as an Error.
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
