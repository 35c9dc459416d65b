package external_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"code.dny.dev/ssrf"

	"stoa/internal/run"
	"stoa/internal/run/external"
	"stoa/internal/testkit/logtest"
	"stoa/internal/testkit/waittest"
)

// nameServer answers each question for an IPv4 address with the next list of addresses, and with
// the last list from then on. It has no answer to other questions.
func nameServer(t *testing.T, lists ...[]string) (resolver *net.Resolver, asked *atomic.Int32) {
	t.Helper()
	server, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	asked = new(atomic.Int32)
	go func() {
		buf := make([]byte, 512)
		for {
			n, from, err := server.ReadFrom(buf)
			if err != nil {
				return
			}
			_, _ = server.WriteTo(answerTo(buf[:n], func() []string {
				return lists[min(int(asked.Add(1)), len(lists))-1]
			}), from)
		}
	}()
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "udp", server.LocalAddr().String())
	}}, asked
}

// answerTo returns the answer to a DNS message with one question (RFC 1035, 4).
func answerTo(question []byte, next func() []string) []byte {
	end := 12 // of the header; the name follows
	for question[end] != 0 {
		end += int(question[end]) + 1
	}
	end += 5 // the name's end, the type, the class
	var addrs []string
	if binary.BigEndian.Uint16(question[end-4:]) == 1 { // A
		addrs = next()
	}
	answer := append([]byte{}, question[:end]...)
	answer[2], answer[3] = 0x81, 0x80 // an answer, without error
	binary.BigEndian.PutUint16(answer[6:], uint16(len(addrs)))
	binary.BigEndian.PutUint32(answer[8:], 0) // nothing more
	for _, addr := range addrs {
		// The name as in the question, type A, class IN, and a time to live of 0.
		answer = append(answer, 0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4)
		ip := netip.MustParseAddr(addr).As4()
		answer = append(answer, ip[:]...)
	}
	return answer
}

// A name that first resolves to an allowed address and then to stoa's own machine (DNS rebinding)
// is refused when connecting: the guard checks the address of the connection, not that of an
// earlier look-up.
func TestANameThatMovesInsideIsRefused(t *testing.T) {
	t.Parallel()
	reached := new(atomic.Int32)
	inside := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached.Add(1) }))
	t.Cleanup(inside.Close)
	u, err := url.Parse(inside.URL)
	if err != nil {
		t.Fatal(err)
	}
	const outside = "192.0.2.1" // never answers; allowed here, as a public address would be
	allow := []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24")}
	for name, lists := range map[string][][]string{
		"at the second call":     {{outside}, {"127.0.0.1"}},
		"among others, last":     {{outside, "127.0.0.1"}},
		"among others, first":    {{"127.0.0.1", outside}},
		"at once":                {{"127.0.0.1"}},
		"as the cloud's secrets": {{outside}, {"169.254.169.254"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			resolver, asked := nameServer(t, lists...)
			rt := external.New(external.Config{
				Log: logtest.New(t), Allow: allow, Resolver: resolver, FirstByte: 300 * time.Millisecond,
			})
			defer rt.Close()
			in := installed("http://moving.example:" + u.Port())
			var last error
			for i := range 3 {
				call := func(limit time.Duration) error {
					before := asked.Load()
					in.Package.Settings.TimeoutMs = limit.Milliseconds()
					last = rt.Serve(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/", nil), &in)
					if !errors.Is(last, run.ErrUnreachable) && !errors.Is(last, run.ErrTimeout) {
						t.Errorf("Serve = %v", last)
					}
					if asked.Load() == before {
						return fmt.Errorf("call %d did not look the name up", i+1)
					}
					return nil
				}
				// Only a call of an address that never answers ends with its time, which a busy machine may need
				// for the look-up.
				if slices.Contains(lists[min(i, len(lists)-1)], outside) {
					waittest.Within(t, "a look-up", call)
				} else if err := call(time.Minute); err != nil {
					t.Error(err)
				}
			}
			if len(lists[len(lists)-1]) == 1 && !errors.Is(last, ssrf.ErrProhibitedIP) {
				t.Errorf("the last call = %v, want the guard's refusal", last)
			}
		})
	}
	t.Cleanup(func() {
		if reached.Load() > 0 {
			t.Errorf("%d calls reached stoa's own machine", reached.Load())
		}
	})
}
