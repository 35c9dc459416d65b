package handoff

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"strings"

	"stoa/internal/base/errs"
	"stoa/internal/base/text"
	"stoa/internal/market/terms"
	"stoa/internal/shop/order"
)

// Handoff is what another stoa wants to buy.
type Handoff struct {
	order.Handoff

	ProductSlug string
	Instance    string // the host that the license is for
	PlatformID  string // of the other stoa
	ReturnURL   string // where the browser goes after the payment
	SecretHash  string // lower-case hex SHA-256 of the secret with which the key is claimed
}

// maxURL is the longest ReturnURL in bytes.
const maxURL = 2048

// Request asks for a handoff.
type Request struct {
	ProductSlug string `json:"productSlug"`
	TierID      string `json:"tierId"`
	Instance    string `json:"instance"`
	PlatformID  string `json:"platformId"`
	ReturnURL   string `json:"returnUrl"`
	SecretHash  string `json:"secretHash"`
	// LicenseKey is that of a trial of the product, which is to become the license. Empty for a new license.
	LicenseKey string `json:"licenseKey"`
}

// Issues returns what is wrong with the request.
func (r Request) Issues() errs.Issues {
	var is errs.Issues
	requireName(&is, "productSlug", r.ProductSlug)
	requireName(&is, "tierId", r.TierID)
	requireName(&is, "platformId", r.PlatformID)
	requireInstance(&is, r.Instance)
	switch {
	case !is.Require("returnUrl", r.ReturnURL):
	case !text.Printable(r.ReturnURL, maxURL):
		is.Add("returnUrl", errs.CodeOutOfRange, "returnUrl must be at most %d printable characters.", maxURL)
	case !terms.LeadsTo(r.ReturnURL, r.Instance):
		is.Add("returnUrl", errs.CodeInvalid,
			"returnUrl must be an https address on the host instance, or http on a loopback one.")
	}
	if is.Require("secretHash", r.SecretHash) && !isHash(r.SecretHash) {
		is.Add("secretHash", errs.CodeInvalid, "secretHash must be a SHA-256 in lower-case hex.")
	}
	return is
}

// requireName reports a name that is missing or too long.
func requireName(is *errs.Issues, path, value string) {
	if is.Require(path, value) && !text.Printable(value, text.Short) {
		is.Add(path, errs.CodeOutOfRange, "%s must be at most %d printable characters.", path, text.Short)
	}
}

func requireInstance(is *errs.Issues, value string) {
	if is.Require("instance", value) && !terms.IsInstance(value) {
		is.Add("instance", errs.CodeInvalid,
			"instance must be the host of the stoa's public address, in lower case and without a port.")
	}
}

func isHash(s string) bool {
	return len(s) == hex.EncodedLen(sha256.Size) && strings.Trim(s, "0123456789abcdef") == ""
}

// secretSize is how many bytes a secret has.
const secretSize = 32

// opens reports whether a secret is the handoff's. It takes as long for every secret of the right form.
func (h *Handoff) opens(secret string) bool {
	raw, err := base64.RawURLEncoding.DecodeString(secret)
	if err != nil || len(raw) != secretSize {
		return false
	}
	sum := sha256.Sum256(raw)
	return subtle.ConstantTimeCompare([]byte(hex.EncodeToString(sum[:])), []byte(h.SecretHash)) == 1
}
