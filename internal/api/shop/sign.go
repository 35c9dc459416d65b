package shop

import (
	"net/http"
	"net/url"
	"strings"

	"stoa/internal/api/web"
	"stoa/internal/api/wire"
	"stoa/internal/base/errs"
	"stoa/internal/shop/license"
	"stoa/internal/trust/httpsig"
)

// signatureTag states what a signature is for (RFC 9421, 2.3): an answer about a
// license.
const signatureTag = "stoa-license"

// maxNonce is the length of the longest nonce.
const maxNonce = 128

// maxPlainQuery is the length of the longest query that readUse reads by itself.
const maxPlainQuery = 1 << 10

// readUse returns the parameters of a query that package url would: the first of each name, but all
// nonces. Without the map and the lists of url.Values, a verification takes 1 µs less.
func readUse(query string) (use license.UseRequest, nonces []string) {
	if len(query) > maxPlainQuery || strings.ContainsAny(query, "%+;") {
		v, _ := url.ParseQuery(query) // like URL.Query, without what is malformed
		return license.UseRequest{LicenseKey: v.Get("licenseKey"), InstanceID: v.Get("instanceId")}, v["nonce"]
	}
	var key, instance bool // found
	for pair := range strings.SplitSeq(query, "&") {
		switch name, value, _ := strings.Cut(pair, "="); {
		case name == "licenseKey" && !key:
			use.LicenseKey, key = value, true
		case name == "instanceId" && !instance:
			use.InstanceID, instance = value, true
		case name == "nonce":
			nonces = append(nonces, value)
		}
	}
	return use, nonces
}

// readNonce reads the query parameter nonce, which may be absent, and reports
// what is wrong with it. Its characters are those that need no quoting anywhere
// (RFC 3986, unreserved), because a header repeats it unchanged.
func readNonce(all []string, faults *errs.Issues) string {
	switch {
	case len(all) == 0:
		return ""
	case len(all) > 1:
		faults.Add("nonce", errs.CodeDuplicate, "nonce may be given once.")
	case len(all[0]) < 1 || len(all[0]) > maxNonce:
		faults.Add("nonce", errs.CodeOutOfRange, "nonce must be 1 to %d characters.", maxNonce)
	case !validNonce(all[0]):
		faults.Add("nonce", errs.CodeInvalid, "nonce must be 1 to %d of the characters A-Z a-z 0-9 - . _ ~.", maxNonce)
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

// useFunc handles a request about the use of a license. The query names the license and the instance.
type useFunc func(w http.ResponseWriter, r *http.Request, use license.UseRequest, nonce string) error

// signed reads the query and signs every answer of ask, refusals and errors included (RFC 9421,
// contract 3.12): a forged refusal would disable a license, and a forged error would hide a refusal. It
// buffers the answer until it is complete.
func (h *Handlers) signed(w http.ResponseWriter, r *http.Request, ask useFunc) error {
	// Errors are as short-lived as answers: a missing product may exist next time.
	web.NoStore(w)
	key, err := h.Keys.Signer(r.Context())
	if err != nil {
		return err
	}
	held := web.NewRecorder(w.Header())
	defer held.Release()
	var faults errs.Issues
	use, nonces := readUse(r.URL.RawQuery)
	nonce := readNonce(nonces, &faults)
	if faults.Len() > 0 {
		faults.Merge(use.Issues())
		err = faults.Err()
	} else {
		err = ask(held, r, use, nonce)
	}
	if err != nil {
		web.Responder{Log: h.Log}.Fail(held, r, web.Flat, err)
	}
	httpsig.Sign(w.Header(), held.Status, held.Body.Bytes(),
		httpsig.Request{Method: r.Method, Path: r.URL.EscapedPath(), Query: r.URL.RawQuery},
		httpsig.Params{Created: h.Now().Unix(), KeyID: key.ID, Nonce: nonce, Tag: signatureTag},
		key.Private)
	w.WriteHeader(held.Status)
	_, _ = w.Write(held.Body.Bytes()) // as in web.WriteJSON
	return nil
}

// LicenseKeys serves GET /api/marketplace/license-keys: the public keys that
// verify license answers and leases.
func (h *Handlers) LicenseKeys(w http.ResponseWriter, r *http.Request) error {
	return wire.WriteKeys(w, r, h.Keys)
}
