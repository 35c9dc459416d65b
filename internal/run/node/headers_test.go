package node

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"stoa/internal/extension/plugin"
	"stoa/internal/testkit/nodetest"
)

// comparesHeaders answers with what differs between the headers of a request and those
// that Node.js itself makes of its rawHeaders.
const comparesHeaders = `const { IncomingMessage } = require('http')
	const { deepStrictEqual } = require('assert')
	app.get('/api/same', async ({ raw, headers }) => {
		const plain = new IncomingMessage()
		plain._addHeaderLines(raw.rawHeaders, raw.rawHeaders.length)
		try {
			deepStrictEqual(raw.headers, plain.headers)
			deepStrictEqual(Object.entries(raw.headers), Object.entries(plain.headers))
			let distinct
			try { distinct = plain.headersDistinct } catch { /* a header called constructor is too much for it */ }
			if (distinct) deepStrictEqual(raw.headersDistinct, distinct)
			deepStrictEqual(Object.getOwnPropertyDescriptors(headers), Object.getOwnPropertyDescriptors(plain.headers))
			deepStrictEqual(headers, raw.headers)
			raw.headers.added = 'x'
			deepStrictEqual(raw.headers.added, 'x')
		} catch (err) { return err.message }
		return 'same'
	})`

// Requests have other names and other orders of them, more than the host program
// remembers, and what Node.js does more than copy.
func TestHeadersAreWhatNodeMakesOfThem(t *testing.T) {
	t.Parallel()
	names := []string{
		"Accept", "Accept-Language", "Cookie", "Set-Cookie", "X-A", "x-a", "X-B", "__proto__", "constructor",
		"toString", "Content-Type", "User-Agent", "From", "Age", "Etag", "1", "22", "If-Match",
	}
	nodetest.Each(t, func(t *testing.T, path string) {
		t.Helper()
		f := newFixture(t, onNode(path))
		alone := f.install(t, "alone", withRoutes(comparesHeaders))
		rnd := rand.New(rand.NewPCG(1, 2))
		for i := range 400 {
			r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/api/same", http.NoBody)
			for range rnd.IntN(6) {
				name := names[rnd.IntN(len(names))]
				r.Header[name] = append(r.Header[name], fmt.Sprint(i, "\"${}`"))
			}
			if i%50 == 0 {
				for n := range 100 {
					r.Header[fmt.Sprintf("X-Many-%d", n)] = []string{"x"}
				}
			}
			sent := slices.Sorted(maps.Keys(r.Header))
			w := httptest.NewRecorder()
			if err := f.Serve(w, r, &alone); err != nil || w.Body.String() != "same" {
				t.Fatalf("%q: %v %s", sent, err, w.Body)
			}
		}
	})
}

// Clients' headers have shorter names than stoa's and come first.
func TestNoNumberOfHeadersCutsOffStoas(t *testing.T) {
	t.Parallel()
	const many = 4_000 // of the 64 KiB that a head may have
	nodetest.Each(t, func(t *testing.T, path string) {
		t.Helper()
		f := newFixture(t, onNode(path))
		alone := f.install(t, "alone", withRoutes(
			`app.get('/api/who', async ({ headers, raw }) => ({ headers, lines: raw.rawHeaders.length / 2 }))`))
		for name, in := range map[string]plugin.Installed{"alone": alone, "shared": f.sharers(t, "a")[0]} {
			f.get(t, in, "/health")
			r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/api/who", http.NoBody)
			r.Header["A"] = slices.Repeat([]string{"1"}, many)
			r.Header["x-plugin-permissions"] = []string{"orders:read"}
			w := httptest.NewRecorder()
			if err := f.Serve(w, r, &in); err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			var got struct{ Headers map[string]string }
			if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil {
				t.Errorf("%s: %d %.200s: %v", name, w.Code, w.Body, err)
			}
			if n := strings.Count(got.Headers["a"], "1"); n != many || got.Headers["x-plugin-permissions"] != "orders:read" {
				t.Errorf("%s: the plugin got %d of the headers, and the permissions %q", name, n,
					got.Headers["x-plugin-permissions"])
			}
		}
	})
}
