package operation

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode"

	"stoa/internal/base/errs"
	"stoa/internal/base/text"
	"stoa/internal/market/remote"
	"stoa/internal/market/terms"
)

const (
	// maxAnswer bounds the answers that are no lists and no packages.
	maxAnswer = 64 << 10
	// downloadWithin is how long a package may take, from the request to the last byte.
	downloadWithin = 10 * time.Minute

	maxReason  = 300  // characters of what a market says
	maxAddress = 2048 // characters of an address from a market
)

// seller is a market as somebody who asks it for something. Nothing that it answers is believed beyond its form.
type seller struct {
	client *http.Client // remote.Fetcher.Client
	at     remote.Market
}

// handoff is a purchase that a market waits for.
type handoff struct {
	ID          string    `json:"handoffId"`
	CheckoutURL string    `json:"checkoutUrl"`
	ExpiresAt   time.Time `json:"expiresAt"`
}

// wanted is the body that asks for a handoff.
type wanted struct {
	ProductSlug string `json:"productSlug"`
	TierID      string `json:"tierId"`
	Instance    string `json:"instance"`
	PlatformID  string `json:"platformId"`
	ReturnURL   string `json:"returnUrl"`
	SecretHash  string `json:"secretHash"`
	LicenseKey  string `json:"licenseKey,omitempty"`
}

// handoff asks for a handoff. once makes a repeated request the same one.
func (s seller) handoff(ctx context.Context, in wanted, once string) (handoff, error) {
	var out handoff
	if _, err := s.post(ctx, "handoffs", once, in, &out); errors.Is(err, ErrTrialUsed) || errors.Is(err, ErrExpired) {
		return handoff{}, ErrRefused.With("reason", "it answers as to something else")
	} else if err != nil {
		return handoff{}, err
	}
	if !plausible(out.ID) || out.ExpiresAt.IsZero() {
		return handoff{}, remote.NotAsAMarket("it answers a purchase with something else")
	}
	if !s.own(out.CheckoutURL) {
		return handoff{}, remote.NotAsAMarket("it sends buyers to another address than its own")
	}
	return out, nil
}

// own reports whether an address is on the market's own.
func (s seller) own(address string) bool {
	u, err := url.Parse(address)
	if err != nil || u.User != nil || u.Opaque != "" || !text.Printable(address, maxAddress) {
		return false
	}
	return strings.ToLower(u.Scheme+"://"+u.Host) == s.at.URL
}

// key is the answer that has a license key.
type key struct {
	LicenseKey string `json:"licenseKey"`
}

func (k key) check() (string, error) {
	if !plausible(k.LicenseKey) {
		return "", remote.NotAsAMarket("it answers with something else than a license key")
	}
	return k.LicenseKey, nil
}

// plausible reports whether a text from a market can be an id or a license key.
func plausible(s string) bool {
	return s != "" && text.Printable(s, text.Short) && !strings.ContainsFunc(s, unicode.IsSpace)
}

// claim asks for the key of a purchase; ok is false until it is paid. The error is ErrExpired when it is too late, and
// ErrForgotten if the market lost the purchase.
func (s seller) claim(ctx context.Context, handoffID, secret string) (licenseKey string, ok bool, err error) {
	var out key
	path := "handoffs/" + url.PathEscape(handoffID) + "/claim"
	status, err := s.post(ctx, path, "", map[string]string{"secret": secret}, &out)
	if errors.Is(err, ErrTier) {
		return "", false, ErrForgotten
	} else if err != nil || status == http.StatusAccepted {
		return "", false, err
	}
	licenseKey, err = out.check()
	return licenseKey, err == nil, err
}

// trial asks for the key of a trial.
func (s seller) trial(ctx context.Context, product, tier, instance, email, once string) (string, error) {
	var out key
	_, err := s.post(ctx, "trials", once, map[string]string{
		"productSlug": product, "tierId": tier, "instance": instance, "email": email,
	}, &out)
	if err != nil {
		return "", err
	}
	return out.check()
}

// post sends a request to the API of markets. out gets the answer, of which unknown fields are ignored.
func (s seller) post(ctx context.Context, path, once string, in, out any) (status int, err error) {
	body, err := json.Marshal(in)
	if err != nil {
		return 0, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.at.URL+terms.Prefix+path, bytes.NewReader(body))
	if err != nil {
		return 0, fmt.Errorf("operation: %w", err)
	}
	req.Header.Set("Content-Type", "application/json")
	if once != "" {
		req.Header.Set("Idempotency-Key", once)
	}
	return s.do(req, maxAnswer, out)
}

// get asks for a document of the shop.
func (s seller) get(ctx context.Context, path string, limit int64, out any) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.at.URL+path, nil)
	if err != nil {
		return fmt.Errorf("operation: %w", err)
	}
	_, err = s.do(req, limit, out)
	return err
}

func (s seller) do(req *http.Request, limit int64, out any) (status int, err error) {
	req.Header.Set("Accept", "application/json")
	res, err := s.client.Do(req)
	if err != nil {
		return 0, remote.NoAnswer(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(io.LimitReader(res.Body, limit+1))
	if err != nil {
		return 0, remote.NoAnswer(err)
	}
	if res.StatusCode < 200 || res.StatusCode > 299 {
		return res.StatusCode, refusal(res.StatusCode, body)
	}
	if int64(len(body)) > limit {
		return 0, remote.NotAsAMarket("its answer is too large")
	}
	if res.StatusCode != http.StatusAccepted && json.Unmarshal(body, out) != nil {
		return 0, remote.NotAsAMarket("its answer cannot be read")
	}
	return res.StatusCode, nil
}

// refusal returns what a market's answer other than success means.
func refusal(status int, body []byte) error {
	var said struct {
		Error   string `json:"error"`
		Message string `json:"message"`
		Details struct {
			Reason string `json:"reason"`
		} `json:"details"`
	}
	readable := json.Unmarshal(body, &said) == nil && said.Error != ""
	switch {
	case status >= 500 || status == http.StatusTooManyRequests || status == http.StatusRequestTimeout ||
		said.Error == "IDEMPOTENCY_IN_PROGRESS":
		return remote.ErrUnreachable.With("reason", fmt.Sprintf("it answers with status %d", status))
	case status >= 300 && status < 400:
		return remote.NotAsAMarket("it redirects")
	case !readable:
		return remote.NotAsAMarket(fmt.Sprintf("it answers with status %d", status))
	}
	switch said.Error {
	case ErrTrialUsed.Code:
		return ErrTrialUsed
	case ErrLicense.Code:
		return ErrLicense.With("reason", words(said.Details.Reason, text.Short))
	case ErrExpired.Code:
		return ErrExpired
	}
	if status == http.StatusNotFound {
		return ErrTier
	}
	return ErrRefused.With("reason", words(said.Message, maxReason))
}

// words returns the beginning of a text from a market as one line of printable characters.
func words(s string, limit int) string {
	s = strings.Join(strings.FieldsFunc(strings.ToValidUTF8(s, ""), func(r rune) bool {
		return unicode.IsSpace(r) || text.Misleading(r)
	}), " ")
	for at := range s {
		if limit == 0 {
			return s[:at]
		}
		limit--
	}
	return s
}

// errBroken is the cause of an answer that broke off.
var errBroken = errors.New("operation: the answer broke off")

// download reads a version of a product's package. It gives it to receive, at most one byte more than was signed, and
// returns what receive does, unless the answer breaks off.
func (s seller) download(
	ctx context.Context, product string, pkg remote.Package, licenseKey string, receive func(io.Reader) error,
) error {
	ctx, cancel := context.WithTimeout(ctx, downloadWithin)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.at.URL+terms.PackagePath+product+"/"+pkg.Version, nil)
	if err != nil {
		return fmt.Errorf("operation: %w", err)
	}
	if licenseKey != "" {
		req.Header.Set("Authorization", terms.LicenseScheme+" "+licenseKey)
	}
	client := *s.client
	client.Timeout = 0 // that of ctx
	res, err := client.Do(req)
	if err != nil {
		return remote.NoAnswer(err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		said, _ := io.ReadAll(io.LimitReader(res.Body, maxAnswer))
		err := refusal(res.StatusCode, said)
		if errors.Is(err, ErrTier) || res.StatusCode == http.StatusGone {
			return ErrGone
		}
		return err
	}
	body := &source{r: io.LimitReader(res.Body, pkg.Size+1)}
	err = receive(body)
	if body.err != nil {
		return remote.NoAnswer(errors.Join(errBroken, body.err))
	}
	return err
}

// source remembers whether reading failed.
type source struct {
	r   io.Reader
	err error
}

// Read implements io.Reader.
func (s *source) Read(b []byte) (int, error) {
	n, err := s.r.Read(b)
	if err != nil && !errors.Is(err, io.EOF) {
		s.err = err
	}
	return n, err
}

// final reports whether an error is the end of an operation: trying again would change nothing.
func final(err error) bool {
	switch errs.KindOf(err) {
	case errs.Invalid, errs.Forbidden, errs.NotFound, errs.Gone, errs.Conflict, errs.TooLarge, errs.Unprocessable,
		errs.Unsupported:
		return true
	default:
		return false
	}
}
