package runtime

import (
	"fmt"
	"net/url"
	"strings"

	"stoa/internal/plugin"
)

// Target returns the path with query in the request line of a request to the
// plugin. own is the plugin's own path with query: an internal plugin gets just
// that, an external one gets it behind the path of its externalBaseUrl. The
// platform signs the result.
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
