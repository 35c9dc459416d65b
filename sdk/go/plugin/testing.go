package plugin

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// TestRequest describes a request for tests of a plugin.
type TestRequest struct {
	Secret string // the one that the plugin under test has
	Method string // GET by default
	Target string // path and query; / by default
	Body   []byte
	Header http.Header
	// Context is who calls, for which installation: by default a guest at a test installation. The
	// platform API is at Platform.BaseURL.
	Context Context
	Config  any    // the instance's config; {} by default
	HookID  string // makes it the delivery of a hook or an event
	Now     time.Time
}

// SignedRequest returns a request for ServeHTTP, signed as the platform signs. It panics if the parts do not
// make a request. To send it with a client, give its URL a scheme and a host, and clear RequestURI.
func SignedRequest(t TestRequest) *http.Request {
	if t.Config == nil {
		t.Config = struct{}{}
	}
	config, err := json.Marshal(t.Config)
	if err != nil {
		panic(err)
	}
	target := first(t.Target, "/")
	r, err := http.NewRequestWithContext(context.Background(), first(t.Method, http.MethodGet),
		"http://localhost"+target, bytes.NewReader(t.Body))
	if err != nil {
		panic(err)
	}
	r.RequestURI, r.RemoteAddr, r.Body = target, "127.0.0.1:1", io.NopCloser(bytes.NewReader(t.Body))
	r.URL.Scheme, r.URL.Host = "", ""
	for name, values := range t.Header {
		r.Header[http.CanonicalHeaderKey(name)] = values
	}
	for name, value := range t.headers(config) {
		if _, given := r.Header[name]; !given {
			r.Header[name] = []string{value}
		}
	}
	sign(r, t.Secret, hashOf(t.Body, len(t.Body) > MaxSignedBody))
	return r
}

// headers returns the platform's headers.
func (t TestRequest) headers(config []byte) map[string]string {
	c := t.Context
	installation := first(c.InstallationID, "00000000-0000-4000-8000-000000000001")
	now := t.Now
	if now.IsZero() {
		now = time.Now()
	}
	p := Platform{BaseURL: "http://127.0.0.1:9", Token: "test"}
	if c.Platform != nil {
		p.BaseURL, p.Token = first(c.Platform.BaseURL, p.BaseURL), first(c.Platform.Token, p.Token)
	}
	h := map[string]string{
		"X-Plugin-Slug":           first(c.Slug, "test"),
		"X-Installation-Id":       installation,
		"X-Tenant-Id":             installation,
		"X-Installation-Key":      first(c.InstallationKey, "default"),
		"X-Plugin-Config":         base64.RawURLEncoding.EncodeToString(config),
		"X-Plugin-Permissions":    strings.Join(c.Permissions, ","),
		"X-User-Id":               c.UserID,
		"X-User-Role":             first(c.Role, RoleGuest),
		"X-Caller":                first(c.Caller, "shop"),
		"X-Locale":                first(c.Locale, "en"),
		"X-Request-Id":            first(c.RequestID, newID()),
		"X-Forwarded-For":         first(c.ClientIP, "127.0.0.1"),
		"X-Forwarded-Proto":       first(c.ClientProtocol, "http"),
		"X-Forwarded-Host":        first(c.ClientHost, "localhost"),
		"X-Platform-Id":           first(c.PlatformID, "test-platform"),
		"X-Platform-Version":      first(c.PlatformVersion, "1.0.0"),
		"X-Platform-Api-Base-Url": p.BaseURL,
		"X-Platform-Token":        p.Token,
		timestampHeader:           strconv.FormatInt(now.UnixMilli(), 10),
	}
	if c.Impersonator != "" {
		h["X-User-Impersonator"] = c.Impersonator
	}
	if c.License != nil {
		told, _ := json.Marshal(c.License) // texts and a time
		h["X-Plugin-License"] = base64.RawURLEncoding.EncodeToString(told)
	}
	if t.HookID != "" {
		h["X-Hook-Id"], h["X-Hook-Attempt"], h["X-Caller"] = t.HookID, "1", first(c.Caller, "api-internal")
	}
	return h
}

func first(values ...string) string {
	for _, v := range values {
		if v != "" {
			return v
		}
	}
	return ""
}

func newID() string {
	id := make([]byte, 16)
	_, _ = rand.Read(id)
	return fmt.Sprintf("%x-%x-%x-%x-%x", id[:4], id[4:6], id[6:8], id[8:10], id[10:])
}

// sign sets the signature of a request that has its timestamp.
func sign(r *http.Request, secret, bodyHash string) {
	var s signed
	for name, values := range r.Header {
		if ofPlatform(name) && name != timestampHeader && name != signatureHeader {
			s.lines = append(s.lines, strings.ToLower(name)+":"+values[0])
		}
	}
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write(s.text(r, r.Header.Get(timestampHeader), bodyHash))
	r.Header.Set(signatureHeader, profile+"="+hex.EncodeToString(mac.Sum(nil)))
}
