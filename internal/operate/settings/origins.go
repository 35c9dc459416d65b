package settings

import (
	"errors"
	"fmt"
	"net/url"
	"strings"

	"stoa/internal/edge/hosts"
)

// checkOrigins returns the origins in --cors-origins. Browsers compare origins as
// texts, so one that is not spelled as they do would never match: it is refused, with
// the correct spelling.
func checkOrigins(given []string) ([]string, error) {
	var origins []string
	for _, text := range given {
		origin := strings.TrimSpace(text)
		if origin == "*" && len(given) > 1 {
			return nil, errors.New("--cors-origins has * and other origins; write * alone to allow all, or leave it out")
		}
		if origin != "*" {
			if err := checkOrigin(origin); err != nil {
				return nil, err
			}
		}
		origins = append(origins, origin)
	}
	return origins, nil
}

// checkOrigin returns an error unless a browser spells an origin like this: scheme,
// host in lower case, and port unless it is the scheme's own.
func checkOrigin(given string) error {
	scheme, rest, hasScheme := strings.Cut(given, "://")
	if !hasScheme {
		scheme, rest = "https", given
		if host, _, _ := strings.Cut(given, "/"); isLoopback(hostOf(host)) {
			scheme = "http"
		}
	}
	scheme = strings.ToLower(scheme)
	u, err := url.Parse(scheme + "://" + rest)
	if err != nil || u.Hostname() == "" || given == "null" {
		return fmt.Errorf("--cors-origins: %q is not an origin; write one like https://www.example.com", given)
	}
	host := hosts.InBrowsers(scheme, u.Host)
	switch {
	case scheme != "https" && scheme != "http":
		return fmt.Errorf("--cors-origins: %q has the scheme %s; write https://%s", given, scheme, host)
	case strings.Contains(host, "*"):
		return fmt.Errorf("--cors-origins: %q has a *; write each origin out, or * alone to allow all", given)
	case !isASCII(host):
		return fmt.Errorf("--cors-origins: %q has letters beyond ASCII; write the host as browsers send it, xn--…", given)
	case u.User != nil: // and maybe a password
		return fmt.Errorf("--cors-origins contains a user name; write %s://%s", scheme, host)
	case given != scheme+"://"+host:
		return fmt.Errorf("--cors-origins: %q is not spelled as browsers spell origins; write %s://%s", given, scheme, host)
	}
	return nil
}

func isASCII(text string) bool {
	return strings.IndexFunc(text, func(r rune) bool { return r > 0x7e || r <= ' ' }) < 0
}
