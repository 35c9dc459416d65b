package node

import (
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

func TestOutputIsBoundedInLengthAndRate(t *testing.T) {
	t.Parallel()
	log := newLog()
	now := time.Now()
	o := newOutput(log.logger(), redactor(nil))
	o.now, o.filled = func() time.Time { return now }, now
	for range linesBurst + 50 {
		o.Write([]byte(strings.Repeat("ü", lineLimit) + "\n"))
	}
	if got := strings.Count(log.String(), "plugin says"); got != linesBurst {
		t.Errorf("%d lines were logged at once, want %d", got, linesBurst)
	}
	if longest := len(log.String()) / linesBurst; longest > lineLimit+200 {
		t.Errorf("a line took %d bytes", longest)
	}
	now = now.Add(time.Second)
	for range linesPerSec + 1 {
		o.Write([]byte("again\n"))
	}
	if got := strings.Count(log.String(), "text=again"); got != linesPerSec {
		t.Errorf("%d lines were logged after a second, want %d", got, linesPerSec)
	}
	if !strings.Contains(log.String(), "droppedLines=50") {
		t.Error("dropped lines are not counted")
	}
	if len(o.line) > lineLimit {
		t.Errorf("%d bytes are kept", len(o.line))
	}
}

func TestParseLine(t *testing.T) {
	t.Parallel()
	tests := []struct {
		line          string
		level         slog.Level
		text, problem string
	}{
		{`{"level":30,"msg":"hello"}`, slog.LevelInfo, "hello", ""},
		{`{"level":40,"msg":"careful"}`, slog.LevelWarn, "careful", ""},
		{`{"level":50,"msg":"bad","err":{"message":"m","stack":"s"}}`, slog.LevelError, "bad", "s"},
		{`{"level":60,"err":{"message":"m"}}`, slog.LevelError, "", "m"},
		{`{"level":20,"msg":"detail"}`, slog.LevelDebug, "detail", ""},
		{`{"level":30,"a":1}`, slog.LevelInfo, `{"level":30,"a":1}`, ""},
		{`{"no":"log line"}`, slog.LevelInfo, `{"no":"log line"}`, ""},
		{`{"level":"info"}`, slog.LevelInfo, `{"level":"info"}`, ""},
		{"console output", slog.LevelInfo, "console output", ""},
	}
	for _, tt := range tests {
		got := parseLine([]byte(tt.line))
		level, text, problem := got.level, got.text, got.problem
		if level != tt.level || text != tt.text || problem != tt.problem {
			t.Errorf("%s: got %v %q %q, want %v %q %q", tt.line, level, text, problem, tt.level, tt.text, tt.problem)
		}
	}
}

func FuzzOutput(f *testing.F) {
	f.Add([]byte("{\"level\":30,\"msg\":\"x\"}\nplain\n"), 3)
	f.Fuzz(func(t *testing.T, b []byte, cut int) {
		log := newLog()
		o := newOutput(log.logger(), redactor([]string{"secret-value"}))
		cut = min(max(cut, 0), len(b))
		for _, part := range [][]byte{b[:cut], b[cut:]} {
			if n, err := o.Write(part); n != len(part) || err != nil {
				t.Fatalf("wrote %d of %d, %v", n, len(part), err)
			}
		}
		if len(o.line) > lineLimit {
			t.Fatalf("%d bytes are kept", len(o.line))
		}
		if strings.Contains(log.String(), "secret-value") {
			t.Fatal("a secret was logged")
		}
	})
}

func TestClipKeepsWholeCharacters(t *testing.T) {
	t.Parallel()
	if got := clip("abcü", 4); got != "abc…" || !utf8.ValidString(got) {
		t.Errorf("got %q", got)
	}
	if got := clip("abc", 3); got != "abc" {
		t.Errorf("got %q", got)
	}
}

func TestDelaysGrowAndEnd(t *testing.T) {
	t.Parallel()
	now := time.Now()
	crash, load := errors.New("exit status 1"), &startError{reasonLoadFailed, errors.New("no")}
	var f failures
	for i := range 8 {
		f.add(crash, now)
		if got, want := f.until.Sub(now), crashDelays[min(i, len(crashDelays)-1)]; got != want {
			t.Errorf("crash %d: delay %s, want %s", i+1, got, want)
		}
	}
	later := now.Add(crashWindow)
	f.add(crash, later)
	if f.count != 1 || !f.until.Equal(later) {
		t.Errorf("a crash an hour later: count %d, delay %s", f.count, f.until.Sub(later))
	}
	for i, delay := range crashDelays[:3] {
		if delay != 0 {
			t.Errorf("crash %d of an hour delays the restart", i+1)
		}
	}
	f = failures{}
	for i := range 6 {
		f.add(load, now)
		if got, want := f.until.Sub(now), loadDelays[min(i, len(loadDelays)-1)]; got != want {
			t.Errorf("load failure %d: delay %s, want %s", i+1, got, want)
		}
	}
}
