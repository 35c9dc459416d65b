package http1

import (
	"bytes"
	"fmt"
	"net/http"
	"net/textproto"
	"strconv"
	"strings"
)

// Answer is the head of an answer and what follows it.
type Answer struct {
	Status int
	Reason string // the text after the status
	// Header is without Transfer-Encoding and Trailer. The map belongs to the connection and is
	// valid until the next ReadAnswer or Release; its values stay valid.
	Header http.Header

	// Length is the Content-Length or the length of the body; -1 if it is unknown until the body
	// ends, and for HEAD without a Content-Length.
	Length int64

	// Trailer has the announced names before the body ends, and the received values after it.
	Trailer http.Header

	framing framing
	last    bool // the connection ends with this answer
}

// framing is how to find the end of a body.
type framing int

const (
	noBody framing = iota
	byLength
	byChunks
	byEnd // of the connection
)

func malformed(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{ErrMalformed}, args...)...)
}

// parseHead reads the head of an answer to a request with that method into the empty map h. text
// ends with the empty line.
func parseHead(text, method string, h http.Header) (a Answer, err error) {
	line, rest, _ := strings.Cut(text, "\r\n")
	minor, err := a.parseStatus(line)
	if err != nil {
		return a, err
	}
	if err := ParseFields(rest, h); err != nil {
		return a, err
	}
	a.Header = h
	err = a.frame(minor, method)
	return a, err
}

// parseStatus reads a status line, of HTTP/1.0 or HTTP/1.1.
func (a *Answer) parseStatus(line string) (minor byte, err error) {
	const shape = "HTTP/1.x 200"
	if len(line) < len(shape) || !strings.HasPrefix(line, "HTTP/1.") || line[8] != ' ' ||
		line[7] != '0' && line[7] != '1' || len(line) > len(shape) && line[len(shape)] != ' ' || !isValue(line) {
		return 0, malformed("status line %.50q", line)
	}
	for _, digit := range []byte(line[9:12]) {
		if digit < '0' || digit > '9' {
			return 0, malformed("status line %.50q", line)
		}
		a.Status = a.Status*10 + int(digit-'0')
	}
	if a.Status < 100 {
		return 0, malformed("status %d", a.Status)
	}
	a.Reason = strings.TrimPrefix(line[len(shape):], " ")
	return line[7], nil
}

// ParseFields reads header fields into h, up to the empty line that ends text. Names are in
// canonical form, values share the memory of text. The error wraps ErrMalformed.
func ParseFields(text string, h http.Header) error {
	lines := strings.Count(text, "\r\n") - 1
	values := make([]string, 0, lines) // one allocation for all of them
	for {
		line, rest, _ := strings.Cut(text, "\r\n")
		if line == "" {
			return nil
		}
		text = rest
		// No blanks before the colon, and no folded lines: the first byte of a name is no blank
		// either.
		name, value, ok := strings.Cut(line, ":")
		if !ok || !IsToken(name) {
			return malformed("header line %.50q", line)
		}
		value = strings.Trim(value, " \t")
		if !isValue(value) {
			return malformed("value of %s", name)
		}
		name = canonical(name)
		if old := h[name]; old != nil {
			h[name] = append(old, value)
			continue
		}
		values = append(values, value)
		h[name] = values[len(values)-1 : len(values) : len(values)]
	}
}

// canonical is http.CanonicalHeaderKey without an allocation for common names in lower case, as
// many servers spell them.
func canonical(name string) string {
	if known, ok := commonNames[name]; ok {
		return known
	}
	return textproto.CanonicalMIMEHeaderKey(name)
}

var commonNames = func() map[string]string {
	names := make(map[string]string)
	for _, name := range []string{
		"Accept", "Accept-Encoding", "Accept-Language", "Authorization", "Cookie", "Host", "If-Modified-Since",
		"If-None-Match", "Origin", "Priority", "Referer", "Sec-Fetch-Dest", "Sec-Fetch-Mode", "Sec-Fetch-Site",
		"User-Agent", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Real-Ip",
		"Accept-Ranges", "Cache-Control", "Connection", "Content-Disposition", "Content-Encoding", "Content-Language",
		"Content-Length", "Content-Security-Policy", "Content-Type", "Date", "Etag", "Expires", "Keep-Alive",
		"Last-Modified", "Link", "Location", "Retry-After", "Server", "Set-Cookie", "Trailer", "Transfer-Encoding",
		"Vary", "X-Content-Type-Options", "X-Frame-Options", "X-Powered-By", "X-Ratelimit-Limit",
		"X-Ratelimit-Remaining", "X-Ratelimit-Reset",
	} {
		names[name], names[strings.ToLower(name)] = name, name
	}
	return names
}()

// frame finds out how the body ends, and whether the connection does.
func (a *Answer) frame(minor byte, method string) error {
	a.last = minor == '0' && !hasToken(a.Header["Connection"], "keep-alive") ||
		hasToken(a.Header["Connection"], "close")
	length, err := contentLength(a.Header["Content-Length"])
	if err != nil {
		return err
	}
	if a.Length = length; length >= 0 {
		a.Header["Content-Length"] = a.Header["Content-Length"][:1]
	}
	coding := a.Header["Transfer-Encoding"]
	if len(coding) > 0 {
		// A length beside a coding is how answers are smuggled.
		if len(coding) > 1 || !strings.EqualFold(coding[0], "chunked") || minor == '0' || length >= 0 {
			return malformed("Transfer-Encoding %.50q with HTTP/1.%c and length %d", coding, minor, length)
		}
		delete(a.Header, "Transfer-Encoding")
		if err := a.announced(); err != nil {
			return err
		}
	}
	switch {
	case a.Status < 200:
		if a.Length = 0; length > 0 || len(coding) > 0 {
			return malformed("a body of status %d", a.Status)
		}
	case a.Status == http.StatusNoContent, a.Status == http.StatusNotModified:
		a.Length = 0
	case method == http.MethodHead:
	case len(coding) > 0:
		a.framing, a.Length = byChunks, -1
	case length > 0:
		a.framing = byLength
	case length < 0:
		a.framing, a.last = byEnd, true
	}
	return nil
}

// announced fills Trailer with the names in the Trailer header.
func (a *Answer) announced() error {
	for _, line := range a.Header["Trailer"] {
		for name := range strings.SplitSeq(line, ",") {
			if name = strings.Trim(name, " \t"); name == "" {
				continue
			}
			if !IsToken(name) {
				return malformed("trailer %.50q", name)
			}
			switch name = canonical(name); {
			case name == "Content-Length", name == "Transfer-Encoding", name == "Trailer":
				return malformed("trailer %s", name)
			case isFraming(name):
				continue
			case a.Trailer == nil:
				a.Trailer = make(http.Header)
			}
			a.Trailer[name] = nil
		}
	}
	delete(a.Header, "Trailer")
	return nil
}

// isFraming reports whether a header frames or routes a message: it has no meaning after the body.
func isFraming(name string) bool {
	switch name {
	case "Content-Length", "Transfer-Encoding", "Trailer", "Host", "Connection":
		return true
	}
	return false
}

// contentLength returns the length that all lines agree on; -1 if there is none.
func contentLength(lines []string) (int64, error) {
	if len(lines) == 0 {
		return -1, nil
	}
	for _, line := range lines {
		if line != lines[0] {
			return 0, malformed("Content-Length %.50q", lines)
		}
	}
	n, err := strconv.ParseUint(lines[0], 10, 63)
	if err != nil { // a sign is an error too
		return 0, malformed("Content-Length %.50q", lines[0])
	}
	return int64(n), nil
}

// hasToken reports whether a comma-separated list has a member, ignoring case.
func hasToken(lines []string, member string) bool {
	for _, line := range lines {
		for part := range strings.SplitSeq(line, ",") {
			if strings.EqualFold(strings.Trim(part, " \t"), member) {
				return true
			}
		}
	}
	return false
}

// parseChunkSize reads the line before a chunk, without its end.
func parseChunkSize(line []byte) (int64, error) {
	digits, extension, _ := bytes.Cut(line, []byte{';'})
	digits = bytes.TrimRight(digits, " \t")
	if len(digits) == 0 || len(digits) > 15 || !isValue(string(extension)) {
		return 0, malformed("chunk size %.50q", line)
	}
	var n int64
	for _, c := range digits {
		switch {
		case '0' <= c && c <= '9':
			c -= '0'
		case 'a' <= c && c <= 'f':
			c -= 'a' - 10
		case 'A' <= c && c <= 'F':
			c -= 'A' - 10
		default:
			return 0, malformed("chunk size %.50q", line)
		}
		n = n<<4 | int64(c)
	}
	return n, nil
}
