package tests

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"stoa.example/sdk/go/plugin"

	"stoa/internal/trust/signing"
)

// received is the request of a test vector or a fuzzer, as a service gets it.
func received(method, target string, body []byte, headers map[string]string) *http.Request {
	r := httptest.NewRequest(http.MethodGet, "/", bytes.NewReader(body))
	r.Method, r.RequestURI = method, target
	for name, value := range headers {
		r.Header.Set(name, value)
	}
	return r
}

func verifierAt(ms int64, secrets ...string) *plugin.Verifier {
	return &plugin.Verifier{
		Secrets: secrets, UnsignedBodies: true, Now: func() time.Time { return time.UnixMilli(ms) },
	}
}

// stamp sets the headers of a signature.
func stamp(r *http.Request, at int64, signature string) {
	r.Header.Set(signing.TimestampHeader, strconv.FormatInt(at, 10))
	r.Header.Set(signing.SignatureHeader, signature)
}

// The known answers that an implementation independent of both computed.
func TestTheVerifierKnowsTheKnownAnswers(t *testing.T) {
	t.Parallel()

	for _, c := range readSignatureVectors(t).Cases {
		for _, secret := range c.Secrets {
			r := received(c.Method, c.Target, repeated(c.Body, c.BodyTimes), c.Headers)
			stamp(r, c.Timestamp, c.Signature)
			if err := verifierAt(c.Timestamp, secret).Verify(r); err != nil {
				t.Errorf("%s: Verify = %v", c.Name, err)
			}
		}
	}
}

// The service's verifier accepts what the platform signs, and refuses what the platform's own verifier
// refuses.
func FuzzBothVerifiersAgree(f *testing.F) {
	f.Add("GET", "/api/x?a=%20", []byte("body"), "X-User-Id", "ada", "X-Caller", "shop", int64(0), "")
	f.Add("POST", "/", []byte(nil), "X_user_id", "ada", "X-Plugin-Config", "", int64(300_000), "x")
	f.Add("PUT", "*", bytes.Repeat([]byte("x"), signing.MaxSignedBody+1), "x-hook-a", "1", "X-HOOK-A", "2",
		int64(-300_001), "")
	f.Fuzz(func(t *testing.T, method, target string, body []byte, name1, value1, name2, value2 string, skew int64,
		tamper string,
	) {
		const at = 1_900_000_000_000
		if strings.ContainsAny(name1+name2+value1+value2, "\r\n") {
			t.Skip("no server lets that pass")
		}
		hash := signing.BodyHash(body)
		if len(body) > signing.MaxSignedBody {
			hash = signing.UnsignedStream
		}
		r := received(method, target, body, map[string]string{name1: value1, name2: value2})
		m := signing.Message{Timestamp: at, Method: method, Target: target, Body: hash}
		for name, values := range r.Header {
			if signing.Reserved(name) {
				m.Headers = append(m.Headers, signing.Header{Name: name, Value: values[0]})
			}
		}
		stamp(r, at, signing.Sign([]string{"one", "two"}, m))
		r.RequestURI += tamper
		now := at + skew%1_000_000
		ours := signing.VerifyRequest([]string{"two"}, r, hash, time.UnixMilli(now))
		theirs := verifierAt(now, "two").Verify(r)
		if (ours == nil) != (theirs == nil) {
			t.Errorf("internal/trust/signing says %v, the SDK %v", ours, theirs)
		}
		if tamper == "" && skew%1_000_000 <= 300_000 && skew%1_000_000 >= -300_000 && theirs != nil {
			t.Errorf("the SDK refuses what the platform signed: %v", theirs)
		}
	})
}
