package front

import (
	"bytes"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"stoa/internal/edge/http1"
)

// head is the head of a request that this package serves.
type head struct {
	method, target, host string
	url                  *url.URL
	header               http.Header
	length               int64 // of the body
	last                 bool  // the client asks to close the connection
}

var (
	emptyLine = []byte("\r\n\r\n")
	version   = []byte(" HTTP/1.1")
)

// parseHead reads the head at the start of b, which has n bytes. n is 0 if b has no complete head,
// or one that is left to net/http: every parser of HTTP must read a head that is served here in the
// same way.
func parseHead(b []byte) (h head, n int) {
	end := bytes.Index(b, emptyLine)
	if end < 0 {
		return h, 0
	}
	line, _, _ := bytes.Cut(b[:end], emptyLine[:2])
	method, target, _ := bytes.Cut(line, []byte{' '})
	target, ok := bytes.CutSuffix(target, version)
	if !ok || !isMethod(method) || !isTarget(target) {
		return h, 0
	}
	text := string(b[:end+len(emptyLine)]) // all of h shares this
	h.method, h.target = text[:len(method)], text[len(method)+1:][:len(target)]
	if !h.parseURL() {
		return h, 0
	}
	fields := text[len(line)+2:]
	h.header = make(http.Header, strings.Count(fields, "\r\n"))
	if http1.ParseFields(fields, h.header) != nil || !h.isPlain() {
		return h, 0
	}
	return h, len(text)
}

// isMethod reports whether m is spelled like a method of a plain request.
func isMethod(m []byte) bool {
	for _, c := range m {
		if c < 'A' || c > 'Z' {
			return false
		}
	}
	return len(m) > 0 && len(m) <= 16 && string(m) != http.MethodConnect && string(m) != "PRI"
}

// isTarget reports whether t is a path in visible ASCII, with or without a query.
func isTarget(t []byte) bool {
	for _, c := range t {
		if c <= ' ' || c >= 0x7f {
			return false
		}
	}
	return len(t) > 0 && t[0] == '/'
}

// parseURL sets h.url as net/http would.
func (h *head) parseURL() bool {
	path, query, asked := strings.Cut(h.target, "?")
	if isSimple(path) && (!asked || query != "") {
		h.url = &url.URL{Path: path, RawQuery: query}
		return true
	}
	var err error
	h.url, err = url.ParseRequestURI(h.target)
	return err == nil
}

// isSimple reports whether a path is the same escaped and unescaped.
func isSimple(path string) bool {
	for i := range len(path) {
		switch c := path[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9':
		case c == '/', c == '-', c == '_', c == '.', c == '~':
		default:
			return false
		}
	}
	return true
}

// asksForMore reports whether a client that sends this header needs something that this package
// does not do.
func asksForMore(name string) bool {
	switch name {
	case "Transfer-Encoding", "Expect", "Upgrade", "Trailer", "Pragma", "Http2-Settings":
		return true
	}
	return false
}

// isPlain reports whether the fields ask for nothing special. It removes those that net/http
// removes.
func (h *head) isPlain() bool {
	for name := range h.header {
		if asksForMore(name) {
			return false
		}
	}
	hosts := h.header["Host"]
	if len(hosts) != 1 || !isHost(hosts[0]) {
		return false
	}
	h.host = hosts[0]
	delete(h.header, "Host")
	if asked, there := h.header["Connection"]; there {
		h.last = strings.EqualFold(asked[0], "close")
		if len(asked) != 1 || !h.last && !strings.EqualFold(asked[0], "keep-alive") {
			return false
		}
	}
	lengths, there := h.header["Content-Length"]
	if !there {
		return true
	}
	length, err := strconv.ParseUint(lengths[0], 10, 50)
	if err != nil || len(lengths) != 1 || lengths[0][0] == '0' && len(lengths[0]) > 1 {
		return false
	}
	h.length = int64(length)
	return true
}

// isHost reports whether s is not empty and has only characters of hosts.
func isHost(s string) bool {
	for i := range len(s) {
		switch c := s[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9':
		case c == '.', c == '-', c == '_', c == ':', c == '[', c == ']':
		default:
			return false
		}
	}
	return s != ""
}
