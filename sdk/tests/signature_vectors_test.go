package tests

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"os"
	"slices"
	"testing"
	"time"

	"stoa.example/sdk/go/plugin"

	"stoa/internal/trust/signing"
)

func sortedKeys(m map[string]string) []string { return slices.Sorted(maps.Keys(m)) }

func readSignatureVectors(t *testing.T) (v signatureVectors) {
	t.Helper()
	data, err := os.ReadFile(signatureVectorsFile)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// The requests are made from code. The cases are not, not even with -update: another
// implementation computed their signatures, which the code that signs must reproduce.
func TestTheSignatureVectorsAreWhatStoaSigns(t *testing.T) {
	t.Parallel()

	got, err := os.ReadFile(signatureVectorsFile)
	if err != nil {
		t.Fatal(err)
	}
	v := readSignatureVectors(t)
	v.Profile, v.ToleranceMS, v.MaxSignedBody = "v1", signing.Tolerance.Milliseconds(), signing.MaxSignedBody
	v.Requests = signatureRequests()
	for _, c := range v.Cases {
		again := c
		again.BodyHash = ""
		if again = again.signed(); again.BodyHash != c.BodyHash || again.SignedText != c.SignedText ||
			again.Signature != c.Signature {
			t.Errorf("%s: stoa signs\n%s\nas %s, want\n%s\nas %s", c.Name, again.SignedText, again.Signature,
				c.SignedText, c.Signature)
		}
	}
	var want bytes.Buffer
	enc := json.NewEncoder(&want)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(signatureVectorsFile, want.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if !bytes.Equal(got, want.Bytes()) {
		t.Fatalf("%s is not what stoa signs; rewrite it with -update, and read the diff", signatureVectorsFile)
	}
}

// request is the request as net/http gives it to a handler.
func (r signatureRequest) request() *http.Request {
	req := received(r.Method, r.Target, repeated(r.Body, r.BodyTimes), nil)
	for _, h := range r.Headers {
		req.Header.Add(h[0], h[1])
	}
	return req
}

// Both verifiers judge every request as the file says, for the reason that it gives.
func TestBothVerifiersPassTheSignatureVectors(t *testing.T) {
	t.Parallel()

	platform := map[string]error{
		"missing": signing.ErrMissing, "malformed": signing.ErrMalformed, "clock": signing.ErrClock,
		"mismatch": signing.ErrMismatch, "unsigned-body": nil, // whether to accept these is for the receiver
	}
	receiver := map[string]error{
		"missing": plugin.ErrMissing, "malformed": plugin.ErrMalformed, "clock": plugin.ErrClock,
		"mismatch": plugin.ErrMismatch, "unsigned-body": plugin.ErrUnsignedBody,
	}
	for _, r := range readSignatureVectors(t).Requests {
		now := time.UnixMilli(r.Now)
		err := signing.VerifyRequest(r.Secrets, r.request(), hash(repeated(r.Body, r.BodyTimes)), now)
		if !errors.Is(err, platform[r.Error]) {
			t.Errorf("%s: internal/trust/signing says %v, want %q", r.Name, err, r.Error)
		}
		v := plugin.Verifier{
			Secrets: r.Secrets, UnsignedBodies: r.UnsignedBodies, Now: func() time.Time { return now },
		}
		if err := v.Verify(r.request()); !errors.Is(err, receiver[r.Error]) {
			t.Errorf("%s: the SDK says %v, want %q", r.Name, err, r.Error)
		}
	}
}
