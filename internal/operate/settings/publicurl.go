package settings

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strconv"
	"strings"

	"stoa/internal/edge/hosts"
)

// checkPublicURL returns the public URL as stoa uses it: a scheme and a host, in
// lower case. It refuses anything else and says how to write it, because mails,
// plugins and payment pages would carry the mistake. warning is not empty if the URL
// works but should be another.
func checkPublicURL(given string) (clean, warning string, err error) {
	refuse := func(why, write string) (string, string, error) {
		return "", "", fmt.Errorf("--public-url %q %s; write %s", given, why, write)
	}
	text := strings.TrimSpace(given)
	for _, scheme := range []string{"https", "http"} { // https:/host and https:host
		if after, found := strings.CutPrefix(strings.ToLower(text), scheme+":"); found && !strings.HasPrefix(after, "//") {
			if host := strings.TrimLeft(after, "/"); host != "" {
				return refuse("is not the URL of a host", scheme+"://"+host)
			}
		}
	}
	scheme, rest, ok := strings.Cut(text, "://")
	if !ok {
		scheme, rest = "https", text
		if host, _, _ := strings.Cut(text, "/"); isLoopback(hostOf(host)) {
			scheme = "http"
		}
	}
	u, err := url.Parse(strings.ToLower(scheme) + "://" + rest)
	if err != nil || u.Hostname() == "" {
		return refuse("is not the URL of a host", "one like https://shop.example.com")
	}
	host, name, port := strings.ToLower(u.Host), strings.ToLower(u.Hostname()), u.Port()
	short := strings.Replace(hosts.InBrowsers(u.Scheme, host), name, strings.TrimSuffix(name, "."), 1)
	root := u.Scheme + "://" + short
	switch {
	case u.Scheme != "http" && u.Scheme != "https":
		return refuse("has the scheme "+u.Scheme, "https://"+strings.ToLower(u.Host))
	case !ok:
		return refuse("has no scheme", root)
	case u.User != nil:
		return "", "", fmt.Errorf("--public-url contains a user name; write %s", root) // and maybe a password
	case strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.ForceQuery || strings.Contains(text, "#"):
		return refuse("has something after the host, but stoa is served at the root of its host", root)
	}
	if err := checkHost(name, port); err != nil {
		return "", "", fmt.Errorf("--public-url %q %w", given, err)
	}
	if short != host {
		return refuse("is not spelled as browsers spell it", root)
	}
	if u.Scheme == "http" && isPublicHost(u.Hostname()) {
		warning = "passwords and license keys cross the network unencrypted, unless a proxy adds TLS: " +
			"if it does, set --public-url to https://" + strings.ToLower(u.Hostname())
	}
	return root, warning, nil
}

// checkHost refuses hosts and ports that links cannot have.
func checkHost(name, port string) error {
	_, notAddress := netip.ParseAddr(name)
	switch {
	case !isASCII(name):
		return errors.New("has letters beyond ASCII; write the host as browsers send it, xn--…")
	case strings.ContainsAny(name, "*_"):
		return errors.New("is not one host; write the name under which clients reach this server")
	case notAddress != nil && strings.Trim(name, "0123456789.") == "":
		return errors.New("has a number as its host; write a name, or an address such as 203.0.113.9")
	}
	if n, err := strconv.Atoi(port); port != "" && (err != nil || n < 1 || n > 65535) {
		return fmt.Errorf("has the port %s; write one from 1 to 65535", port)
	}
	return nil
}

// hostOf returns the host of a host with or without a port.
func hostOf(hostPort string) string {
	if host, _, err := net.SplitHostPort(hostPort); err == nil {
		return host
	}
	return strings.Trim(hostPort, "[]")
}

// isLoopback reports whether only this machine reaches the host.
func isLoopback(host string) bool {
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.Unmap().IsLoopback()
}

// isPublicHost reports whether the host may be one of the internet: not an address
// or a name of a private network.
func isPublicHost(host string) bool {
	if isLoopback(host) {
		return false
	}
	if ip, err := netip.ParseAddr(host); err == nil {
		ip = ip.Unmap()
		return !ip.IsPrivate() && !ip.IsLinkLocalUnicast()
	}
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	if !strings.Contains(host, ".") {
		return false
	}
	for _, private := range []string{".local", ".internal", ".test", ".lan", ".home.arpa"} {
		if strings.HasSuffix(host, private) {
			return false
		}
	}
	return true
}
