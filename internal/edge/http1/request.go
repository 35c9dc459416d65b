package http1

import (
	"fmt"
	"net/http"
	"strconv"
)

// Lengths of a request's body besides a number of bytes.
const (
	NoBody  = -1
	Chunked = -2 // not known; see AppendChunk
)

// AppendRequest appends the head of a request to b: the request line, Host, the header h and what
// describes a body of that length. h is sent as it is, except Host, Content-Length,
// Transfer-Encoding and Trailer, which this package writes. An empty User-Agent means none. The
// error wraps ErrUnsendable.
//
// The headers are always in the same order, shorter names first: V8 makes new hidden classes for
// each order in which headers arrive, which costs a plugin on Node.js as much as all its other work
// on a small call.
func AppendRequest(b []byte, method, target, host string, h http.Header, length int64) ([]byte, error) {
	switch {
	case !IsToken(method):
		return b, fmt.Errorf("%w: method %q", ErrUnsendable, method)
	case !isTarget(target):
		return b, fmt.Errorf("%w: target %q", ErrUnsendable, target)
	case host == "" || !isTarget(host):
		return b, fmt.Errorf("%w: host %q", ErrUnsendable, host)
	}
	b = append(b, method...)
	b = append(b, ' ')
	b = append(b, target...)
	b = append(b, " HTTP/1.1\r\nHost: "...)
	b = append(b, host...)
	b = append(b, "\r\n"...)
	b, err := appendHeaders(b, h)
	if err != nil {
		return b, err
	}
	return append(appendLength(b, method, length), "\r\n"...), nil
}

func appendLength(b []byte, method string, length int64) []byte {
	switch {
	case length == Chunked:
		return append(b, "Transfer-Encoding: chunked\r\n"...)
	case length >= 0:
		b = append(b, "Content-Length: "...)
		b = strconv.AppendInt(b, length, 10)
		return append(b, "\r\n"...)
	case method == http.MethodPost || method == http.MethodPut || method == http.MethodPatch:
		return append(b, "Content-Length: 0\r\n"...) // some servers wait for a body or require a length
	}
	return b
}

// AppendChunk appends data, which must not be empty, as a chunk of a body.
func AppendChunk(b, data []byte) []byte {
	b = strconv.AppendInt(b, int64(len(data)), 16)
	b = append(b, "\r\n"...)
	b = append(b, data...)
	return append(b, "\r\n"...)
}

// LastChunk ends a body of chunks.
const LastChunk = "0\r\n\r\n"

// token has the bytes of names and methods (RFC 9110, 5.6.2).
var token = func() (t [256]bool) {
	for c := '0'; c <= '9'; c++ {
		t[c] = true
	}
	for c := 'a'; c <= 'z'; c++ {
		t[c], t[c-'a'+'A'] = true, true
	}
	for _, c := range "!#$%&'*+-.^_`|~" {
		t[c] = true
	}
	return t
}()

// IsToken reports whether s can be the name of a header or a method.
func IsToken(s string) bool {
	for i := range len(s) {
		if !token[s[i]] {
			return false
		}
	}
	return s != ""
}

// isValue reports whether s has no control characters but tabs, so none that ends a line. Most of
// what a call sends passes through it, so it looks at eight bytes at a time.
func isValue(s string) bool {
	const ones, high = 0x0101010101010101, 0x8080808080808080
	for ; len(s) >= 8; s = s[8:] {
		x := uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
			uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
		// The high bit of a byte is set in low if the byte is below a space, and in del if it is
		// 0x7f; it may also be set in bytes above such a one, which isShortValue sorts out.
		low, del := (x-ones*' ')&^x, (x^ones*0x7f-ones)&^(x^ones*0x7f)
		if (low|del)&high != 0 && !isShortValue(s[:8]) {
			return false
		}
	}
	return isShortValue(s)
}

func isShortValue(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < ' ' && c != '\t' || c == 0x7f {
			return false
		}
	}
	return true
}

// isTarget reports whether s has no byte that ends the request line or a part of it.
func isTarget(s string) bool {
	for i := range len(s) {
		if c := s[i]; c <= ' ' || c == 0x7f {
			return false
		}
	}
	return s != ""
}
