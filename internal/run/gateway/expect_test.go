package gateway_test

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
)

// A client with Expect: 100-continue sends its body only after 100 Continue, and gets a refusal
// without having sent it.
func TestABodyIsAskedForWhenItIsWanted(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	ask := func(path string) (net.Conn, *bufio.Reader, string) {
		c := k.dialRaw(t)
		_, err := io.WriteString(c, "POST "+path+" HTTP/1.1\r\nHost: shop\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n")
		if err != nil {
			t.Fatal(err)
		}
		from := bufio.NewReader(c)
		line, err := from.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		return c, from, strings.TrimSpace(line)
	}
	if _, _, line := ask("/api/x?installationId=id-off"); line != "HTTP/1.1 599 status code 599" {
		t.Errorf("a call that is refused: %q", line)
	}
	k.untouched(t)
	c, from, line := ask("/api/x")
	if line != "HTTP/1.1 100 Continue" {
		t.Fatalf("a call that passes: %q", line)
	}
	if _, err := io.WriteString(c, "hello"); err != nil {
		t.Fatal(err)
	}
	if blank, _ := from.ReadString('\n'); blank != "\r\n" {
		t.Errorf("after 100 Continue: %q", blank)
	}
	res, err := http.ReadResponse(from, nil)
	if err != nil || res.StatusCode != http.StatusTeapot {
		t.Fatalf("answer %v, %v", res, err)
	}
	if got := k.next(t); string(got.body) != "hello" || got.Header.Get("Expect") != "" {
		t.Errorf("the plugin got %q, Expect %q", got.body, got.Header.Get("Expect"))
	}
}
