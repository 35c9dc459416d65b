package proof

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
	"testing"
	"time"
)

// httpClient allows enough connections for all clients of a test. It follows no redirect.
var httpClient = &http.Client{
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	Transport:     &http.Transport{MaxIdleConns: 0, MaxIdleConnsPerHost: 256, IdleConnTimeout: time.Minute},
	Timeout:       time.Minute,
}

// answer is the answer to a request.
type answer struct {
	status int
	header http.Header
	body   []byte
}

// call sends one request.
func (p *process) call(ctx context.Context, method, path string, header http.Header, body any) (answer, error) {
	var content io.Reader = http.NoBody
	if body != nil {
		b, err := json.Marshal(body)
		if err != nil {
			return answer{}, err
		}
		content = bytes.NewReader(b)
	}
	req, err := http.NewRequestWithContext(ctx, method, p.URL()+path, content)
	if err != nil {
		return answer{}, err
	}
	for name, values := range header {
		req.Header[name] = values
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := httpClient.Do(req)
	if err != nil {
		return answer{}, err
	}
	defer resp.Body.Close()
	got, err := io.ReadAll(resp.Body)
	return answer{resp.StatusCode, resp.Header, got}, err
}

// app is the path of the product.
const app = "/api/marketplace/products/app"

// verdict is the result of a request about a license.
type verdict string

const (
	granted      verdict = "granted"
	full         verdict = "full"     // no seat is left
	unusable     verdict = "unusable" // of an activation: the license is not valid
	revoked      verdict = "revoked"
	notActivated verdict = "not_activated"
	unknown      verdict = "unknown" // there was no answer
)

// outcome is a verdict with the state of the license in the answer.
type outcome struct {
	verdict verdict
	seats   int    // currentInstances, if the verdict is granted
	taken   uint16 // a bit for each instance in a list
}

// licenseBody is the part of an answer about a license.
type licenseBody struct {
	Valid   bool `json:"valid"`
	Success bool `json:"success"`
	License struct {
		CurrentInstances int `json:"currentInstances"`
	} `json:"license"`
	Error   string `json:"error"`
	Message string `json:"message"`
}

// errOdd is wrapped by errors about an answer that no client should get. After any other
// error, the result of the request is not known.
var errOdd = errors.New("odd answer")

func odd(a answer) error { return fmt.Errorf("%w: %d %s", errOdd, a.status, a.body) }

func use(key, instance string) map[string]string {
	return map[string]string{"licenseKey": key, "instanceId": instance}
}

// activate activates an instance.
func (p *process) activate(ctx context.Context, key, instance string) (outcome, error) {
	a, err := p.call(ctx, http.MethodPost, app+"/activate", nil, use(key, instance))
	if err != nil {
		return outcome{}, err
	}
	return a.license()
}

// deactivate deactivates an instance.
func (p *process) deactivate(ctx context.Context, key, instance string) (outcome, error) {
	a, err := p.call(ctx, http.MethodPost, app+"/deactivate", nil, use(key, instance))
	if err != nil {
		return outcome{}, err
	}
	return a.license()
}

// license reads an answer about a license.
func (a answer) license() (outcome, error) {
	var body licenseBody
	if err := json.Unmarshal(a.body, &body); err != nil {
		return outcome{}, odd(a)
	}
	switch {
	case a.status == http.StatusOK && body.Success:
		return outcome{verdict: granted, seats: body.License.CurrentInstances}, nil
	case body.Error == "ACTIVATION_FAILED" && strings.Contains(body.Message, "maximum number"):
		return outcome{verdict: full}, nil
	case body.Error == "ACTIVATION_FAILED":
		return outcome{verdict: unusable}, nil
	}
	return outcome{}, odd(a)
}

// verify asks whether an instance may use the license.
func (p *process) verify(ctx context.Context, key, instance string) (outcome, error) {
	q := url.Values{"licenseKey": {key}, "instanceId": {instance}}
	a, err := p.call(ctx, http.MethodGet, app+"/license/verify?"+q.Encode(), nil, nil)
	if err != nil {
		return outcome{}, err
	}
	var body licenseBody
	if err := json.Unmarshal(a.body, &body); err != nil || a.status != http.StatusOK {
		return outcome{}, odd(a)
	}
	if body.Valid {
		return outcome{verdict: granted, seats: body.License.CurrentInstances}, nil
	}
	if v := verdict(a.header.Get("X-License-Code")); v == revoked || v == notActivated {
		return outcome{verdict: v}, nil
	}
	return outcome{}, fmt.Errorf("%w, X-License-Code %q", odd(a), a.header.Get("X-License-Code"))
}

// bought is an answered purchase.
type bought struct {
	OrderID    string `json:"orderId"`
	LicenseKey string `json:"licenseKey"`
}

// buy purchases a tier.
func (p *process) buy(ctx context.Context, tier string, header http.Header) (bought, error) {
	a, err := p.call(ctx, http.MethodPost, app+"/purchase", header,
		map[string]any{
			"tierId": tier, "paymentMethod": "card",
			"billingInfo": map[string]string{"email": "buyer@example.com"},
		})
	if err != nil {
		return bought{}, err
	}
	var b bought
	if err := json.Unmarshal(a.body, &b); err != nil || a.status != http.StatusOK || b.LicenseKey == "" {
		return b, odd(a)
	}
	return b, nil
}

// mustBuy purchases a tier, as a guest or with a token.
func (p *process) mustBuy(tb testing.TB, tier, token string) bought {
	tb.Helper()
	b, err := p.buy(tb.Context(), tier, bearer(token))
	if err != nil {
		tb.Error(err)
	}
	return b
}
