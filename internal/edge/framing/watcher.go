package framing

import (
	"bytes"
	"strconv"
)

// watcher follows HTTP/1.1 message framing as net/http reads it. The zero value is at the start of
// a request.
type watcher struct {
	part part
	left uint64 // remaining bytes of the body or the chunk

	started bool // a request was read: HTTP/2 can no longer start
	stray   bool // there were bytes between requests that net/http may still hold
}

// part is where in a request the watcher is.
type part int

const (
	inHead part = iota
	inBody
	inChunkSize
	inChunkData
	inChunkEnd
	inTrailer
)

// verdict is the watcher's answer for the bytes it was given.
type verdict int

const (
	pass      verdict = iota // the first n bytes may be passed on
	needMore                 // the data is incomplete
	ambiguous                // the first n bytes are a head that states its length twice, or is folded
	giveUp                   // framing that net/http refuses, or not HTTP/1: watching ends
)

// maxLine is the maximum length of a line between the chunks of a body. net/http has
// the same limit.
const maxLine = 4096

// next inspects the next bytes.
func (w *watcher) next(b []byte) (n int, v verdict) {
	switch w.part {
	case inHead:
		return w.head(b)
	case inBody:
		return w.data(b, inHead), pass
	case inChunkData:
		return w.data(b, inChunkEnd), pass
	default: // lines between chunks
	}
	end := bytes.IndexByte(b, '\n')
	switch {
	case end < 0 && len(b) > maxLine:
		return 0, giveUp
	case end < 0:
		return 0, needMore
	}
	if !w.line(bytes.TrimRight(b[:end], "\r")) {
		return 0, giveUp
	}
	return end + 1, pass
}

// data returns how many bytes of b belong to the body or chunk. When it ends, the watcher moves on
// to then.
func (w *watcher) data(b []byte, then part) int {
	n := len(b)
	if uint64(n) >= w.left {
		n = int(w.left) //nolint:gosec // not more than len(b)
		w.part = then
	}
	w.left -= uint64(n)
	return n
}

// line reads a line between chunks. It returns false if the line is not valid there.
func (w *watcher) line(line []byte) bool {
	switch w.part {
	case inChunkSize:
		size, ok := chunkSize(line)
		w.left, w.part = size, inChunkData
		if size == 0 {
			w.part = inTrailer
		}
		return ok
	case inChunkEnd:
		w.part = inChunkSize
		return len(line) == 0
	default: // inTrailer
		if len(line) == 0 {
			w.part = inHead
		}
		return true
	}
}

// preface is how an HTTP/2 client starts (RFC 9113, 3.4). HTTP/2 requests cannot state their length
// twice: frames delimit them.
const preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"

// head inspects a request's head if it is complete.
func (w *watcher) head(b []byte) (n int, v verdict) {
	if !w.started {
		switch {
		case bytes.HasPrefix(b, []byte(preface)):
			return 0, giveUp
		case len(b) < len(preface) && bytes.HasPrefix([]byte(preface), b):
			return 0, needMore
		}
	}
	n = headLength(b)
	if n == 0 {
		return 0, needMore
	}
	w.started = true
	w.stray = w.stray || n < 4 // net/http waits for 4 bytes before it looks at a request
	var (
		lengths, encodings int
		length             []byte
		old, folded        bool
	)
	first := true
	for line := range bytes.SplitSeq(b[:n], []byte("\n")) {
		line = bytes.TrimRight(line, "\r")
		if first {
			old, first = bytes.HasSuffix(line, []byte(" HTTP/1.0")), false
			continue
		}
		name, value, ok := bytes.Cut(line, []byte(":"))
		switch {
		case isFolded(line):
			folded = true
		case !ok:
		case isField(name, "content-length"):
			lengths++
			length = bytes.TrimSpace(value)
		case isField(name, "transfer-encoding"):
			encodings++
		}
	}
	switch {
	case folded:
		return n, ambiguous
	case encodings > 0 && (lengths > 0 || old): // net/http ignores Transfer-Encoding in HTTP/1.0
		return n, ambiguous
	case encodings > 0:
		w.part = inChunkSize // net/http refuses lists and all encodings but chunked
	case lengths > 0:
		size, err := strconv.ParseUint(string(length), 10, 63)
		if err != nil {
			return 0, giveUp
		}
		w.left = size
		if size > 0 {
			w.part = inBody
		}
	}
	return n, pass
}

// headLength returns the length of the head at the start of b, including its empty
// line, or 0 if it is incomplete. A line may end in LF alone.
func headLength(b []byte) int {
	for at := 0; ; {
		end := bytes.IndexByte(b[at:], '\n')
		if end < 0 {
			return 0
		}
		line := bytes.TrimRight(b[at:at+end], "\r")
		at += end + 1
		if len(line) == 0 {
			return at
		}
	}
}

// isFolded reports whether a line of a head continues the one before it (RFC 9112, 5.2). net/http joins
// the two, other servers read a field of its own, or none: they may disagree about every length.
func isFolded(line []byte) bool {
	return len(line) > 0 && (line[0] == ' ' || line[0] == '\t')
}

// isField compares a field name as lenient servers do: ignoring case and surrounding white space.
func isField(name []byte, want string) bool {
	return bytes.EqualFold(bytes.TrimSpace(name), []byte(want))
}

// chunkSize reads the line before a chunk: hexadecimal digits and an optional
// extension.
func chunkSize(line []byte) (uint64, bool) {
	digits, _, _ := bytes.Cut(line, []byte(";"))
	digits = bytes.TrimRight(digits, " \t")
	if len(digits) == 0 || len(digits) > 16 {
		return 0, false
	}
	size, err := strconv.ParseUint(string(digits), 16, 64)
	return size, err == nil
}
