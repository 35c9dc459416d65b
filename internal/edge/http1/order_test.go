package http1

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
)

// A request's headers are sent whole and in one order, also when others with as many names
// are sent at the same time.
func TestHeadersAreSentInOneOrder(t *testing.T) {
	t.Parallel()
	var all sync.WaitGroup
	for caller := range 4 {
		all.Go(func() {
			h, want := http.Header{}, ""
			for i := range 9 { // names of one length are in the order of their bytes
				name := fmt.Sprintf("X-%d-%d", caller, i)
				h[name] = []string{"a", "b"}
				want += name + ": a\r\n" + name + ": b\r\n"
			}
			h["X-Longer-Name"] = []string{""}
			want += "X-Longer-Name: \r\n"
			h["User-Agent"] = []string{""} // stands for none
			for range 2_000 {
				got, err := AppendRequest(nil, http.MethodGet, "/", "plugin", h, NoBody)
				_, headers, _ := strings.Cut(string(got), "Host: plugin\r\n")
				if err != nil || headers != want+"\r\n" {
					t.Errorf("sent %q, %v, want %q", headers, err, want)
					return
				}
			}
		})
	}
	all.Wait()
}

func TestManyHeadersAreSentInOrder(t *testing.T) {
	t.Parallel()
	for _, n := range []int{usualHeaders, usualHeaders + 1, 300} {
		h := http.Header{}
		for i := range n {
			h[fmt.Sprintf("X-%04d", i)] = []string{"v"}
		}
		for range 3 * learnOneIn {
			got, err := AppendRequest(nil, http.MethodGet, "/", "plugin", h, NoBody)
			lines := strings.Split(string(got), "\r\n")
			if err != nil || len(lines) != n+4 || lines[2] != "X-0000: v" || lines[n+1] != fmt.Sprintf("X-%04d: v", n-1) {
				t.Fatalf("%d headers: %v %q", n, err, lines)
			}
		}
	}
}

// isValue looks at eight bytes at a time: each byte at each place, beside others of all kinds.
func TestValuesAreCheckedByteByByte(t *testing.T) {
	t.Parallel()
	for _, filler := range []string{"a", "\t", "\x80", "\xff", " ", "~"} {
		for length := range 20 {
			if text := strings.Repeat(filler, length); !isValue(text) {
				t.Errorf("%q is refused", text)
			}
			for at := range length {
				for c := range 256 {
					text := strings.Repeat(filler, at) + string([]byte{byte(c)}) + strings.Repeat(filler, length-at-1)
					if want := c >= ' ' && c != 0x7f || c == '\t'; isValue(text) != want {
						t.Fatalf("%q: got %v, want %v", text, !want, want)
					}
				}
			}
		}
	}
}

func BenchmarkAppendRequest(b *testing.B) {
	h := http.Header{}
	for i := range 23 {
		h[fmt.Sprintf("X-Header-Number-%0*d", 1+i%9, i)] = []string{"73ef8858-289b-4ce3-9796-2d2d7444f75f"}
	}
	buf := make([]byte, 0, 4<<10)
	b.ReportAllocs()
	for b.Loop() {
		buf, _ = AppendRequest(buf[:0], http.MethodGet, "/", "plugin", h, NoBody)
	}
}
