package gateway

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// lasts returns how long a client may send size bytes every interval until it is ended,
// at most for as long as a body may take.
func lasts(rate int64, size int, interval time.Duration) time.Duration {
	p := newPace(rate)
	for took := time.Duration(0); took < maxUpload; took += interval {
		if p.allowed() < interval {
			return took + p.allowed()
		}
		p.count(size, interval)
	}
	return maxUpload
}

func TestABodyThatComesTooSlowlyIsEnded(t *testing.T) {
	t.Parallel()
	const rate = 1000
	for name, tt := range map[string]struct {
		rate     int64
		size     int
		interval time.Duration
		want     time.Duration
	}{
		"at the least rate":              {rate, rate, time.Second, maxUpload},
		"one byte a second":              {rate, 1, time.Second, grace + 10*time.Millisecond},
		"nothing":                        {rate, 0, grace + 1, grace},
		"a little more slowly":           {rate, rate * 9 / 10, time.Second, maxUpload}, // within the grace
		"half as fast":                   {rate, rate / 2, time.Second, 2*grace - time.Second + 500*time.Millisecond},
		"in pieces as long as the grace": {rate, rate * 10, grace, maxUpload},
		"in longer ones":                 {rate, rate * 100, grace + 1, grace},
		"without a least rate":           {0, 1, idle, maxUpload},
		"without one, after a pause":     {0, 1, idle + 1, idle},
	} {
		if got := lasts(tt.rate, tt.size, tt.interval).Round(time.Second); got != tt.want.Round(time.Second) {
			t.Errorf("%s: ended after %s, want %s", name, got, tt.want)
		}
	}
}

func TestWhoWasQuickMayPauseButNotForLong(t *testing.T) {
	t.Parallel()
	p := newPace(1000)
	p.count(20_000, 0)
	if p.allowed() != idle {
		t.Errorf("after 20 s ahead of the least rate, the pause may be %s, want %s", p.allowed(), idle)
	}
	p.count(10<<20, 0)
	if p.allowed() != idle {
		t.Errorf("the pause may be %s, want %s", p.allowed(), idle)
	}
	p.count(0, idle-time.Second)
	if p.allowed() != time.Second {
		t.Errorf("after most of a pause %s are left, want 1 s", p.allowed())
	}
}

func TestTheLeastRateSetsTheDeadlineOfEachRead(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		conn := &deadlines{ResponseRecorder: httptest.NewRecorder(), set: make(chan time.Time, 10)}
		b := &clientBody{
			body: strings.NewReader("xx"), rc: http.NewResponseController(conn), left: maxBody,
			until: time.Now().Add(maxUpload), pace: newPace(1),
		}
		for _, want := range []time.Duration{grace, grace + time.Second} { // each byte earns a second
			if _, err := io.ReadFull(b, make([]byte, 1)); err != nil {
				t.Fatal(err)
			}
			if at := time.Until(<-conn.set); at != want {
				t.Errorf("the next byte may take %s, want %s", at, want)
			}
		}
	})
}
