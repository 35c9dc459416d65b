package gateway

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"net/textproto"
	"net/url"
	"slices"
	"strings"

	"stoa/internal/base/errs"
	"stoa/internal/base/reqctx"
	"stoa/internal/extension/plugin"
)

// All plugins answer on one origin, so they would share their cookies with each other and with
// stoa. With the setting allowCookies, an installation has cookies of its own: a name that only
// it has on the way out, the plugin's own name on the way back, and no others (contract 5.14).

const (
	// maxCookies is how many cookies a request brings, and how many an answer sets.
	maxCookies = 50
	// maxCookie is the longest name and value of a cookie together, in bytes: browsers keep no
	// longer ones.
	maxCookie = 4096
	// maxCookieLine bounds the cookies of a request in bytes: Node.js refuses headers of more
	// than 16 KiB together, and half of that may be the plugin's config.
	maxCookieLine = 6 << 10
	// maxAttribute is the longest value of an attribute that browsers look at, in bytes.
	maxAttribute = 1024
)

// Prefixes with which a browser takes a cookie only over TLS. It takes __Host- only for the whole
// origin, so the plugin's own prefix becomes a part of the name behind __Secure-.
const (
	hostPrefix   = "__Host-"
	securePrefix = "__Secure-"
)

// cookieTag returns how the names of an installation's cookies begin on the way out.
func cookieTag(installationID string) string {
	sum := sha256.Sum256([]byte(installationID))
	return "p-" + hex.EncodeToString(sum[:6]) + "-"
}

// isPrefixed reports whether browsers hold a cookie of that name to a prefix. They ignore case.
func isPrefixed(name string) bool {
	return hasPrefixFold(name, hostPrefix) || hasPrefixFold(name, securePrefix)
}

func hasPrefixFold(s, prefix string) bool {
	return len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix)
}

// outerName returns the name under which a plugin's cookie leaves.
func outerName(tag, own string) string {
	if isPrefixed(own) {
		return securePrefix + tag + own
	}
	return tag + own
}

// ownName returns the plugin's own name of a cookie that a client sends. ok is false for the cookies
// of others, and for names that outerName never returns: browsers check a prefix only at the start of
// a name, so one behind the bare tag would promise the plugin what no browser has checked.
func ownName(tag, outer string) (own string, ok bool) {
	rest, secure := strings.CutPrefix(outer, securePrefix)
	own, ok = strings.CutPrefix(rest, tag)
	return own, ok && isPrefixed(own) == secure && isCookieName(own)
}

// isCookieName reports whether all parsers of cookies read a name alike.
func isCookieName(name string) bool {
	return name != "" && !strings.ContainsFunc(name, func(c rune) bool {
		return c <= ' ' || c > '~' || c == '=' || c == ';' || c == ',' || c == '"'
	})
}

func hasControl(s string) bool {
	return strings.ContainsFunc(s, func(c rune) bool { return c < ' ' || c == 0x7f })
}

// ownCookies returns those of a client's cookies that belong to the installation with that tag, as a
// Cookie header under their own names. Cookies beyond the bounds are left out.
func ownCookies(tag string, lines []string) string {
	var own strings.Builder
	kept := 0
	for _, line := range lines {
		for pair := range strings.SplitSeq(line, ";") {
			outer, value, named := strings.Cut(textproto.TrimString(pair), "=")
			name, mine := ownName(tag, outer)
			switch {
			case !named, !mine, kept == maxCookies, hasControl(value):
				continue
			case own.Len()+len(name)+len("=")+len(value)+min(2*kept, 2) > maxCookieLine:
				continue
			}
			if kept++; kept > 1 {
				own.WriteString("; ")
			}
			own.WriteString(name + "=" + value)
		}
	}
	return own.String()
}

// cookieScope is where the cookies of one call belong. The zero value keeps them all back.
type cookieScope struct {
	tag  string // of the installation
	base string // the client's path before the plugin's own path
	path string // the plugin's own path, as sent
}

// leave returns the Set-Cookie lines of an answer as the client gets them. Lines that browsers do not
// all read alike are left out.
func (s cookieScope) leave(lines []string) []string {
	if s.tag == "" || s.base == "" {
		return nil
	}
	var out []string
	for _, line := range lines {
		if left := s.rewrite(line); left != "" && len(out) < maxCookies {
			out = append(out, left)
		}
	}
	return out
}

// rewrite returns a Set-Cookie line with the name and the path of the installation, or "" if the line
// is not well-formed. Of the attributes it keeps only those it knows: Domain, and what a browser may
// come to understand, could carry the cookie beyond the plugin.
func (s cookieScope) rewrite(line string) string {
	pair, attributes, _ := strings.Cut(line, ";")
	own, value, named := strings.Cut(pair, "=")
	own, value = strings.Trim(own, " "), strings.Trim(value, " ")
	name := outerName(s.tag, own)
	if !named || !isCookieName(own) || hasControl(line) || len(name)+len(value) > maxCookie {
		return ""
	}
	path, sameSite, kept := s.defaultPath(), "Lax", ""
	for attribute := range strings.SplitSeq(attributes, ";") {
		key, val, _ := strings.Cut(attribute, "=")
		key, val = strings.Trim(key, " "), strings.Trim(val, " ")
		if len(val) > maxAttribute {
			continue // as browsers do
		}
		switch strings.ToLower(key) { // of an attribute that is given twice, the last counts
		case "path":
			if path = s.defaultPath(); strings.HasPrefix(val, "/") {
				path = val
			}
		case "samesite":
			if sameSite = "Lax"; strings.EqualFold(val, "Strict") {
				sameSite = "Strict"
			}
		case "expires", "max-age", "priority":
			kept += "; " + key + "=" + val
		case "secure", "httponly", "partitioned":
			kept += "; " + key
		}
	}
	if path = s.below(path); path == "" {
		return ""
	}
	return name + "=" + value + "; Path=" + path + kept + "; SameSite=" + sameSite
}

// defaultPath is the Path of a cookie that has none: the folder of the plugin's path (RFC 6265, 5.1.4).
func (s cookieScope) defaultPath() string {
	folder := s.path[:max(strings.LastIndexByte(s.path, '/'), 0)]
	if folder == "" || strings.Contains(folder, ";") { // it would begin another attribute
		return "/"
	}
	return folder
}

// below returns the client's path for a Path of the plugin's own, or "" if there is none. A plugin that
// knows the addresses of its clients may name one.
func (s cookieScope) below(path string) string {
	plain, err := url.PathUnescape(path)
	if err != nil || strings.ContainsFunc(path, func(c rune) bool { return c <= ' ' || c > '~' || c == '\\' }) ||
		slices.ContainsFunc(strings.Split(plain, "/"), func(part string) bool { return part == "." || part == ".." }) {
		return ""
	}
	if path != s.base && !strings.HasPrefix(path, s.base+"/") {
		path = s.base + path
	}
	if len(path) > maxAttribute {
		return ""
	}
	return path
}

// keepsCookies reports whether cookies pass. While staff act as a user, they do not: the cookies in that browser are
// not the user's, and cookies that a plugin set there would outlive the impersonation.
func keepsCookies(allowed *plugin.Settings, who reqctx.Caller) bool {
	return allowed.AllowCookies && who.Impersonator == ""
}

// passCredentials passes on what is the plugin's own of a client's credentials: the cookies of the
// installation, and Authorization if stoa has not read it (contract 5.14).
func (p *passage) passCredentials(h http.Header, in *plugin.Installed, d *derived, who reqctx.Caller, c Call) {
	allowed := &in.Package.Settings
	if !allowed.AllowCookies && !allowed.AllowAuthorization {
		return
	}
	named := connectionNames(h)
	if keepsCookies(allowed, who) && !slices.Contains(named, "cookie") {
		if own := ownCookies(d.cookieTag, h["Cookie"]); own != "" {
			p.header["Cookie"] = []string{own}
		}
	}
	// If stoa knows the caller, it has read this header itself, before an administrator turned the
	// setting on. Then the token is stoa's, and the plugin must not get it.
	if allowed.AllowAuthorization && !c.Admin && who.IsGuest() && !slices.Contains(named, "authorization") {
		if values, sent := h["Authorization"]; sent {
			p.header["Authorization"] = values
		}
	}
}

// OwnAuthorization reports whether Authorization belongs to the plugin on the calls of clients to slug:
// stoa does not read it then.
func (g *Gateway) OwnAuthorization(r *http.Request, slug string) (bool, error) {
	by, _ := choose(r)
	in, err := g.find(r.Context(), slug, by)
	switch {
	case errs.KindOf(err) == errs.NotFound:
		return false, nil // which the call will find out
	case err != nil:
		return false, err
	}
	return in.Package.Settings.AllowAuthorization, nil
}
