package license_test

import (
	"net/http"
	"strings"
	"testing"

	"stoa.example/sdk/go/license"
)

func FuzzParseLease(f *testing.F) {
	v := readVectors(f)
	keys := mustKeys(f, v)
	for _, l := range v.Leases {
		f.Add(l.Lease)
	}
	genuine := make(map[string]bool)
	for _, l := range v.Leases {
		if _, err := keys.ParseLease(l.Lease); err == nil {
			genuine[l.Lease] = true
		}
	}
	f.Fuzz(func(t *testing.T, raw string) {
		if _, err := keys.ParseLease(raw); err == nil && !genuine[raw] {
			t.Errorf("ParseLease accepts %q", raw)
		}
	})
}

func FuzzParseKeys(f *testing.F) {
	v := readVectors(f)
	f.Add([]byte(v.JWKS))
	f.Add([]byte(v.PEM))
	f.Fuzz(func(_ *testing.T, data []byte) {
		_, _ = license.ParseJWKS(data)
		_, _ = license.ParsePEM(data)
	})
}

func FuzzVerifyAnswer(f *testing.F) {
	v := readVectors(f)
	keys := mustKeys(f, v)
	good := v.Answers[0]
	for _, a := range v.Answers {
		f.Add(a.Headers["Signature-Input"], a.Headers["Signature"], a.Headers["Content-Digest"], a.Body)
	}
	f.Fuzz(func(t *testing.T, input, signature, digest, body string) {
		a := answerOf(t, good)
		a.Header = http.Header{"Signature-Input": {input}, "Signature": {signature}, "Content-Digest": {digest}}
		a.Body = []byte(body)
		_, err := license.VerifyAnswer(keys, a, good.Nonce)
		if err == nil && (body != good.Body || !strings.Contains(input, "created=1893499200")) {
			t.Errorf("VerifyAnswer accepts input %q with body %q", input, body)
		}
	})
}
