package shop

import (
	"net/http"
	"net/url"

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

// readNonce reads the query parameter nonce, which may be absent, and reports
// what is wrong with it. Its characters are those that need no quoting anywhere
// (RFC 3986, unreserved), because a header repeats it unchanged.
func readNonce(v url.Values, faults *errs.Issues) string {
	all := v["nonce"]
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
	v := r.URL.Query()
	nonce := readNonce(v, &faults)
	use := license.UseRequest{LicenseKey: v.Get("licenseKey"), InstanceID: v.Get("instanceId")}
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
