package plugincall_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strconv"
	"testing"

	"stoa/internal/testkit"
	"stoa/internal/testkit/logtest"
	"stoa/internal/testkit/waittest"
)

// largeBody is of that many bytes, by which it differs.
func largeBody(n int) []byte {
	b := make([]byte, n)
	random := rand.NewChaCha8([32]byte{byte(n), byte(n >> 8), byte(n >> 16)})
	_, _ = random.Read(b)
	return b
}

// innerLarge is an internal plugin that answers with so many zeros.
const innerLarge = `
module.exports = async (app) => {
	app.get('/api/:n', async ({ params }, reply) => reply.type('application/octet-stream').send(Buffer.alloc(+params.n)))
}`

// The bodies of answers arrive byte for byte, whether they are copied or moved by the kernel, and connections are used
// again after them. The access log says how long they were.
func TestLargeAnswersArrive(t *testing.T) {
	t.Parallel()
	var log logtest.Buffer
	app := testkit.New(t, logged(&log, "all"))
	installService(t, app, "large", func(w http.ResponseWriter, r *http.Request) {
		n, _ := strconv.Atoi(r.URL.Query().Get("n"))
		body := largeBody(n)
		w.Header().Set("Content-Type", "application/octet-stream")
		w.Header().Set("Content-Length", strconv.Itoa(n))
		if r.Method == http.MethodHead {
			return
		}
		first := min(n, 70_000) // a pause, after which the kernel may move the rest
		_, _ = w.Write(body[:first])
		_ = http.NewResponseController(w).Flush()
		_, _ = w.Write(body[first:])
	})
	res := app.Install(t, app.Login(t, "root").Access, "plugin",
		testkit.PluginArchive(t, testkit.InternalManifest("inner", "index.js"), map[string]string{"index.js": innerLarge}))
	if res.Status != http.StatusCreated {
		t.Fatalf("install: %d %s", res.Status, res.Body)
	}
	sizes := []int{0, 1, 4 << 10, 128<<10 - 1, 128 << 10, 128<<10 + 70_000, 1<<20 + 1, 5<<20 + 17}
	for _, n := range sizes {
		for _, method := range []string{http.MethodGet, http.MethodHead, http.MethodGet} {
			res := app.Do(t, testkit.Request{Method: method, Path: fmt.Sprintf("/api/v1/shop/plugins/large/api/x?n=%d", n)})
			want := largeBody(n)
			if method == http.MethodHead {
				want = nil
			}
			if res.Status != http.StatusOK || !bytes.Equal(res.Body, want) || res.Header.Get("Content-Length") != strconv.Itoa(n) {
				t.Errorf("%s of %d bytes: %d, %d bytes, Content-Length %s", method, n, res.Status, len(res.Body),
					res.Header.Get("Content-Length"))
			}
		}
		res := app.Do(t, testkit.Get("", fmt.Sprintf("/api/v1/shop/plugins/inner/api/%d", n)))
		if res.Status != http.StatusOK || !bytes.Equal(res.Body, make([]byte, n)) {
			t.Errorf("%d bytes of an internal plugin: %d, %d bytes", n, res.Status, len(res.Body))
		}
	}
	waittest.Until(t, "a record of each call", func() error {
		records := accessRecords(t, log.String())
		if len(records) != 4*len(sizes) {
			return fmt.Errorf("%d records", len(records))
		}
		for i, record := range records {
			want := float64(sizes[i/4])
			if i%4 == 1 {
				want = 0
			}
			if record["bytes"] != want {
				t.Errorf("record %d has %v bytes, want %v", i, record["bytes"], want)
			}
		}
		return nil
	})
}

// A plugin that ends in the middle of what it promised is no whole answer, and one that its client leaves is told.
func TestLargeAnswersThatEndEarly(t *testing.T) {
	t.Parallel()
	app := testkit.New(t)
	const half, whole = 1 << 20, 2 << 20
	left := make(chan struct{}, 1)
	installService(t, app, "half", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", strconv.Itoa(whole))
		_, _ = w.Write(make([]byte, half))
		_ = http.NewResponseController(w).Flush()
		if r.URL.Path == "/api/dies" {
			panic(http.ErrAbortHandler)
		}
		<-r.Context().Done()
		left <- struct{}{}
	})
	get := func(path string) *http.Response {
		t.Helper()
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, app.URL+"/api/v1/shop/plugins/half"+path, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		res, err := new(http.Transport).RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		return res
	}
	res := get("/api/dies")
	if body, err := io.ReadAll(res.Body); !errors.Is(err, io.ErrUnexpectedEOF) || len(body) > half {
		t.Errorf("%d bytes, %v", len(body), err)
	}
	res = get("/api/waits")
	if _, err := io.ReadFull(res.Body, make([]byte, half)); err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close() // and the connection with it
	<-left
}

// A large answer ends when its caller logs out, also while the kernel waits for more of it.
func TestALargeAnswerEndsWithItsCallersAccess(t *testing.T) {
	t.Parallel()
	app := testkit.New(t)
	const half = 1 << 20
	installService(t, app, "half", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", strconv.Itoa(2*half))
		_, _ = w.Write(make([]byte, half))
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	})
	user := app.Register(t, "ada")
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, app.URL+"/api/v1/shop/plugins/half/api/x", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+user.Access)
	res, err := new(http.Transport).RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if _, err := io.ReadFull(res.Body, make([]byte, half)); err != nil {
		t.Fatal(err)
	}
	out := app.Do(t, testkit.Request{
		Method: "POST", Path: "/auth/logout", Token: user.Access, Body: map[string]any{"refresh_token": user.Refresh},
	})
	if out.Status != http.StatusOK {
		t.Fatalf("logout: %d %s", out.Status, out.Body)
	}
	if n, err := io.Copy(io.Discard, res.Body); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("it goes on: %d bytes, %v", n, err)
	}
}
