package passkeytest

import (
	"crypto/hmac"
	"crypto/sha1"
	"encoding/binary"
	"fmt"
	"time"
)

// AppCode returns the code that an authenticator app with a secret shows at a time (RFC 6238: SHA-1, six digits, 30
// seconds).
func AppCode(secret []byte, at time.Time) string {
	mac := hmac.New(sha1.New, secret)
	var step [8]byte
	binary.BigEndian.PutUint64(step[:], uint64(at.Unix()/30))
	mac.Write(step[:])
	sum := mac.Sum(nil)
	cut := sum[len(sum)-1] & 0xf
	return fmt.Sprintf("%06d", (binary.BigEndian.Uint32(sum[cut:cut+4])&0x7fffffff)%1000000)
}
