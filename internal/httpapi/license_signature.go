package httpapi

import (
	"bytes"
	"net/http"
	"net/url"
	"sync"

	"stoa/internal/httpsig"
	"stoa/internal/market"
)

// signatureTag says what a signature is for (RFC 9421, 2.3): an answer about a
// licence.
const signatureTag = "stoa-license"

// maxNonce is the length of the longest nonce.
const maxNonce = 128

// readNonce returns the parameter nonce of a query, which may be absent, and
// notes what is wrong with it. It is written into a header as it is, so that its
// characters are those that need no quoting anywhere (RFC 3986, unreserved).
func readNonce(v url.Values, is *issues) string {
	all := v["nonce"]
	switch {
	case len(all) == 0:
		return ""
	case len(all) > 1:
		is.add("nonce", "ambiguous", "nonce may be given once.")
	case !validNonce(all[0]):
		is.add("nonce", "invalid", "nonce must be 1 to %d of the characters A-Z a-z 0-9 - . _ ~.", maxNonce)
	default:
		return all[0]
	}
	return ""
}

func validNonce(s string) bool {
	if s == "" || len(s) > maxNonce {
		return false
	}
	for i := range len(s) {
		switch c := s[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '-', c == '.', c == '_', c == '~':
		default:
			return false
		}
	}
	return true
}

// useFunc is a handler of a question about a licence, which the query holds.
type useFunc func(w http.ResponseWriter, r *http.Request, use market.UseRequest, nonce string) error

// signed reads the question and signs every answer of h, refusals and errors
// included (RFC 9421, CONTRACT 3): who can forge a refusal can take a licence
// away, who can forge an error can hide a refusal. The answer is held back until
// it is complete.
func (s *Server) signed(h useFunc) handlerFunc {
	return func(w http.ResponseWriter, r *http.Request) error {
		// Errors are as perishable as answers: what is missing may be there next time.
		noStore(w)
		key, err := s.LicenseKeys.Signer(r.Context())
		if err != nil {
			return err
		}
		held := heldAnswers.Get().(*heldAnswer) //nolint:forcetypeassert // nothing else is put there
		defer held.release()
		held.to = w
		var is issues
		v := r.URL.Query()
		use, nonce := market.UseRequest{LicenseKey: v.Get("licenseKey"), InstanceID: v.Get("instanceId")}, readNonce(v, &is)
		if len(is) > 0 {
			is.merge(use.Issues())
			err = is.err()
		} else {
			err = h(held, r, use, nonce)
		}
		if err != nil {
			s.fail(held, r, flat, err)
		}
		httpsig.Sign(w.Header(), held.status, held.body.Bytes(),
			httpsig.Request{Method: r.Method, Path: r.URL.EscapedPath(), Query: r.URL.RawQuery},
			httpsig.Params{Created: s.Now().Unix(), KeyID: key.ID, Nonce: nonce, Tag: signatureTag},
			key.Private)
		w.WriteHeader(held.status)
		_, _ = w.Write(held.body.Bytes())
		return nil
	}
}

// heldAnswer keeps status and body of an answer.
type heldAnswer struct {
	to     http.ResponseWriter
	status int
	body   bytes.Buffer
}

var heldAnswers = sync.Pool{New: func() any { return new(heldAnswer) }}

func (a *heldAnswer) release() {
	a.to, a.status = nil, 0
	a.body.Reset()
	heldAnswers.Put(a)
}

func (a *heldAnswer) Header() http.Header { return a.to.Header() }

func (a *heldAnswer) WriteHeader(status int) {
	if a.status == 0 {
		a.status = status
	}
}

func (a *heldAnswer) Write(b []byte) (int, error) {
	a.WriteHeader(http.StatusOK)
	return a.body.Write(b)
}
