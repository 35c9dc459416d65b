package child

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"stoa/internal/base/pace"
)

// Bounds on what the output of a child adds to stoa's log.
const (
	lineLimit   = 4 << 10  // bytes of each text in a line
	readLimit   = 16 << 10 // bytes of a line; the rest of it is dropped
	linesPerSec = 20       // on average
	linesBurst  = 200      // at once

	// saidEvery is how often the log says that lines were dropped, while more and more are.
	saidEvery = 10 * time.Second
)

// Output is a Writer that turns what a child prints into log records. A line that the log does
// not take costs next to nothing: it is counted, and neither parsed nor searched for secrets.
// Only one goroutine may use an Output.
type Output struct {
	log    *slog.Logger
	says   string // the message of the records
	redact func(string) string
	now    func() time.Time

	// route returns the Output that a line belongs to and the line without its mark; nil
	// for a mark alone. A nil route keeps all lines.
	route func(line []byte) (*Output, []byte)

	limit int    // bytes of a line
	line  []byte // the start of a line that has not ended yet

	allowed *pace.Bucket
	dropped int           // lines since the log said so
	said    time.Time     // when it did
	lost    *atomic.Int64 // counts all dropped lines; may be nil

	fatal  *Error
	unread []byte // a dropped line that may be of a fatal error
}

// NewOutput returns an Output that writes to log. says is the message of its records,
// and redact removes secrets from them (redact.Secrets).
func NewOutput(log *slog.Logger, says string, redact func(string) string) *Output {
	return &Output{
		log: log, says: says, redact: redact, now: time.Now, limit: readLimit,
		allowed: pace.NewBucket(linesPerSec, linesBurst, time.Now()),
	}
}

// CountLost makes o add the number of lines that it drops to lost.
func (o *Output) CountLost(lost *atomic.Int64) { o.lost = lost }

// Route makes o pass lines on to other Outputs, for a child that serves several. A line
// may begin with a mark of at most markLimit bytes. to returns the Output that a line
// belongs to, o among them, and the line without its mark; nil for a mark alone.
func (o *Output) Route(markLimit int, to func(line []byte) (*Output, []byte)) {
	o.route, o.limit = to, readLimit+markLimit
}

// Redact removes secrets from a text of the child.
func (o *Output) Redact(text string) string { return o.redact(text) }

// Fatal returns the last fatal error that the child printed, or nil. It may be called
// once the child has exited.
func (o *Output) Fatal() *Error { return o.fatal }

// Write implements io.Writer. It cuts what is written into lines and drops the rest of
// long ones. It never fails, lest the child block on a full pipe.
func (o *Output) Write(b []byte) (int, error) {
	n := len(b)
	for {
		i := bytes.IndexByte(b, '\n')
		part := b
		if i >= 0 {
			part = b[:i]
		}
		o.line = append(o.line, part[:min(len(part), o.limit-len(o.line))]...)
		if i < 0 {
			return n, nil
		}
		o.emitRouted(o.line)
		o.line, b = o.line[:0], b[i+1:]
	}
}

func (o *Output) emitRouted(line []byte) {
	to := o
	if o.route != nil {
		to, line = o.route(line)
	}
	if to != nil {
		to.emit(line)
	}
}

func (o *Output) emit(text []byte) {
	text = bytes.TrimSpace(text)
	if len(text) == 0 {
		return
	}
	now := o.now()
	if !o.allowed.Has(now) {
		o.drop(text)
		return
	}
	if o.dropped > 0 && now.Sub(o.said) >= saidEvery {
		o.sayDropped(now)
	}
	l := o.read(text)
	o.log.LogAttrs(context.Background(), l.level, o.says, l.attrs()...)
}

// read parses a line and removes secrets from it.
func (o *Output) read(text []byte) line {
	l := parseLine(text)
	l.text, l.problem = Clip(o.redact(l.text), lineLimit), Clip(o.redact(l.problem), lineLimit)
	if l.fatal {
		o.unread = nil // an older one
		o.fatal = &Error{
			Message: Clip(o.redact(l.message), MessageLimit), stack: l.problem, File: l.file, Line: l.line,
		}
	}
	return l
}

// fatalBegin begins the lines of fatal errors, as the host program and pino write them.
var fatalBegin = fmt.Appendf(nil, `{"level":%d,`, pinoFatal)

// drop counts a line. It keeps the last that may say why the process ends.
func (o *Output) drop(text []byte) {
	o.dropped++
	if o.lost != nil {
		o.lost.Add(1)
	}
	if bytes.HasPrefix(text, fatalBegin) {
		o.unread = append(o.unread[:0], text...)
	}
}

func (o *Output) sayDropped(now time.Time) {
	o.log.Warn("plugin printed too much", slog.Int("droppedLines", o.dropped))
	o.dropped, o.said = 0, now
}

// Ended takes a last line that has no end, and says what was dropped since the log said so. Call it
// when nothing more comes.
func (o *Output) Ended() {
	if len(o.line) > 0 {
		o.emitRouted(o.line)
		o.line = o.line[:0]
	}
	if o.unread != nil {
		o.read(o.unread)
	}
	if o.dropped > 0 {
		o.sayDropped(o.now())
	}
}

// line is one line that a child printed.
type line struct {
	level   slog.Level
	text    string
	problem string // stack of an error, or its message
	message string // what the error says
	fatal   bool   // the process ends with it

	requestID string
	file      string // of the package
	line      int
}

func (l line) attrs() []slog.Attr {
	attrs := []slog.Attr{slog.String("text", l.text)}
	if l.problem != "" {
		attrs = append(attrs, slog.String("err", l.problem))
	}
	if l.file != "" {
		attrs = append(attrs, slog.String("file", l.file), slog.Int("line", l.line))
	}
	if l.requestID != "" {
		attrs = append(attrs, slog.String("requestId", l.requestID))
	}
	return attrs
}

// Levels of Fastify's logger (pino).
const (
	pinoInfo  = 30
	pinoWarn  = 40
	pinoError = 50
	pinoFatal = 60
)

// parseLine reads a line of Fastify's logger (pino). It returns any other line as
// the text.
func parseLine(raw []byte) line {
	var entry struct {
		Level int    `json:"level"`
		Msg   string `json:"msg"`
		ReqID string `json:"reqId"`
		File  string `json:"file"`
		Line  int    `json:"line"`
		Err   struct {
			Message string `json:"message"`
			Stack   string `json:"stack"`
		} `json:"err"`
	}
	if raw[0] != '{' || json.Unmarshal(raw, &entry) != nil || entry.Level == 0 {
		return line{level: slog.LevelInfo, text: string(raw)}
	}
	l := line{
		level: levelOf(entry.Level), text: entry.Msg, problem: entry.Err.Stack, message: entry.Err.Message,
		fatal:     entry.Level >= pinoFatal && entry.Err.Message != "",
		requestID: Clip(entry.ReqID, 64), file: Clip(entry.File, 256), line: entry.Line,
	}
	if l.problem == "" {
		l.problem = l.message
	}
	if l.text == "" && l.problem == "" {
		l.text = string(raw) // fields only
	}
	return l
}

func levelOf(pino int) slog.Level {
	switch {
	case pino >= pinoError:
		return slog.LevelError
	case pino >= pinoWarn:
		return slog.LevelWarn
	case pino >= pinoInfo:
		return slog.LevelInfo
	}
	return slog.LevelDebug
}

// Clip returns at most limit bytes of s, in valid UTF-8.
func Clip(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	for limit > 0 && !utf8.RuneStart(s[limit]) {
		limit--
	}
	return s[:limit] + "…"
}
