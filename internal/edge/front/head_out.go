package front

import (
	"fmt"
	"net/http"
	"net/textproto"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"stoa/internal/edge/http1"
)

// WriteHeader implements http.ResponseWriter. An informational answer (1xx) is sent at once.
func (a *answer) WriteHeader(status int) {
	switch {
	case a.status != 0:
		return
	case status < 100 || status > 999:
		panic(fmt.Sprintf("invalid WriteHeader code %v", status))
	case status < 200 && status != http.StatusSwitchingProtocols:
		a.appendStatus(status)
		for name, values := range a.header {
			if name != "Content-Length" && name != "Transfer-Encoding" {
				a.appendField(name, values)
			}
		}
		a.out = append(a.out, "\r\n"...)
		_ = a.flush()
		return
	}
	a.status = status
	a.appendStatus(status)
	a.late.encoded = a.header.Get("Content-Encoding") != ""
	for name, values := range a.header {
		switch name {
		case "Content-Length":
			a.late.contentLength = values
		case "Content-Type":
			a.late.contentType, a.late.typed = values, true
		case "Transfer-Encoding":
			a.late.coding = values
		case "Connection":
			a.late.connection = values
		case "Trailer":
			a.announce(values)
			a.appendField(name, values)
		default:
			if strings.HasPrefix(name, http.TrailerPrefix) {
				a.late.trailing = true
				continue
			}
			a.appendField(name, values)
		}
	}
	if _, dated := a.header["Date"]; !dated {
		a.out = append(append(append(a.out, "Date: "...), date()...), "\r\n"...)
	}
	if n, err := strconv.ParseInt(a.header.Get("Content-Length"), 10, 64); err == nil && n >= 0 {
		a.length = n
	}
}

// announce records the names in a Trailer header.
func (a *answer) announce(lines []string) {
	a.late.trailing = len(lines) > 0
	for _, line := range lines {
		for name := range strings.SplitSeq(line, ",") {
			name = http.CanonicalHeaderKey(textproto.TrimString(name))
			if name != "" && !strings.HasPrefix(name, "If-") && !slices.Contains(noTrailers, name) {
				a.trailers = append(a.trailers, name)
			}
		}
	}
}

// noTrailers are headers that have no meaning after a body (RFC 9110, 6.5.1).
var noTrailers = []string{
	"Authorization", "Cache-Control", "Connection", "Content-Encoding", "Content-Length", "Content-Range",
	"Content-Type", "Expect", "Host", "Keep-Alive", "Max-Forwards", "Pragma", "Proxy-Authenticate",
	"Proxy-Authorization", "Proxy-Connection", "Range", "Realm", "Te", "Trailer", "Transfer-Encoding", "Www-Authenticate",
}

// commit completes the head, now that the start of the body, p, is known.
func (a *answer) commit(p []byte) {
	if a.committed {
		return
	}
	a.committed = true
	isHead, bodied := a.request.Method == http.MethodHead, hasBody(a.status)
	coding := first(a.late.coding)
	if a.done && !a.late.trailing && coding == "" && bodied && a.late.contentLength == nil && (!isHead || len(p) > 0) {
		a.length = int64(len(p))
		a.out = append(a.out, "Content-Length: "...)
		a.out = append(strconv.AppendInt(a.out, a.length, 10), "\r\n"...)
	}
	if a.request.Close || first(a.late.connection) == "close" || a.conn.last() {
		a.last = true
	}
	if a.body != nil && !a.last && !a.duplex {
		a.last, a.tooLarge = a.body.prepare()
	}
	switch {
	case a.late.typed && a.status != http.StatusNotModified:
		a.appendField("Content-Type", a.late.contentType)
	case !a.late.typed && bodied && coding == "" && !a.late.encoded && len(p) > 0:
		a.appendField("Content-Type", []string{http.DetectContentType(p)})
	}
	a.frame(coding, isHead, bodied)
	switch {
	case !a.last:
		a.appendField("Connection", a.late.connection)
	case a.tooLarge || !hasClose(a.late.connection):
		a.out = append(a.out, "Connection: close\r\n"...)
	default:
		a.appendField("Connection", a.late.connection)
	}
	a.out = append(a.out, "\r\n"...)
}

// frame decides how the client finds the end of the body, and writes the header for it.
func (a *answer) frame(coding string, isHead, bodied bool) {
	switch {
	case !bodied, isHead && a.length >= 0 && coding != "" && coding != "identity":
		return
	case isHead, a.length >= 0 && (coding == "" || coding == "identity"):
		a.appendField("Content-Length", a.late.contentLength)
	case coding == "identity":
		a.last = true
		a.appendField("Content-Length", a.late.contentLength)
	default:
		a.chunked = true
		a.out = append(a.out, "Transfer-Encoding: chunked\r\n"...)
	}
}

// appendStatus writes the status line.
func (a *answer) appendStatus(status int) {
	if status == http.StatusOK {
		a.out = append(a.out, "HTTP/1.1 200 OK\r\n"...)
		return
	}
	a.out = append(a.out, "HTTP/1.1 "...)
	a.out = append(strconv.AppendInt(a.out, int64(status), 10), ' ')
	if text := http.StatusText(status); text != "" {
		a.out = append(a.out, text...)
	} else {
		a.out = strconv.AppendInt(append(a.out, "status code "...), int64(status), 10)
	}
	a.out = append(a.out, "\r\n"...)
}

var lineEnds = strings.NewReplacer("\n", " ", "\r", " ")

// appendField writes the lines of a header. It leaves out invalid names, and replaces line ends in
// values.
func (a *answer) appendField(name string, values []string) {
	if len(values) == 0 || !http1.IsToken(name) {
		return
	}
	for _, value := range values {
		if strings.IndexByte(value, '\n') >= 0 || strings.IndexByte(value, '\r') >= 0 {
			value = lineEnds.Replace(value)
		}
		a.out = append(append(a.out, name...), ": "...)
		a.out = append(append(a.out, textproto.TrimString(value)...), "\r\n"...)
	}
}

func first(values []string) string {
	if len(values) == 0 {
		return ""
	}
	return values[0]
}

// hasClose reports whether a Connection header ends the connection.
func hasClose(values []string) bool {
	for part := range strings.SplitSeq(first(values), ",") {
		if strings.EqualFold(textproto.TrimString(part), "close") {
			return true
		}
	}
	return false
}

// stamp is the value of a Date header, and the second for which it is valid.
type stamp struct {
	second int64
	text   string
}

var stamps atomic.Pointer[stamp]

// date returns the current time in the form of a Date header.
func date() string {
	now := time.Now()
	s := stamps.Load()
	if s == nil || s.second != now.Unix() {
		s = &stamp{now.Unix(), now.UTC().Format(http.TimeFormat)}
		stamps.Store(s)
	}
	return s.text
}
