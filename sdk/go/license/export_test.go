package license

import (
	"crypto/ed25519"
	"errors"
	"net/http"
	"net/url"
)

// CheckRFCVector verifies the example request of RFC 9421, B.2.6, with the parsers
// of this package. want is the signature base as the RFC prints it.
func CheckRFCVector(key []byte, want string, h http.Header, u *url.URL) error {
	input, ok := member(h.Values("Signature-Input"), "sig-b26")
	components, _, parsed := parseInput(input)
	if !ok || !parsed {
		return errors.New("Signature-Input cannot be parsed")
	}
	// The example signs a request. This package knows signed answers, which refer to
	// components of their request with ;req.
	base := ""
	for _, c := range components {
		value := u.Host // @authority, which signed answers do not use
		switch c {
		case `"@method"`:
			value = http.MethodPost
		case `"@path"`:
			value, _ = component(c+";req", Answer{URL: u})
		case `"@authority"`:
		default:
			value, ok = component(c, Answer{Header: h})
		}
		base += c + ": " + value + "\n"
	}
	base += `"@signature-params": ` + input
	sig, isBytes := byteSequence(h.Values("Signature"), "sig-b26")
	switch {
	case !ok || base != want:
		return errors.New("the signature base differs:\n" + base)
	case !isBytes || !ed25519.Verify(key, []byte(base), sig):
		return errors.New("the signature does not verify")
	}
	return nil
}
