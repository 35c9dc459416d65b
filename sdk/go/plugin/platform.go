package plugin

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

const (
	timeout   = 10 * time.Second
	maxAnswer = 32 << 20 // bytes of an answer that are read
)

// client is for plugins that bring none. It follows no redirects, because the token is for stoa alone.
var client = &http.Client{
	Transport: http.DefaultTransport.(*http.Transport).Clone(), Timeout: timeout,
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}

// Errors that an *Error wraps.
var (
	ErrNotFound = errors.New("plugin: there is no such entry")
	ErrChanged  = errors.New("plugin: the stored value is not the one expected")
)

// Error is a refusal of the platform API. errors.Is knows ErrNotFound (404) and ErrChanged (412).
type Error struct {
	Status     int
	Code       string // PERMISSION_NOT_GRANTED, RATE_LIMIT_EXCEEDED, STORAGE_QUOTA_EXCEEDED, …
	Message    string
	Details    map[string]any
	RetryAfter time.Duration // after 429
}

func (e *Error) Error() string {
	return fmt.Sprintf("plugin: the platform answered %d %s: %s", e.Status, e.Code, e.Message)
}

// Is implements errors.Is.
func (e *Error) Is(target error) bool {
	return target == ErrNotFound && e.Status == http.StatusNotFound ||
		target == ErrChanged && e.Status == http.StatusPreconditionFailed
}

// Platform is the platform API for one installation. Refusals are an *Error. It is safe for concurrent use.
type Platform struct {
	BaseURL string       // x-platform-api-base-url
	Token   string       // x-platform-token of a recent request; if it has x-user-impersonator: for that call only
	HTTP    *http.Client // if nil, one that follows no redirects and waits 10 s
}

// Config decodes the instance's config as it is now into v.
func (p *Platform) Config(ctx context.Context, v any) error {
	config, _, err := p.config(ctx)
	if err != nil {
		return err
	}
	return json.Unmarshal(config, v)
}

// config returns the present config with its digest, which is the entity tag of the answer. A proxy may have made that a
// weak one.
func (p *Platform) config(ctx context.Context) (config json.RawMessage, digest string, err error) {
	res, err := p.do(ctx, http.MethodGet, "config", nil, nil, nil)
	if err != nil {
		return nil, "", err
	}
	var data struct {
		Config json.RawMessage `json:"config"`
	}
	err = res.data(&data)
	tag := strings.TrimPrefix(res.header.Get("ETag"), "W/")
	return data.Config, strings.Trim(tag, `"`), err
}

// OwnLicense returns the license with which the shop runs the plugin, and nil if it needs none. It needs no
// permission.
func (p *Platform) OwnLicense(ctx context.Context) (*PackageLicense, error) {
	var l PackageLicense
	if err := p.get(ctx, "license", nil, &l); err != nil || l.State == "none" {
		return nil, err
	}
	return &l, nil
}

// Publish publishes an event and returns its id. typ begins with the plugin's slug and a dot. It needs the
// permission events:publish.
func (p *Platform) Publish(ctx context.Context, typ string, data any) (id string, err error) {
	if data == nil {
		data = struct{}{}
	}
	body, err := json.Marshal(struct {
		Type string `json:"type"`
		Data any    `json:"data"`
	}{typ, data})
	if err != nil {
		return "", err
	}
	header := http.Header{"Content-Type": {"application/json"}}
	res, err := p.do(ctx, http.MethodPost, "events", nil, header, body)
	if err != nil {
		return "", err
	}
	var event struct {
		ID string `json:"id"`
	}
	err = res.data(&event)
	return event.ID, err
}

// get decodes the data of an answer into v.
func (p *Platform) get(ctx context.Context, path string, query url.Values, v any) error {
	res, err := p.do(ctx, http.MethodGet, path, query, nil, nil)
	if err != nil {
		return err
	}
	return res.data(v)
}

// answer is a success.
type answer struct {
	status int
	header http.Header
	body   []byte
}

// data decodes what the answer holds, with or without stoa's envelope, into v.
func (a answer) data(v any) error {
	var envelope struct {
		Success bool            `json:"success"`
		Data    json.RawMessage `json:"data"`
	}
	if err := json.Unmarshal(a.body, &envelope); err != nil {
		return fmt.Errorf("plugin: the platform's answer: %w", err)
	}
	if envelope.Success && envelope.Data != nil {
		return json.Unmarshal(envelope.Data, v)
	}
	return json.Unmarshal(a.body, v)
}

func (p *Platform) do(
	ctx context.Context, method, path string, query url.Values, header http.Header, body []byte,
) (a answer, err error) {
	address := strings.TrimRight(p.BaseURL, "/") + "/api/v1/platform/" + path
	if len(query) > 0 {
		address += "?" + query.Encode()
	}
	var source io.Reader
	if body != nil {
		source = bytes.NewReader(body)
	}
	r, err := http.NewRequestWithContext(ctx, method, address, source)
	if err != nil {
		return a, err
	}
	for name, values := range header {
		r.Header[name] = values
	}
	r.Header.Set("Authorization", "Bearer "+p.Token)
	c := p.HTTP
	if c == nil {
		c = client
	}
	res, err := c.Do(r)
	if err != nil {
		return a, err
	}
	defer res.Body.Close()
	a = answer{status: res.StatusCode, header: res.Header}
	if a.body, err = io.ReadAll(io.LimitReader(res.Body, maxAnswer)); err != nil {
		return a, err
	}
	if a.status < 200 || a.status > 299 {
		return a, a.refusal()
	}
	return a, nil
}

// refusal reads an answer that is no success.
func (a answer) refusal() *Error {
	var said struct {
		Error struct {
			Code    string         `json:"code"`
			Message string         `json:"message"`
			Details map[string]any `json:"details"`
		} `json:"error"`
	}
	_ = json.Unmarshal(a.body, &said) // not stoa's answer; the status has to do
	seconds, _ := strconv.Atoi(a.header.Get("Retry-After"))
	return &Error{
		Status: a.status, Code: said.Error.Code, Message: said.Error.Message, Details: said.Error.Details,
		RetryAfter: time.Duration(seconds) * time.Second,
	}
}
