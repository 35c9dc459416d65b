package gateway_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"stoa/internal/plugin"
)

// The memory of a call is used for others. Nothing of one may be seen in another,
// whatever becomes of it: small and large bodies, streams, failures, clients that leave.
func TestCallsDoNotMix(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	k.finder.change(func(in *plugin.Installed) { in.Package.Settings.TimeoutMs = 10_000 })
	k.answer = func(w http.ResponseWriter, r *http.Request) {
		mark := r.Header.Get("X-Mark")
		switch r.URL.Query().Get("do") {
		case "break":
			panic(http.ErrAbortHandler)
		case "early": // answers while the client sends
			w.Header().Set("X-Mark", mark)
			_, _ = io.WriteString(w, mark)
			return
		case "wait":
			if _, err := io.Copy(io.Discard, r.Body); err == nil { // a server notices a client that leaves after its body
				<-r.Context().Done()
			}
			return
		}
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		marks := 0 // of others
		for name, values := range r.Header {
			if strings.HasPrefix(name, "X-Mark-") && strings.Join(values, "") != mark {
				marks++
			}
		}
		w.Header().Set("X-Mark", mark)
		_, _ = fmt.Fprintf(w, "%s %s %d %d %s", mark, r.URL.Query().Get("mark"), len(body), marks, r.Header.Get("X-Installation-Key"))
		if len(body) > 0 && !bytes.Equal(body, bytes.Repeat([]byte{mark[0]}, len(body))) {
			_, _ = io.WriteString(w, " another's body")
		}
	}
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			for i := range 150 {
				mixedCall(t, k, fmt.Sprintf("%c%d", 'a'+g, i))
			}
		})
	}
	wg.Wait()
}

// mixedCall makes one call of a kind drawn at random, and checks that everything in the
// answer is its own.
func mixedCall(t *testing.T, k *kit, mark string) {
	t.Helper()
	do := []string{"", "", "", "break", "early", "wait"}[rand.IntN(6)]
	size := []int{0, 0, 10, 20 << 10, 1<<20 + 1}[rand.IntN(5)]
	key := []string{"default", "eu"}[rand.IntN(2)]
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	if do == "wait" {
		stop := time.AfterFunc(time.Millisecond, leave)
		defer stop.Stop()
	}
	target := fmt.Sprintf("%s/api/x?mark=%s&do=%s&installation=%s", k.front.URL, mark, do, key)
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, target, bytes.NewReader(bytes.Repeat([]byte{mark[0]}, size)))
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
	body, err := io.ReadAll(res.Body)
	if do == "" {
		want := fmt.Sprintf("%s %s %d 0 %s", mark, mark, size, key)
		if got := string(body); err != nil || got != want || res.Header.Get("X-Mark") != mark {
			t.Errorf("%d %s %q, want %q (%v)", res.StatusCode, code(res), got, want, err)
		}
	} else if got := res.Header.Get("X-Mark"); got != "" && got != mark {
		t.Errorf("the answer to %s is that to %s", mark, got)
	}
}
