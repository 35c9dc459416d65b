package account

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base32"
	"encoding/hex"
	"slices"
	"strings"
	"time"
)

const (
	// FlowLife is how long a sign-in that leaves the page, for a mailbox or another site, may take.
	FlowLife = 10 * time.Minute

	// typedBytes is how many random bytes a code stands for that people type from a mail: 40 bits, which a few
	// tries within FlowLife do not find.
	typedBytes = 5
	// typedTries is how many wrong codes a flow bears.
	typedTries = 5
)

// crockford is base32 without letters that look like digits.
var crockford = base32.NewEncoding("0123456789ABCDEFGHJKMNPQRSTVWXYZ").WithPadding(base32.NoPadding)

// asTyped undoes how people type a code.
var asTyped = strings.NewReplacer("-", "", " ", "", "O", "0", "I", "1", "L", "1")

// plainCode returns a code without what people change when they type it: case, dashes, spaces, and letters in place of
// digits that look like them.
func plainCode(typed string) string { return asTyped.Replace(strings.ToUpper(typed)) }

// newCode returns a code of random bytes, as people see it: in groups of four.
func newCode(bytes int) string {
	b := make([]byte, bytes)
	_, _ = rand.Read(b) // never fails
	groups := slices.Collect(slices.Chunk([]byte(crockford.EncodeToString(b)), 4))
	parts := make([]string, len(groups))
	for i, g := range groups {
		parts[i] = string(g)
	}
	return strings.Join(parts, "-")
}

// newTypedCode returns a code for a mail, to be typed: XXXX-XXXX.
func newTypedCode() string { return newCode(typedBytes) }

// typedHash returns what is stored of the code of a flow. Codes are short, so whoever reads the database could try
// them all on a plain hash; the flow, which has 256 bits and is stored as a hash only, keeps them from it.
func typedHash(flow, typed string) string {
	mac := hmac.New(sha256.New, []byte(flow))
	mac.Write([]byte(plainCode(typed)))
	return hex.EncodeToString(mac.Sum(nil))
}

// isTyped reports whether hash is that of what somebody typed. What has not the form of a code is wrong like any other.
func isTyped(hash, flow, typed string) bool {
	return hash != "" && subtle.ConstantTimeCompare([]byte(hash), []byte(typedHash(flow, typed))) == 1
}
