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

// output is a Writer that turns a process's output into log records. Only one
// goroutine may use it.
type output struct {
	log    *slog.Logger
	redact func(string) string
	now    func() time.Time

	line    []byte // the start of a line that has not ended yet
	tokens  float64
	filled  time.Time
	dropped int
}

func newOutput(log *slog.Logger, redact func(string) string) *output {
	return &output{log: log, redact: redact, now: time.Now, tokens: linesBurst, filled: time.Now()}
}

// Write implements io.Writer. It never fails, lest the process block on a full
// pipe.
func (o *output) Write(b []byte) (int, error) {
	n := len(b)
	for {
		i := bytes.IndexByte(b, '\n')
		part := b
		if i >= 0 {
			part = b[:i]
		}
		o.line = append(o.line, part[:min(len(part), lineLimit-len(o.line))]...)
		if i < 0 {
			return n, nil
		}
		o.emit(o.line)
		o.line, b = o.line[:0], b[i+1:]
	}
}

func (o *output) emit(line []byte) {
	line = bytes.TrimSpace(line)
	if len(line) == 0 || !o.allow() {
		return
	}
	level, text, problem := parseLine(line)
	attrs := []slog.Attr{slog.String("text", clip(o.redact(text), lineLimit))}
	if problem != "" {
		attrs = append(attrs, slog.String("err", clip(o.redact(problem), lineLimit)))
	}
	o.log.LogAttrs(context.Background(), level, "plugin says", attrs...)
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

// parseLine reads a line of Fastify's logger (pino). It returns any other line as
// the text.
func parseLine(line []byte) (level slog.Level, text, problem string) {
	var entry struct {
		Level int    `json:"level"`
		Msg   string `json:"msg"`
		Err   struct {
			Message string `json:"message"`
			Stack   string `json:"stack"`
		} `json:"err"`
	}
	if line[0] != '{' || json.Unmarshal(line, &entry) != nil || entry.Level == 0 {
		return slog.LevelInfo, string(line), ""
	}
	problem = entry.Err.Stack
	if problem == "" {
		problem = entry.Err.Message
	}
	switch {
	case entry.Level >= 50:
		level = slog.LevelError
	case entry.Level >= 40:
		level = slog.LevelWarn
	case entry.Level >= 30:
		level = slog.LevelInfo
	default:
		level = slog.LevelDebug
	}
	if entry.Msg == "" && problem == "" {
		return level, string(line), "" // fields only
	}
	return level, entry.Msg, problem
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
