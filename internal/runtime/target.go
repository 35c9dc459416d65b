package runtime

import (
	"fmt"
	"net/url"
	"strings"

	"stoa/internal/plugin"
)

// Target returns what stands in the request line of a request to the plugin,
// given the plugin's own path with query: the same for an internal plugin, behind
// the path of externalBaseUrl for an external one. It is what the platform signs.
func Target(m plugin.Manifest, own string) (string, error) {
	if m.RuntimeType != plugin.External {
		return own, nil
	}
	base, err := url.Parse(m.ExternalBaseURL)
	if err != nil {
		return "", fmt.Errorf("runtime: base URL of %s: %w", m.Slug, err)
	}
	path := strings.Trim(base.EscapedPath(), "/")
	if path == "" {
		return own, nil
	}
	return "/" + path + own, nil
}
