package child

import (
	"log/slog"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"stoa/internal/base/pace"
	"stoa/internal/base/redact"
	"stoa/internal/testkit/logtest"
)

func TestOutputIsBoundedInLengthAndRate(t *testing.T) {
	t.Parallel()
	log := new(logtest.Buffer)
	now := time.Now()
	o := NewOutput(log.Logger(), PluginSays, redact.Secrets(nil))
	o.now, o.allowed = func() time.Time { return now }, pace.NewBucket(linesPerSec, linesBurst, now)
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
	o.Write([]byte(strings.Repeat("x", 2*readLimit)))
	if len(o.line) > readLimit {
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
		log := new(logtest.Buffer)
		o := NewOutput(log.Logger(), PluginSays, redact.Secrets([]string{"secret-value"}))
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
	if got := Clip("abcü", 4); got != "abc…" || !utf8.ValidString(got) {
		t.Errorf("got %q", got)
	}
	if got := Clip("abc", 3); got != "abc" {
		t.Errorf("got %q", got)
	}
}
