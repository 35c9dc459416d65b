package gateway_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"stoa/internal/extension/plugin"
	"stoa/internal/run"
	"stoa/internal/trust/signing"
)

// The memory of a call is reused for others. Nothing of one call may show up in another, however
// it ends: small and large bodies, streams, upgrades, failures, clients that leave. The race
// detector also catches a goroutine that reads memory after its release.
func TestCallsDoNotMix(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	bad := k.finder.list[1]
	bad.Instance.ID, bad.Instance.Key = "id-bad", "bad"
	bad.Package.Settings.TimeoutMs = 20
	k.finder.list = append(k.finder.list, bad)
	for i := range 2 {
		k.finder.list[i].Package.Settings.TimeoutMs = 120_000
	}
	k.answer = func(w http.ResponseWriter, r *http.Request) { markedAnswer(t, w, r) }
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			for i := range 150 {
				if mark := fmt.Sprintf("%c%d", 'a'+g, i); i%3 == 0 {
					mixedUpgrade(t, k, mark)
				} else {
					mixedCall(t, k, mark)
				}
			}
		})
	}
	wg.Wait()
}

// markedAnswer is the plugin. Everything in the request and in its answer carries the call's mark.
func markedAnswer(t *testing.T, w http.ResponseWriter, r *http.Request) {
	t.Helper()
	mark, query := r.Header.Get("X-Mark"), r.URL.Query()
	w.Header().Set("X-Mark", mark)
	switch query.Get("do") {
	case "break":
		panic(http.ErrAbortHandler)
	case "break off":
		_, _ = io.WriteString(w, mark)
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	case "early": // answers while the client sends
		_, _ = io.WriteString(w, mark)
		return
	case "wait":
		if _, err := io.Copy(io.Discard, r.Body); err == nil { // a server notices a client that leaves after its body
			<-r.Context().Done()
		}
		return
	case "upgrade":
		conn, rw, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.Close()
		_, _ = io.WriteString(conn, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nX-Mark: "+mark+"\r\n\r\n")
		_, _ = io.Copy(conn, rw)
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	hash := signing.BodyHash(body)
	if len(body) > signing.MaxSignedBody {
		hash = signing.UnsignedStream
	}
	wrong := 0 // headers of another call
	if err := signing.VerifyRequest(secrets, r, hash, now); err != nil {
		wrong++
	}
	for name, values := range r.Header {
		if strings.HasPrefix(name, "X-Mark-") && strings.Join(values, "") != mark {
			wrong++
		}
	}
	if len(body) > 0 && !bytes.Equal(body, bytes.Repeat([]byte{mark[0]}, len(body))) {
		wrong++
	}
	if token := r.Header.Get("X-Platform-Token"); !strings.HasSuffix(token, "-of-"+r.Header.Get("X-Installation-Id")) {
		wrong++
	}
	w.Header().Set("Trailer", "X-Trailer")
	for range 1 + rand.IntN(3) { // in several pieces or one
		_ = http.NewResponseController(w).Flush()
	}
	_, _ = fmt.Fprintf(w, "%s %s %d %d %s", mark, query.Get("mark"), len(body), wrong, r.Header.Get("X-Installation-Key"))
	w.Header().Set("X-Trailer", mark)
}

// mixedCall makes one call of a random kind, and checks that everything in the answer belongs
// to it.
func mixedCall(t *testing.T, k *kit, mark string) {
	t.Helper()
	do := []string{"", "", "", "break", "break off", "early", "wait"}[rand.IntN(7)]
	size := []int{0, 0, 10, 20 << 10, 1<<20 + 1}[rand.IntN(5)]
	key := []string{"default", "eu"}[rand.IntN(2)]
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	switch do {
	case "wait":
		if rand.IntN(4) == 0 {
			key = "bad" // its plugin is too slow, so its breaker opens
			break
		}
		defer time.AfterFunc(time.Duration(rand.IntN(2000))*time.Microsecond, leave).Stop()
	case "break":
		key = "bad"
	}
	target := fmt.Sprintf("%s/api/x?mark=%s&do=%s&installation=%s", k.front.URL, mark, strings.ReplaceAll(do, " ", "+"), key)
	var body io.Reader = bytes.NewReader(bytes.Repeat([]byte{mark[0]}, size))
	if rand.IntN(2) == 0 {
		body = struct{ io.Reader }{body} // of unknown length
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, target, body)
	if err != nil {
		t.Error(err)
		return
	}
	r.Header.Set("X-Mark", mark)
	r.Header.Set("X-Mark-"+mark, mark)
	res, err := k.client.RoundTrip(r)
	if err != nil {
		if do == "" {
			t.Error(err)
		}
		return
	}
	defer res.Body.Close()
	got, err := io.ReadAll(res.Body)
	if do == "" {
		want := fmt.Sprintf("%s %s %d 0 %s", mark, mark, size, key)
		if err != nil || string(got) != want || res.Header.Get("X-Mark") != mark || res.Trailer.Get("X-Trailer") != mark {
			t.Errorf("%d %s %q, %v, want %q (%v)", res.StatusCode, code(res), got, res.Trailer, want, err)
		}
	} else if got := res.Header.Get("X-Mark"); got != "" && got != mark {
		t.Errorf("the answer to %s is that to %s", mark, got)
	}
}

// mixedUpgrade requests an upgrade, with a header that takes a while to send, and may leave at
// any time.
func mixedUpgrade(t *testing.T, k *kit, mark string) {
	t.Helper()
	c, err := net.Dial("tcp", k.front.Listener.Addr().String())
	if err != nil {
		t.Error(err)
		return
	}
	defer c.Close()
	var head strings.Builder
	fmt.Fprintf(&head, "GET /api/x?mark=%s&do=upgrade HTTP/1.1\r\nHost: shop\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nX-Mark: %s\r\n", mark, mark)
	for i := range 30 {
		fmt.Fprintf(&head, "X-Long-%d: %s\r\n", i, strings.Repeat(mark[:1], 1000))
	}
	if _, err := io.WriteString(c, head.String()+"\r\n"); err != nil {
		t.Error(err)
		return
	}
	if rand.IntN(2) == 0 {
		time.Sleep(time.Duration(rand.IntN(1000)) * time.Microsecond)
		return
	}
	answers := bufio.NewReader(c)
	res, err := http.ReadResponse(answers, nil)
	if err != nil || res.StatusCode != http.StatusSwitchingProtocols || res.Header.Get("X-Mark") != mark {
		t.Errorf("the upgrade %s: %v, %v", mark, res, err)
		return
	}
	_, _ = io.WriteString(c, mark+"\n")
	if line, err := answers.ReadString('\n'); err != nil || line != mark+"\n" {
		t.Errorf("through the upgrade %s came %q, %v", mark, line, err)
	}
}

// lender is a runtime that goes on using the request after Serve has returned.
type lender struct {
	mu   sync.Mutex
	lent []lent
	done func(w http.ResponseWriter) error // what Serve ends with
}

type lent struct {
	r      *http.Request
	header http.Header // as it was
	target string
}

// Serve implements run.Runtime.
func (l *lender) Serve(w http.ResponseWriter, r *http.Request, _ *plugin.Installed) error {
	l.mu.Lock()
	l.lent = append(l.lent, lent{r, r.Header.Clone(), r.URL.String()})
	l.mu.Unlock()
	return l.done(w)
}

// The gateway reuses a call's memory only if the runtime reports it as spent. Others may go on
// reading the request, as transports do.
func TestAnotherCallDoesNotGetWhatARuntimeStillUses(t *testing.T) {
	t.Parallel()
	spend := func(w http.ResponseWriter, is bool) { w.(interface{ Spent(is bool) }).Spent(is) }
	for name, done := range map[string]func(http.ResponseWriter) error{
		"no report":       func(http.ResponseWriter) error { return nil },
		"with an answer":  func(w http.ResponseWriter) error { w.WriteHeader(http.StatusTeapot); return nil },
		"with an error":   func(http.ResponseWriter) error { return run.ErrUnreachable.Because(errors.New("gone")) },
		"not spent":       func(w http.ResponseWriter) error { spend(w, false); return nil },
		"no longer spent": func(w http.ResponseWriter) error { spend(w, true); spend(w, false); return nil },
		"broken off":      func(w http.ResponseWriter) error { spend(w, true); panic(http.ErrAbortHandler) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k, l := newKit(t), &lender{done: done}
			k.Runtimes = map[plugin.RuntimeType]run.Runtime{plugin.External: l}
			for i := range 20 {
				r, err := http.NewRequestWithContext(t.Context(), "GET", fmt.Sprintf("%s/api/%d", k.front.URL, i), nil)
				if err != nil {
					t.Fatal(err)
				}
				r.Header.Set("X-Mark", fmt.Sprint(i))
				if res, err := k.client.RoundTrip(r); err == nil {
					_ = res.Body.Close()
				}
			}
			l.mu.Lock()
			defer l.mu.Unlock()
			if len(l.lent) == 0 {
				t.Fatal("nothing reached the runtime")
			}
			for _, x := range l.lent {
				if x.r.URL == nil || x.r.URL.String() != x.target || !reflect.DeepEqual(x.r.Header, x.header) {
					t.Fatalf("the call of %s became %v %v", x.target, x.r.URL, x.r.Header)
				}
			}
		})
	}
}
