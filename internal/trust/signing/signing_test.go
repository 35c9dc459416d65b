package signing_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"stoa/internal/trust/signing"
)

// vector is one case of docs/signature-vectors.json. An independent implementation
// computed the signatures.
type vector struct {
	Name       string            `json:"name"`
	Secrets    []string          `json:"secrets"`
	Timestamp  int64             `json:"timestamp"`
	Method     string            `json:"method"`
	Target     string            `json:"target"`
	Body       string            `json:"body"`
	BodyTimes  int               `json:"bodyTimes"`
	BodyHash   string            `json:"bodyHash"`
	Headers    map[string]string `json:"headers"`
	SignedText string            `json:"signedText"`
	Signature  string            `json:"signature"`
}

func (v vector) message() signing.Message {
	m := signing.Message{Timestamp: v.Timestamp, Method: v.Method, Target: v.Target, Body: v.BodyHash}
	for name, value := range v.Headers {
		m.Headers = append(m.Headers, signing.Header{Name: name, Value: value})
	}
	return m
}

func vectors(tb testing.TB) []vector {
	tb.Helper()
	data, err := os.ReadFile("../../../docs/signature-vectors.json")
	if err != nil {
		tb.Fatal(err)
	}
	var file struct {
		Cases []vector `json:"cases"`
	}
	if err := json.Unmarshal(data, &file); err != nil {
		tb.Fatal(err)
	}
	return file.Cases
}

func TestSignGivesTheKnownAnswers(t *testing.T) {
	t.Parallel()

	for _, v := range vectors(t) {
		t.Run(v.Name, func(t *testing.T) {
			t.Parallel()

			if v.BodyTimes == 0 {
				if got := signing.BodyHash([]byte(v.Body)); got != v.BodyHash {
					t.Errorf("BodyHash = %s, want %s", got, v.BodyHash)
				}
			}
			if got := v.message().Text(); got != v.SignedText {
				t.Errorf("Text = %q, want %q", got, v.SignedText)
			}
			if got := signing.Sign(v.Secrets, v.message()); got != v.Signature {
				t.Errorf("Sign = %s, want %s", got, v.Signature)
			}
			for _, secret := range v.Secrets {
				if err := signing.Verify([]string{secret}, v.message(), v.Signature, time.UnixMilli(v.Timestamp)); err != nil {
					t.Errorf("Verify with one of the secrets = %v", err)
				}
			}
		})
	}
}

// The example in the documentation is one of the test vectors.
func TestDocumentedExampleIsTrue(t *testing.T) {
	t.Parallel()

	doc, err := os.ReadFile("../../../docs/plugins/signature.md")
	if err != nil {
		t.Fatal(err)
	}
	v := vectors(t)[0]
	for _, part := range []string{v.Secrets[0], "```\n" + v.SignedText + "\n```", "x-platform-signature: " + v.Signature} {
		if !strings.Contains(string(doc), part) {
			t.Errorf("docs/plugins/signature.md does not hold %q", part)
		}
	}
}

func TestSignatureCoversEverything(t *testing.T) {
	t.Parallel()

	v := vectors(t)[1]
	at := time.UnixMilli(v.Timestamp)
	tests := []struct {
		name   string
		change func(m *signing.Message)
	}{
		{"the timestamp", func(m *signing.Message) { m.Timestamp++ }},
		{"the method", func(m *signing.Message) { m.Method = "PUT" }},
		{"the path", func(m *signing.Message) { m.Target += "x" }},
		{"the query", func(m *signing.Message) { m.Target += "?a=1" }},
		{"the body", func(m *signing.Message) { m.Body = signing.BodyHash([]byte("other")) }},
		{"that the body was hashed", func(m *signing.Message) { m.Body = signing.UnsignedStream }},
		{"a header's value", func(m *signing.Message) { m.Headers[0].Value += "x" }},
		{"a header's absence", func(m *signing.Message) { m.Headers = m.Headers[1:] }},
		{"a header's presence", func(m *signing.Message) {
			m.Headers = append(m.Headers, signing.Header{Name: "x-user-email", Value: "a@b"})
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()

			m := v.message()
			tt.change(&m)
			if err := signing.Verify(v.Secrets, m, v.Signature, at); !errors.Is(err, signing.ErrMismatch) {
				t.Errorf("Verify = %v, want ErrMismatch", err)
			}
		})
	}
}

func TestVerifyRefuses(t *testing.T) {
	t.Parallel()

	v := vectors(t)[0]
	at := time.UnixMilli(v.Timestamp)
	tolerance := 300_000 * time.Millisecond
	tests := []struct {
		name      string
		secrets   []string
		signature string
		now       time.Time
		want      error
	}{
		{"nothing to object to", v.Secrets, v.Signature, at, nil},
		{"a clock five minutes ahead is within the tolerance", v.Secrets, v.Signature, at.Add(tolerance), nil},
		{"a clock five minutes behind is within the tolerance", v.Secrets, v.Signature, at.Add(-tolerance), nil},
		{"a clock further ahead", v.Secrets, v.Signature, at.Add(tolerance + time.Millisecond), signing.ErrClock},
		{"a clock further behind", v.Secrets, v.Signature, at.Add(-tolerance - time.Millisecond), signing.ErrClock},
		{"another secret", []string{"other"}, v.Signature, at, signing.ErrMismatch},
		{"an empty secret", []string{""}, signing.Sign([]string{""}, v.message()), at, signing.ErrMismatch},
		{"no secret", nil, v.Signature, at, signing.ErrMismatch},
		{"one of two secrets matches", []string{"other", v.Secrets[0]}, v.Signature, at, nil},
		{"a later profile alongside", v.Secrets, "v2=abc," + v.Signature, at, nil},
		{"a later profile alone", v.Secrets, "v2=abc", at, signing.ErrMalformed},
		{"a signature cut short", v.Secrets, v.Signature[:40], at, signing.ErrMalformed},
		{"no name", v.Secrets, strings.TrimPrefix(v.Signature, "v1="), at, signing.ErrMalformed},
		{"no hex", v.Secrets, "v1=" + strings.Repeat("z", 64), at, signing.ErrMalformed},
		{"nine signatures", v.Secrets, strings.Repeat(v.Signature+",", 8) + v.Signature, at, signing.ErrMalformed},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()

			if err := signing.Verify(tt.secrets, v.message(), tt.signature, tt.now); !errors.Is(err, tt.want) {
				t.Errorf("Verify = %v, want %v", err, tt.want)
			}
		})
	}
}

func TestVerifyRequestReadsWhatArrived(t *testing.T) {
	t.Parallel()

	v := vectors(t)[1]
	newRequest := func() *http.Request {
		r := httptest.NewRequest(v.Method, v.Target, strings.NewReader(v.Body))
		for name, value := range v.Headers {
			r.Header.Set(name, value)
		}
		r.Header.Set("X-Custom", "the client's own, not signed")
		r.Header.Set(signing.TimestampHeader, strconv.FormatInt(v.Timestamp, 10))
		r.Header.Set(signing.SignatureHeader, v.Signature)
		return r
	}
	tests := []struct {
		name   string
		change func(h http.Header)
		want   error
	}{
		{"as it was sent", func(http.Header) {}, nil},
		{"no signature", func(h http.Header) { h.Del(signing.SignatureHeader) }, signing.ErrMissing},
		{"no timestamp", func(h http.Header) { h.Del(signing.TimestampHeader) }, signing.ErrMissing},
		{"a timestamp with a sign", func(h http.Header) { h.Set(signing.TimestampHeader, "+1") }, signing.ErrMalformed},
		{"a negative timestamp", func(h http.Header) { h.Set(signing.TimestampHeader, "-1") }, signing.ErrMalformed},
		{
			"a timestamp with zeros in front", func(h http.Header) { h.Set(signing.TimestampHeader, "01") },
			signing.ErrMalformed,
		},
		{"a header that is there twice", func(h http.Header) { h.Add("X-User-Id", "admin") }, signing.ErrMalformed},
		{"an unsigned header", func(h http.Header) { h.Set("X-User-Email", "a@b") }, signing.ErrMismatch},
		{"another spelling of a header", func(h http.Header) { h["x_user_id"] = []string{"admin"} }, signing.ErrMismatch},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()

			r := newRequest()
			tt.change(r.Header)
			err := signing.VerifyRequest(v.Secrets, r, signing.BodyHash([]byte(v.Body)), time.UnixMilli(v.Timestamp))
			if !errors.Is(err, tt.want) {
				t.Errorf("VerifyRequest = %v, want %v", err, tt.want)
			}
		})
	}
}

func TestReservedNamesInAnySpelling(t *testing.T) {
	t.Parallel()

	for name, want := range map[string]bool{
		"X-User-Id": true, "x-user-id": true, "x_user_id": true, "X.User.Id": true, "X_USER-ID": true, "x~user~id": true,
		"X-User-Anything": true, "X-Plugin-Config": true, "X-Plugin-Config-Digest": true, "X-Platform-Token": true,
		"X-Installation-Id": true, "X-Hook-Attempt": true, "x_tenant_id": true, "X.Caller": true, "X-Locale": true,
		"x-request_id":    true,
		"X-Forwarded-For": true, "x_forwarded_proto": true, "X-Forwarded-Host": true, "X-Forwarded-Port": false,
		"X-Tenant-Id-Other": false, "X-Requested-With": false, "X-Users": false, "User-Id": false, "Accept": false, "": false,
	} {
		if got := signing.Reserved(name); got != want {
			t.Errorf("Reserved(%q) = %t, want %t", name, got, want)
		}
	}
}

// FuzzVerify checks that the parser does not panic, and that every header that Verify
// accepts contains a signature made by Sign.
func FuzzVerify(f *testing.F) {
	m := signing.Message{Timestamp: 1, Method: "GET", Target: "/"}
	good := signing.Sign([]string{"secret"}, m)
	f.Add(good)
	f.Add("v1=" + strings.Repeat("0", 64))
	f.Add("v2=x, " + good + "\t,v1")
	f.Add("=,=")
	f.Fuzz(func(t *testing.T, signature string) {
		if signing.Verify([]string{"secret"}, m, signature, time.UnixMilli(1)) == nil &&
			!strings.Contains(strings.ToLower(signature), good) {
			t.Errorf("accepted %q", signature)
		}
	})
}

func BenchmarkSign(b *testing.B) {
	v := vectors(b)[1]
	m := v.message()
	b.ReportAllocs()
	for b.Loop() {
		signing.Sign(v.Secrets, m)
	}
}

func TestASignerSignsLikeSign(t *testing.T) {
	t.Parallel()

	for _, v := range vectors(t) {
		s := signing.NewSigner(v.Secrets)
		for range 3 { // with the same keys
			if got := s.Sign(v.message()); got != v.Signature {
				t.Errorf("%s: Sign = %s, want %s", v.Name, got, v.Signature)
			}
		}
	}
}
