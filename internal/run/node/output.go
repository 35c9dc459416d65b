package node

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"time"
	"unicode/utf8"
)

// Bounds on what a plugin's output adds to stoa's log.
const (
	lineLimit   = 4 << 10 // bytes of a line; the rest of it is dropped
	linesPerSec = 20      // on average
	linesBurst  = 200     // at once
)

// messagePlugin is the message of the records of what a plugin printed.
const messagePlugin = "plugin says"

// lines is a Writer that cuts what is written into lines of at most limit bytes; the
// rest of a longer one is dropped. Only one goroutine may use it.
type lines struct {
	limit int
	emit  func(line []byte)
	line  []byte // the start of a line that has not ended yet
}

// Write implements io.Writer. It never fails, lest the process block on a full
// pipe.
func (l *lines) Write(b []byte) (int, error) {
	n := len(b)
	for {
		i := bytes.IndexByte(b, '\n')
		part := b
		if i >= 0 {
			part = b[:i]
		}
		l.line = append(l.line, part[:min(len(part), l.limit-len(l.line))]...)
		if i < 0 {
			return n, nil
		}
		l.emit(l.line)
		l.line, b = l.line[:0], b[i+1:]
	}
}

// output is a Writer that turns a process's output into log records. Only one
// goroutine may use it.
type output struct {
	lines

	log    *slog.Logger
	says   string // the message of the records
	redact func(string) string
	now    func() time.Time

	tokens  float64
	filled  time.Time
	dropped int

	told *pluginError // the last fatal error that the host told of
}

func newOutput(log *slog.Logger, redact func(string) string) *output {
	o := &output{log: log, says: messagePlugin, redact: redact, now: time.Now, tokens: linesBurst, filled: time.Now()}
	o.lines = lines{limit: lineLimit, emit: o.emit}
	return o
}

func (o *output) emit(text []byte) {
	text = bytes.TrimSpace(text)
	if len(text) == 0 {
		return
	}
	l := parseLine(text)
	l.text, l.problem = clip(o.redact(l.text), lineLimit), clip(o.redact(l.problem), lineLimit)
	if l.fatal {
		o.told = &pluginError{
			message: clip(o.redact(l.message), messageLimit), stack: l.problem, file: l.file, line: l.line,
		}
	}
	if o.allow() {
		o.log.LogAttrs(context.Background(), l.level, o.says, l.attrs()...)
	}
}

// allow reports whether another line may be logged now.
func (o *output) allow() bool {
	now := o.now()
	o.tokens = min(linesBurst, o.tokens+now.Sub(o.filled).Seconds()*linesPerSec)
	o.filled = now
	if o.tokens < 1 {
		o.dropped++
		return false
	}
	o.tokens--
	if o.dropped > 0 {
		o.log.Warn("plugin printed too much", slog.Int("droppedLines", o.dropped))
		o.dropped = 0
	}
	return true
}

// line is one line of a plugin's output.
type line struct {
	level   slog.Level
	text    string
	problem string // stack of an error, or what it says
	message string // what it says
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
		requestID: clip(entry.ReqID, 64), file: clip(entry.File, 256), line: entry.Line,
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

// clip returns at most limit bytes of s, in valid UTF-8.
func clip(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	for limit > 0 && !utf8.RuneStart(s[limit]) {
		limit--
	}
	return s[:limit] + "…"
}
