package gateway_test

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"stoa/internal/run/relay"
	"stoa/internal/trust/signing"
)

// seenRequest is the part of a request that matters to a plugin.
type seenRequest struct {
	Method, Target, Body string
	Length               int64
	Header               http.Header
}

// seenAnswer is the part of an answer that matters to a client.
type seenAnswer struct {
	Status          int
	Length          int64
	Header, Trailer http.Header
	Body            string
}

// draft is a request and the plugin's answer to it.
type draft struct {
	method, target string
	header         http.Header
	body           []byte
	chunked        bool // the request

	status  int
	answer  http.Header
	trailer http.Header
	parts   []string // of the answer's body, each flushed
	length  bool     // the answer states it
}

// headers returns names and values that the gateway passes on.
func headers(prefix string) *rapid.Generator[http.Header] {
	value := rapid.StringMatching(`[!-~]([ -~\t]{0,20}[!-~])?`)
	return rapid.Custom(func(t *rapid.T) http.Header {
		h := http.Header{}
		for range rapid.IntRange(0, 4).Draw(t, "headers") {
			name := http.CanonicalHeaderKey(prefix + rapid.StringMatching(`[A-Za-z0-9!#$%&*+^|~]{1,8}`).Draw(t, "name"))
			h[name] = append(h[name], value.Draw(t, "value"))
		}
		return h
	})
}

func drafts() *rapid.Generator[draft] {
	text := rapid.StringMatching(`[a-z0-9._~!$&'()*+,=:@-]{1,6}|%[2-6]0|%C3%A9`)
	return rapid.Custom(func(t *rapid.T) draft {
		d := draft{
			method: rapid.SampledFrom([]string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "QUERY"}).Draw(t, "method"),
			header: headers("X-Q-").Draw(t, "request"),
			status: rapid.SampledFrom([]int{200, 201, 204, 206, 302, 304, 404, 418, 500, 599}).Draw(t, "status"),
			answer: headers("X-A-").Draw(t, "answer"),
		}
		// X-Q-Ip would say whose address it is, which the gateway is there to remove.
		maps.DeleteFunc(d.header, func(name string, _ []string) bool { return relay.IsClaim(signing.Fold(name)) })
		for range rapid.IntRange(1, 4).Draw(t, "segments") {
			d.target += "/" + strings.Trim(text.Draw(t, "segment"), ".")
		}
		d.target = strings.ReplaceAll(d.target, "//", "/x/")
		if rapid.Bool().Draw(t, "slash") || strings.HasSuffix(d.target, "/") {
			d.target += "x/"
		}
		if rapid.Bool().Draw(t, "query") {
			d.target += "?" + rapid.StringMatching(`[a-z0-9=&%+;/?]{0,12}`).Draw(t, "q")
		}
		if d.method != "HEAD" {
			size := rapid.SampledFrom([]int{0, 0, 1, 1000, 16 << 10, 16<<10 + 1, 200_000, signing.MaxSignedBody + 1}).Draw(t, "body")
			d.body, d.chunked = bytes.Repeat([]byte("b"), size), rapid.Bool().Draw(t, "chunked")
		}
		d.length = rapid.Bool().Draw(t, "length")
		if d.status != 204 && d.status != 304 {
			for range rapid.IntRange(0, 3).Draw(t, "parts") {
				d.parts = append(d.parts, strings.Repeat("p", rapid.SampledFrom([]int{1, 100, 5000, 100_000}).Draw(t, "part")))
			}
			if !d.length && d.method != "HEAD" {
				d.trailer = headers("X-T-").Draw(t, "trailer")
			}
		}
		return d
	})
}

// serve answers as the draft says.
func (d draft) serve(w http.ResponseWriter) {
	maps.Copy(w.Header(), d.answer)
	w.Header().Set("Content-Type", "text/plain")
	w.Header().Set("Date", "Thu, 01 Jan 1970 00:00:00 GMT")
	announced := true
	for _, name := range slices.Sorted(maps.Keys(d.trailer)) {
		if announced {
			w.Header().Add("Trailer", name)
		}
		announced = !announced
	}
	if d.length && d.status != 204 && d.status != 304 {
		w.Header().Set("Content-Length", fmt.Sprint(len(strings.Join(d.parts, ""))))
	}
	w.WriteHeader(d.status)
	for _, part := range d.parts {
		_, _ = io.WriteString(w, part)
		_ = http.NewResponseController(w).Flush()
	}
	if len(d.trailer) > 0 {
		_ = http.NewResponseController(w).Flush() // chunks, even without a body
	}
	for name, values := range d.trailer {
		w.Header()[http.TrailerPrefix+name] = values
	}
}

// send sends the draft to a server and returns what came back.
func (d draft) send(t *rapid.T, client *http.Transport, base string) seenAnswer {
	r, err := http.NewRequest(d.method, base+d.target, bytes.NewReader(d.body))
	if err != nil {
		t.Fatal(err)
	}
	for name, values := range d.header {
		r.Header[name] = slices.Clone(values)
	}
	if d.chunked && len(d.body) > 0 {
		r.ContentLength = -1
	}
	res, err := client.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return seenAnswer{res.StatusCode, res.ContentLength, res.Header, res.Trailer, string(body)}
}

// next returns the request that arrived and was answered with a.
func next(t *rapid.T, arrived <-chan seenRequest, a seenAnswer) seenRequest {
	select {
	case r := <-arrived:
		return r
	default:
		t.Fatalf("the request did not reach the plugin: %d %v", a.Status, a.Header)
		return seenRequest{}
	}
}

// Plugins and clients get the same through the gateway as without it, except for the headers
// that the gateway is there for.
func TestTheGatewayChangesNothingElse(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	base := strings.TrimSuffix(k.finder.list[0].Package.Manifest.ExternalBaseURL, "/")
	rapid.Check(t, func(rt *rapid.T) {
		d := drafts().Draw(rt, "draft")
		arrived := make(chan seenRequest, 1)
		k.mu.Lock()
		k.answer = func(w http.ResponseWriter, r *http.Request) {
			body, err := io.ReadAll(r.Body)
			if err != nil {
				panic(http.ErrAbortHandler)
			}
			r.Header.Del("Content-Length") // Length is it
			arrived <- seenRequest{r.Method, r.RequestURI, string(body), r.ContentLength, r.Header.Clone()}
			d.serve(w)
		}
		k.mu.Unlock()
		direct := d.send(rt, k.client, base)
		want := next(rt, arrived, direct)
		through := d.send(rt, k.client, k.front.URL)
		got := next(rt, arrived, through)
		for name := range got.Header {
			if signing.Reserved(name) || name == "Traceparent" { // there is always a trace
				delete(got.Header, name)
			}
		}
		if want.Length < 0 && len(want.Body) <= signing.MaxSignedBody {
			want.Length = int64(len(want.Body)) // the gateway has read it all
		}
		if diff := cmp.Diff(want, got); diff != "" {
			rt.Errorf("the plugin gets (-direct +through the gateway):\n%s", diff)
		}
		if through.Header.Get("X-Request-Id") == "" {
			rt.Error("the answer did not come through the gateway")
		}
		delete(through.Header, "X-Request-Id")
		if through.Header.Get("Content-Security-Policy") == "" {
			rt.Error("the client gets no sandbox")
		}
		delete(through.Header, "Content-Security-Policy")
		if diff := cmp.Diff(direct, through); diff != "" {
			rt.Errorf("the client gets (-direct +through the gateway):\n%s", diff)
		}
	})
}
