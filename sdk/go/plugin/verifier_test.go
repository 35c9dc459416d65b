package plugin

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"
)

var now = time.UnixMilli(1_900_000_000_000)

const secret = "current secret"

// request is a signed request with one platform header. The signature is computed here from its parts, in
// the order of docs/plugins/signature.md.
func request(body []byte, at time.Time, secrets ...string) *http.Request {
	r := httptest.NewRequest(http.MethodPost, "/base/api/x?y=%20z", bytes.NewReader(body))
	r.Header.Set("X-User-Id", "ada")
	r.Header.Set("Content-Type", "text/plain")
	stamp := strconv.FormatInt(at.UnixMilli(), 10)
	hash := "UNSIGNED-STREAM"
	if len(body) <= 1<<20 {
		sum := sha256.Sum256(body)
		hash = hex.EncodeToString(sum[:])
	}
	text := "v1\n" + stamp + "\nPOST\n/base/api/x?y=%20z\n" + hash + "\nx-user-id:ada"
	var signatures []string
	for _, s := range secrets {
		mac := hmac.New(sha256.New, []byte(s))
		mac.Write([]byte(text))
		signatures = append(signatures, "v1="+hex.EncodeToString(mac.Sum(nil)))
	}
	r.Header.Set("X-Platform-Timestamp", stamp)
	r.Header.Set("X-Platform-Signature", strings.Join(signatures, ","))
	return r
}

func verifier() *Verifier {
	return &Verifier{Secrets: []string{secret}, Now: func() time.Time { return now }}
}

func TestOnlyWhatThePlatformSignedIsAccepted(t *testing.T) {
	t.Parallel()

	header := func(name, value string) func(*http.Request) {
		return func(r *http.Request) { r.Header.Set(name, value) }
	}
	for _, tt := range []struct {
		name   string
		change func(r *http.Request)
		want   error
	}{
		{"as signed", func(*http.Request) {}, nil},
		{"a header of nobody's", header("X-Other", "1"), nil},
		{"another profile beside it", func(r *http.Request) {
			r.Header.Set("X-Platform-Signature", "v2=00, "+r.Header.Get("X-Platform-Signature"))
		}, nil},
		{"another method", func(r *http.Request) { r.Method = http.MethodPut }, ErrMismatch},
		{"another path", func(r *http.Request) { r.RequestURI = "/base/api/y?y=%20z" }, ErrMismatch},
		{"a decoded query", func(r *http.Request) { r.RequestURI = "/base/api/x?y= z" }, ErrMismatch},
		{"another body", func(r *http.Request) { r.Body = io.NopCloser(strings.NewReader("bodY")) }, ErrMismatch},
		{"another user", header("X-User-Id", "bob"), ErrMismatch},
		{"a header more", header("X-Plugin-Config", "e30"), ErrMismatch},
		{"a header of a later version", header("X-Hook-Event", "x"), ErrMismatch},
		{"a header in another spelling", func(r *http.Request) { r.Header["X_user.id"] = []string{"bob"} }, ErrMismatch},
		{"a header less", func(r *http.Request) { r.Header.Del("X-User-Id") }, ErrMismatch},
		{"a header twice", func(r *http.Request) { r.Header.Add("X-User-Id", "ada") }, ErrMalformed},
		{"no signature", func(r *http.Request) { r.Header.Del("X-Platform-Signature") }, ErrMissing},
		{"no timestamp", func(r *http.Request) { r.Header.Del("X-Platform-Timestamp") }, ErrMissing},
		{"another timestamp", header("X-Platform-Timestamp", "1900000000001"), ErrMismatch},
		{"a timestamp with a sign", header("X-Platform-Timestamp", "+1900000000000"), ErrMalformed},
		{"a short signature", header("X-Platform-Signature", "v1=00"), ErrMalformed},
		{"nonsense", header("X-Platform-Signature", "nonsense"), ErrMalformed},
		{"too many signatures", header("X-Platform-Signature", strings.Repeat("v2=0,", 8)+"v2=0"), ErrMalformed},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()

			r := request([]byte("body"), now, secret)
			tt.change(r)
			if err := verifier().Verify(r); !errors.Is(err, tt.want) {
				t.Errorf("Verify = %v, want %v", err, tt.want)
			}
		})
	}
}

func TestClocksMayBeFiveMinutesApart(t *testing.T) {
	t.Parallel()

	for apart, want := range map[time.Duration]error{
		Tolerance: nil, -Tolerance: nil, Tolerance + time.Millisecond: ErrClock, -Tolerance - time.Millisecond: ErrClock,
	} {
		if err := verifier().Verify(request(nil, now.Add(apart), secret)); !errors.Is(err, want) {
			t.Errorf("%s apart: Verify = %v, want %v", apart, err, want)
		}
	}
}

func TestAnySecretIsEnoughAndAnEmptyOneIsNone(t *testing.T) {
	t.Parallel()

	for _, tt := range []struct {
		name         string
		mine, theirs []string
		want         error
	}{
		{"after the platform's rotation", []string{"old"}, []string{"new", "old"}, nil},
		{"after the plugin's", []string{"new", "old"}, []string{"old"}, nil},
		{"another", []string{"old"}, []string{"new"}, ErrMismatch},
		{"an empty one", []string{""}, []string{""}, ErrMismatch},
		{"none", nil, []string{"new"}, ErrMismatch},
	} {
		v := verifier()
		v.Secrets = tt.mine
		if err := v.Verify(request(nil, now, tt.theirs...)); !errors.Is(err, tt.want) {
			t.Errorf("%s: Verify = %v, want %v", tt.name, err, tt.want)
		}
	}
}

// endless is a body that never ends. It counts what was read.
type endless struct{ read int }

func (e *endless) Read(p []byte) (int, error) { e.read += len(p); return len(p), nil }
func (*endless) Close() error                 { return nil }

func TestBodiesAreBounded(t *testing.T) {
	t.Parallel()

	body := bytes.Repeat([]byte("x"), MaxBody+1)
	for _, tt := range []struct {
		size     int
		unsigned bool
		want     error
		readable bool
	}{
		{0, false, nil, true},
		{MaxSignedBody, false, nil, true},
		{MaxSignedBody + 1, false, ErrUnsignedBody, false},
		{MaxSignedBody + 1, true, nil, true},
		{MaxBody, true, nil, true},
		{MaxBody + 1, true, nil, false}, // accepted by its headers, and cut off
	} {
		v := verifier()
		v.UnsignedBodies = tt.unsigned
		r := request(body[:tt.size], now, secret)
		if err := v.Verify(r); !errors.Is(err, tt.want) {
			t.Errorf("%d bytes: Verify = %v, want %v", tt.size, err, tt.want)
			continue
		}
		if tt.want != nil {
			continue
		}
		if got, err := io.ReadAll(r.Body); (err == nil) != tt.readable || tt.readable && !bytes.Equal(got, body[:tt.size]) {
			t.Errorf("%d bytes: the handler reads %d, %v", tt.size, len(got), err)
		}
	}

	for name, at := range map[string]time.Time{"an old request": now.Add(-time.Hour), "a large body": now} {
		source := new(endless)
		r := request(nil, at, secret)
		r.Body = source
		if err := verifier().Verify(r); err == nil || source.read > 2*MaxSignedBody || at != now && source.read > 0 {
			t.Errorf("%s: Verify = %v after %d bytes", name, err, source.read)
		}
	}
}

// A large body is not what the signature of a small one covers, nor the other way round.
func TestAnUnsignedBodyPassesForNoSignedOne(t *testing.T) {
	t.Parallel()

	v := verifier()
	v.UnsignedBodies = true
	r := request(bytes.Repeat([]byte("x"), MaxSignedBody+1), now, secret)
	r.Body = io.NopCloser(strings.NewReader("small"))
	if err := v.Verify(r); !errors.Is(err, ErrMismatch) {
		t.Errorf("a small body with the signature of a large one: %v", err)
	}
	r = request([]byte("small"), now, secret)
	r.Body = io.NopCloser(bytes.NewReader(bytes.Repeat([]byte("x"), MaxSignedBody+1)))
	if err := v.Verify(r); !errors.Is(err, ErrMismatch) {
		t.Errorf("a large body with the signature of a small one: %v", err)
	}
}

func TestTheHandlerAnswersForStrangers(t *testing.T) {
	t.Parallel()

	var got string
	h := verifier().Handler(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got = string(body)
	}))
	for _, tt := range []struct {
		name   string
		r      *http.Request
		status int
	}{
		{"the platform's", request([]byte("body"), now, secret), http.StatusOK},
		{"a stranger's", request([]byte("body"), now, "guessed"), http.StatusUnauthorized},
		{"a large one", request(make([]byte, MaxSignedBody+1), now, secret), http.StatusRequestEntityTooLarge},
	} {
		rec := httptest.NewRecorder()
		if h.ServeHTTP(rec, tt.r); rec.Code != tt.status {
			t.Errorf("%s: status %d, want %d", tt.name, rec.Code, tt.status)
		}
	}
	if got != "body" {
		t.Errorf("the handler read %q", got)
	}
}

// Whatever a stranger sends, Verify does not panic and accepts nothing.
func FuzzVerify(f *testing.F) {
	good := request([]byte("body"), now, secret)
	f.Add(good.Header.Get("X-Platform-Timestamp"), good.Header.Get("X-Platform-Signature"), "X-User-Id", "ada",
		[]byte("body"))
	f.Add("1900000000000", "v1="+strings.Repeat("00", 32)+",v1=", "x_user_id", "", []byte{})
	f.Fuzz(func(t *testing.T, stamp, signature, name, value string, body []byte) {
		r := httptest.NewRequest(http.MethodPost, "/x", bytes.NewReader(body)) // not what good signs
		r.Header["X-Platform-Timestamp"] = []string{stamp}
		r.Header["X-Platform-Signature"] = []string{signature}
		r.Header[name] = []string{value}
		if err := verifier().Verify(r); err == nil {
			t.Errorf("accepted %q %q", stamp, signature)
		}
	})
}
