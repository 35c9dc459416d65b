package logline_test

import (
	"bytes"
	"context"
	"log/slog"
	"math"
	"testing"
	"time"

	"stoa/internal/base/logline"
)

// both writes a record as Line and as log/slog do.
func both(t *testing.T, f logline.Format, at time.Time, text string, n int64, d time.Duration) (ours, theirs string) {
	t.Helper()
	var written bytes.Buffer
	r := &logline.Records{Writer: logline.NewWriter(&written, nil), Format: f}
	line := r.Begin(at, "plugin call")
	line.Text("none", "")
	line.Text("text", text)
	line.Int("n", n)
	line.Milliseconds("ms", d)
	var out bytes.Buffer
	var h slog.Handler = slog.NewTextHandler(&out, nil)
	if f == logline.JSON {
		h = slog.NewJSONHandler(&out, nil)
	}
	record := slog.NewRecord(at, slog.LevelInfo, "plugin call", 0)
	record.AddAttrs(slog.String("none", ""), slog.String("text", text), slog.Int64("n", n),
		slog.Float64("ms", float64(d.Microseconds())/1000))
	if err := h.Handle(context.Background(), record); err != nil {
		t.Fatal(err)
	}
	r.PutLine(line)
	r.Flush()
	return written.String(), out.String()
}

func FuzzALineIsThatOfSlog(f *testing.F) {
	for _, text := range []string{"", "/api/a%2Fb", "a b", `"`, `\`, "=", "<&>'", "\x00", "\x7f", "é", "\xff", "~!"} {
		f.Add(text, int64(1_700_000_000_000_000_000), 3600, int64(200), int64(1_234_567))
	}
	f.Add("x", int64(0), 0, int64(math.MinInt64), int64(0))
	f.Add("x", int64(999_999_999), -12345, int64(-1), int64(1_000))
	f.Add("x", int64(1), 1, int64(0), int64(999_999_999_999)) // 1 µs below what has an exponent
	f.Add("x", int64(1), 1, int64(0), int64(1_000_000_000_000))
	f.Add("x", int64(1), 1, int64(0), int64(1_234_567_000_000_000))
	f.Add("x", int64(1), 1, int64(0), int64(-5_000_000))
	f.Fuzz(func(t *testing.T, text string, ns int64, zone int, n, took int64) {
		at := time.Unix(0, ns).In(time.FixedZone("", zone%(14*3600)))
		if text != "" && !logline.IsPlain(text) {
			text = "plain"
		}
		for _, format := range []logline.Format{logline.Text, logline.JSON} {
			if ours, theirs := both(t, format, at, text, n, time.Duration(took)); ours != theirs {
				t.Errorf("got  %q\nwant %q", ours, theirs)
			}
		}
	})
}

// Each character alone: what IsPlain takes, no format may quote.
func TestPlainTextsAreNeverQuoted(t *testing.T) {
	t.Parallel()
	taken := 0
	for c := range 256 {
		text := string([]byte{'a', byte(c)})
		if !logline.IsPlain(text) {
			continue
		}
		taken++
		for _, format := range []logline.Format{logline.Text, logline.JSON} {
			if ours, theirs := both(t, format, time.Unix(0, 0).UTC(), text, 1, 1); ours != theirs {
				t.Errorf("got  %q\nwant %q", ours, theirs)
			}
		}
	}
	if taken != '~'-'!'+1-3 {
		t.Errorf("%d characters are plain", taken)
	}
}
