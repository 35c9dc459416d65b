package run

import (
	"fmt"
	"net/url"
	"strings"

	"stoa/internal/base/cache"
	"stoa/internal/extension/plugin"
)

// Base is the base URL of an external plugin.
type Base struct {
	Scheme, Host string
	Path         string // the prefix of the plugin's own paths: empty, or with a leading and no trailing slash
}

// bases caches parsed base URLs: each call needs one.
var bases = cache.New[string, Base](16 << 10)

// BaseOf returns the base URL of the external plugin with that manifest.
func BaseOf(m *plugin.Manifest) (Base, error) {
	if b, ok := bases.Get(m.ExternalBaseURL); ok {
		return b, nil
	}
	u, err := url.Parse(m.ExternalBaseURL)
	if err != nil {
		return Base{}, fmt.Errorf("runtime: base URL of %s: %w", m.Slug, err)
	}
	b := Base{Scheme: u.Scheme, Host: u.Host}
	if path := strings.Trim(u.EscapedPath(), "/"); path != "" {
		b.Path = "/" + path
	}
	bases.Put(m.ExternalBaseURL, b)
	return b, nil
}

// Target returns the path with query that a request to the plugin has in its request line. own
// is the plugin's own path with query: an internal plugin gets just that, an external one gets
// it after the path of its externalBaseUrl. The platform signs the result.
func Target(m *plugin.Manifest, own string) (string, error) {
	if m.RuntimeType != plugin.External {
		return own, nil
	}
	base, err := BaseOf(m)
	if err != nil {
		return "", err
	}
	return base.Target(own), nil
}

// Target is the function of that name for the plugin at b.
func (b Base) Target(own string) string { return b.Path + own }
