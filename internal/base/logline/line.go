package logline

import (
	"encoding/json"
	"strconv"
	"sync"
	"time"
)

// Format is a format of log/slog.
type Format int

// The formats of slog.TextHandler and slog.JSONHandler.
const (
	Text Format = iota
	JSON
)

// Line is a record of level INFO in the making. Its values must be plain: see IsPlain.
type Line struct {
	format Format
	b      []byte
}

var lines = sync.Pool{New: func() any { return &Line{b: make([]byte, 0, 768)} }}

// Begin starts a line with the time and the message of the record. PutLine ends it.
func (r *Records) Begin(at time.Time, msg string) *Line {
	l := lines.Get().(*Line) //nolint:forcetypeassert // nothing else is put there
	l.format = r.Format
	l.begin(at, msg)
	return l
}

// PutLine ends a line and writes it as Put does. The line must not be used again.
func (r *Records) PutLine(l *Line) {
	if l.format == JSON {
		l.b = append(l.b, '}')
	}
	l.b = append(l.b, '\n')
	r.Put(l.b)
	lines.Put(l)
}

func (l *Line) begin(at time.Time, msg string) {
	if l.format == JSON {
		b := append(l.b[:0], `{"time":"`...)
		b = at.AppendFormat(b, time.RFC3339Nano)
		b = append(b, `","level":"INFO","msg":"`...)
		b = append(b, msg...)
		l.b = append(b, '"')
		return
	}
	b := append(l.b[:0], "time="...)
	b = appendMilliseconds(b, at)
	b = append(b, ` level=INFO msg=`...)
	if IsPlain(msg) {
		l.b = append(b, msg...)
		return
	}
	l.b = strconv.AppendQuote(b, msg)
}

// appendMilliseconds appends t in RFC 3339 with three digits of the second.
func appendMilliseconds(b []byte, t time.Time) []byte {
	const toSecond = len("2006-01-02T15:04:05")
	n := len(b)
	b = append(t.AppendFormat(b, time.RFC3339), "...."...)
	copy(b[n+toSecond+4:], b[n+toSecond:]) // the zone moves
	ms := t.Nanosecond() / 1e6
	b[n+toSecond] = '.'
	digits := b[n+toSecond+1:]
	digits[0], digits[1], digits[2] = byte('0'+ms/100), byte('0'+ms/10%10), byte('0'+ms%10) //nolint:gosec // below 1000
	return b
}

// key appends the name of a value.
func (l *Line) key(name string) {
	if l.format == JSON {
		l.b = append(append(append(l.b, `,"`...), name...), `":`...)
		return
	}
	l.b = append(append(append(l.b, ' '), name...), '=')
}

// Text adds a text, which must be plain or empty.
func (l *Line) Text(name, value string) {
	l.key(name)
	if l.format == JSON || value == "" {
		l.b = append(append(append(l.b, '"'), value...), '"')
		return
	}
	l.b = append(l.b, value...)
}

// Int adds a number.
func (l *Line) Int(name string, value int64) {
	l.key(name)
	l.b = strconv.AppendInt(l.b, value, 10)
}

// Milliseconds adds a duration as a number of milliseconds, to the microsecond.
func (l *Line) Milliseconds(name string, d time.Duration) {
	l.key(name)
	l.b = l.appendMillis(l.b, d)
}

func (l *Line) appendMillis(b []byte, d time.Duration) []byte {
	us := d.Microseconds()
	switch {
	case us >= 0 && us < 1e9: // no exponent in either format
		b = strconv.AppendInt(b, us/1000, 10)
		if us %= 1000; us == 0 {
			return b
		}
		b = append(b, '.', byte('0'+us/100), byte('0'+us/10%10), byte('0'+us%10))
		for b[len(b)-1] == '0' {
			b = b[:len(b)-1]
		}
		return b
	case l.format == JSON:
		number, _ := json.Marshal(float64(us) / 1000) // finite
		return append(b, number...)
	}
	return strconv.AppendFloat(b, float64(us)/1000, 'g', -1, 64)
}

// IsPlain reports whether both formats write a text as it is. Only such texts may be added to a Line.
func IsPlain(s string) bool {
	for i := range len(s) {
		if !plain[s[i]] {
			return false
		}
	}
	return true
}

// plain are the characters of plain texts: visible ASCII without what text or JSON quote.
var plain = func() (set [256]bool) {
	for c := '!'; c <= '~'; c++ {
		set[c] = c != '"' && c != '\\' && c != '='
	}
	return set
}()
