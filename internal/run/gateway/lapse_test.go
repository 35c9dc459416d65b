package gateway_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"testing"
	"time"

	"stoa/internal/extension/plugin"
)

// licensed gives the plugin of k a license that holds for an hour.
func (k *kit) licensed() {
	k.LapseLook = time.Millisecond
	k.finder.change(func(in *plugin.Installed) {
		in.Package.License = plugin.License{State: "valid", LastSeen: now, GraceFrom: now.Add(time.Hour), StopsAt: now.Add(time.Hour)}
	})
}

// lapse lets that hour pass.
func (k *kit) lapse() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.now = now.Add(time.Hour)
}

// A stream to a plugin whose license has lapsed is cut off, and does not look complete.
func TestAStreamEndsWithItsLicense(t *testing.T) {
	t.Parallel()

	k := newKit(t)
	k.licensed()
	k.answer = func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, "one\n")
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	}
	res, err := (&http.Client{Transport: k.client}).Get(k.front.URL + "/api/events")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	lines := bufio.NewReader(res.Body)
	if line, err := lines.ReadString('\n'); line != "one\n" || err != nil {
		t.Fatalf("%q, %v", line, err)
	}
	k.lapse()
	if rest, err := io.ReadAll(lines); len(rest) > 0 || !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("%q, %v", rest, err)
	}
}

// A call that is not answered yet when its license lapses is answered as those after it.
func TestACallWithoutAnAnswerEndsWithItsLicense(t *testing.T) {
	t.Parallel()

	k := newKit(t)
	k.licensed()
	k.answer = func(_ http.ResponseWriter, r *http.Request) {
		k.lapse()
		<-r.Context().Done()
	}
	res, err := (&http.Client{Transport: k.client}).Get(k.front.URL + "/api/slow")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if got := code(res); got != "NOT_FOUND" {
		t.Errorf("answer = %s", got)
	}
}

func TestAWebSocketEndsWithItsLicense(t *testing.T) {
	t.Parallel()

	k := newKit(t)
	k.licensed()
	k.answer = websocket
	c, err := net.Dial("tcp", k.front.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	_, _ = io.WriteString(c, "GET /api/live HTTP/1.1\r\nHost: shop\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n")
	br := bufio.NewReader(c)
	if res, err := http.ReadResponse(br, nil); err != nil || res.StatusCode != http.StatusSwitchingProtocols {
		t.Fatalf("%v, %v", res, err)
	}
	k.lapse()
	if line, err := br.ReadString('\n'); err == nil {
		t.Errorf("the connection lives: %q", line)
	}
}

// flicker finds an instance whose license has lapsed at every other look.
type flicker struct {
	*finder

	looks  int
	enough chan struct{} // closed after ten looks
}

func (f *flicker) ByID(ctx context.Context, slug, id string) (*plugin.Installed, error) {
	in, err := f.finder.ByID(ctx, slug, id)
	if err != nil {
		return nil, err
	}
	found := *in
	if f.looks++; f.looks%2 == 1 {
		found.Package.License.StopsAt = now
	}
	if f.looks == 10 {
		close(f.enough)
	}
	return &found, nil
}

// A license that comes back in time ends no call.
func TestALicenseThatReturnsEndsNoCall(t *testing.T) {
	t.Parallel()

	k := newKit(t)
	k.licensed()
	found := &flicker{finder: k.finder, enough: make(chan struct{})}
	k.Plugins = found
	k.answer = func(w http.ResponseWriter, _ *http.Request) {
		<-found.enough
		_, _ = io.WriteString(w, "done")
	}
	res, err := (&http.Client{Transport: k.client}).Get(k.front.URL + "/api/slow")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if body, err := io.ReadAll(res.Body); string(body) != "done" || err != nil {
		t.Errorf("%q, %v", body, err)
	}
}
