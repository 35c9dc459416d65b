package front_test

import (
	"io"
	"net/http"
	"testing"
)

// BenchmarkFront measures a small call on a kept connection, client included.
func BenchmarkFront(b *testing.B) {
	s := newServer(b, true, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"ok":true}`)
	}))
	c, in := s.dial(b)
	one, length := []byte(call), 0
	exchange := func() {
		if _, err := c.Write(one); err != nil {
			b.Fatal(err)
		}
		if _, err := in.Peek(max(length, 1)); err != nil {
			b.Fatal(err)
		}
		length = in.Buffered()
		_, _ = in.Discard(length)
	}
	exchange()
	b.ReportAllocs()
	for b.Loop() {
		exchange()
	}
}
