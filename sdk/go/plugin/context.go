package plugin

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// Roles of callers.
const (
	RoleGuest    = "guest"
	RoleCustomer = "customer"
	RoleAdmin    = "admin"
)

// Context says who calls, for which installation. The platform vouches for all of it.
type Context struct {
	Slug string
	// InstallationID identifies the tenant: keep the data of installations apart by it.
	InstallationID  string
	InstallationKey string   // a label, which can be changed
	Permissions     []string // in effect: granted and still declared
	// License is the one with which the shop runs the plugin; nil if it needs none. stoa enforces it: no code has to.
	License *PackageLicense
	UserID  string // empty for guests and services
	// Impersonator is who of the staff acts as the user, by id; empty where users call themselves. Keep both ids with
	// what you record of the call.
	Impersonator    string
	Role            string // RoleGuest, RoleCustomer or RoleAdmin
	Caller          string // shop, admin, api-internal (a service), theme-app or unknown
	Locale          string // the language that the client prefers, such as de-CH
	RequestID       string
	ClientIP        string
	ClientProtocol  string // http or https
	ClientHost      string // the host that the client asked
	PlatformID      string
	PlatformVersion string
	// Platform is the platform API, as this installation. Its token lives ten minutes: use it while you
	// answer this request.
	Platform *Platform

	config  json.RawMessage // nil: only its digest arrived
	digest  string
	configs *configs
}

// PackageLicense is the license of a package that came from a market.
type PackageLicense struct {
	State string `json:"state"` // trial, valid, grace or lapsed, in which only hooks arrive
	Tier  string `json:"tier"`  // its id
	// Features are nil if they are too long for a header: Platform.OwnLicense has them.
	Features  []string   `json:"features,omitempty"`
	ExpiresAt *time.Time `json:"expiresAt"` // the end of the license; nil if it has none
	Trial     bool       `json:"trial"`
}

type contextKey struct{}

// FromContext returns the Context of a request that Verifier.Handler let pass, and nil for any other.
func FromContext(ctx context.Context) *Context {
	c, _ := ctx.Value(contextKey{}).(*Context)
	return c
}

// Can reports whether a permission is in effect.
func (c *Context) Can(permission string) bool { return slices.Contains(c.Permissions, permission) }

// Config decodes the instance's config into v, as json.Unmarshal does. A config that is too large for a
// header is fetched from the platform, once for each version.
func (c *Context) Config(ctx context.Context, v any) error {
	config := c.config
	if config == nil {
		var err error
		if config, err = c.configs.get(ctx, c); err != nil {
			return err
		}
	}
	return json.Unmarshal(config, v)
}

// newContext reads the headers of a request, which must be verified.
func (v *Verifier) newContext(r *http.Request) (*Context, error) {
	h := r.Header
	c := &Context{
		Slug:            h.Get("X-Plugin-Slug"),
		InstallationID:  h.Get("X-Installation-Id"),
		InstallationKey: h.Get("X-Installation-Key"),
		UserID:          h.Get("X-User-Id"),
		Impersonator:    h.Get("X-User-Impersonator"),
		Role:            h.Get("X-User-Role"),
		Caller:          h.Get("X-Caller"),
		Locale:          h.Get("X-Locale"),
		RequestID:       h.Get("X-Request-Id"),
		ClientIP:        h.Get("X-Forwarded-For"),
		ClientProtocol:  h.Get("X-Forwarded-Proto"),
		ClientHost:      h.Get("X-Forwarded-Host"),
		PlatformID:      h.Get("X-Platform-Id"),
		PlatformVersion: h.Get("X-Platform-Version"),
		Platform: &Platform{
			BaseURL: h.Get("X-Platform-Api-Base-Url"), Token: h.Get("X-Platform-Token"), HTTP: v.HTTP,
		},
		digest:  h.Get("X-Plugin-Config-Digest"),
		configs: &v.configs,
	}
	if told := h.Get("X-Plugin-License"); told != "" {
		text, err := base64.RawURLEncoding.DecodeString(told)
		if err != nil || json.Unmarshal(text, &c.License) != nil {
			return nil, errors.New("plugin: the license in the request is not JSON in Base64URL")
		}
	}
	if names := h.Get("X-Plugin-Permissions"); names != "" {
		c.Permissions = strings.Split(names, ",")
	}
	encoded := h.Get("X-Plugin-Config")
	switch {
	case encoded != "":
		text, err := base64.RawURLEncoding.DecodeString(encoded)
		if err != nil || !json.Valid(text) {
			return nil, errors.New("plugin: the config in the request is not JSON in Base64URL")
		}
		c.config = text
	case c.digest == "":
		c.config = json.RawMessage("{}")
	}
	return c, nil
}

// maxConfigs is the number of large configs that are remembered.
const maxConfigs = 100

// configs remembers configs that are too large for a header.
type configs struct {
	mu    sync.Mutex
	known map[string]json.RawMessage // by installation and digest
}

func (k *configs) get(ctx context.Context, c *Context) (json.RawMessage, error) {
	key := c.InstallationID + " " + c.digest
	k.mu.Lock()
	config, ok := k.known[key]
	k.mu.Unlock()
	if ok {
		return config, nil
	}
	config, digest, err := c.Platform.config(ctx)
	if err != nil || digest != c.digest {
		// The platform has only the present config. A later one serves this call, and is not remembered as what it is not.
		return config, err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.known == nil || len(k.known) >= maxConfigs {
		k.known = make(map[string]json.RawMessage)
	}
	k.known[key] = config
	return config, nil
}
