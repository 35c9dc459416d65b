package child

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"stoa/internal/base/pace"
	"stoa/internal/base/redact"
	"stoa/internal/testkit/logtest"
)

// TestOutputIsReadAtARate: on a played clock, reading takes as long as the bytes and the lines
// are worth, and no longer.
func TestOutputIsReadAtARate(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		text string
		want time.Duration
	}{
		"bytes":         {strings.Repeat("x", 4*outputBytes), 3 * time.Second},
		"lines":         {strings.Repeat("\n", 4*outputLines), 3 * time.Second},
		"what is usual": {strings.Repeat("hello\n", outputLines-1), 0},
	} {
		now := time.Unix(0, 0)
		waited := time.Duration(0)
		d := newDrain(strings.NewReader(tt.text), outputBytes, outputLines, nil)
		d.bytes, d.lines = pace.NewBucket(outputBytes, outputBytes, now), pace.NewBucket(outputLines, outputLines, now)
		d.now = func() time.Time { return now }
		d.after = func(wait time.Duration) <-chan time.Time {
			now, waited = now.Add(wait), waited+wait
			ready := make(chan time.Time, 1)
			ready <- now
			return ready
		}
		all, err := io.ReadAll(d)
		if err != nil || string(all) != tt.text {
			t.Errorf("%s: read %d of %d bytes, %v", name, len(all), len(tt.text), err)
		}
		if waited.Round(10*time.Millisecond) != tt.want {
			t.Errorf("%s: waited %s, want %s", name, waited, tt.want)
		}
	}
}

// TestWhatIsLeftOfAChildIsReadAtOnce: nobody waits for the rate once the child has ended.
func TestWhatIsLeftOfAChildIsReadAtOnce(t *testing.T) {
	t.Parallel()
	ended := make(chan struct{})
	close(ended)
	d := newDrain(iotest.OneByteReader(bytes.NewReader(make([]byte, 100))), 1, 1, ended)
	d.after = func(time.Duration) <-chan time.Time { return nil }
	if all, err := io.ReadAll(d); err != nil || len(all) != 100 {
		t.Errorf("read %d bytes, %v", len(all), err)
	}
}

// TestLinesBeyondTheRateAreNotParsed: what the log does not take is neither parsed nor searched
// for secrets, however much there is, and still counted.
func TestLinesBeyondTheRateAreNotParsed(t *testing.T) {
	t.Parallel()
	log, searched := new(logtest.Buffer), 0
	o := NewOutput(log.Logger(), PluginSays, func(text string) string { searched++; return text })
	now := time.Now()
	o.now, o.allowed = func() time.Time { return now }, pace.NewBucket(linesPerSec, linesBurst, now)
	const lines = linesBurst + 5000
	o.Write([]byte(strings.Repeat(`{"level":30,"msg":"x"}`+"\n", lines)))
	if searched != 2*linesBurst {
		t.Errorf("%d texts were searched for secrets, want %d", searched, 2*linesBurst)
	}
	o.Ended()
	if !strings.Contains(log.String(), "droppedLines=5000") {
		t.Errorf("the log does not say how many lines were dropped: %s", tail(log.String()))
	}
}

// TestTheReasonOfTheEndIsReadAmongDroppedLines: a process that prints too much and then fails has
// its last error in the status.
func TestTheReasonOfTheEndIsReadAmongDroppedLines(t *testing.T) {
	t.Parallel()
	o := NewOutput(new(logtest.Buffer).Logger(), PluginSays, redact.Secrets([]string{"secret-value"}))
	now := time.Now()
	o.now, o.allowed = func() time.Time { return now }, pace.NewBucket(linesPerSec, linesBurst, now)
	o.Write([]byte(strings.Repeat("x\n", linesBurst) + `{"level":60,"time":1,"msg":"m","err":{"message":"no secret-value"}}` + "\nlast\n"))
	if o.Fatal() != nil {
		t.Error("a dropped line was parsed at once")
	}
	o.Ended()
	if f := o.Fatal(); f == nil || f.Message != "no [secret]" {
		t.Errorf("the fatal error is %+v", f)
	}
}

// TestTheLastWordsNeedNoLineBreak: what a process prints before it ends is in the log, finished or not.
func TestTheLastWordsNeedNoLineBreak(t *testing.T) {
	t.Parallel()
	log := new(logtest.Buffer)
	o := NewOutput(log.Logger(), PluginSays, redact.Secrets([]string{"secret-value"}))
	o.Write([]byte("a line\nout of secret-value"))
	o.Ended()
	o.Ended() // nothing is said twice
	if n := strings.Count(log.String(), `text="out of [secret]"`); n != 1 {
		t.Errorf("the log has it %d times: %s", n, log)
	}
}

// TestTheLogSaysOnceThatLinesAreDropped, not before every line that it takes.
func TestTheLogSaysOnceThatLinesAreDropped(t *testing.T) {
	t.Parallel()
	log, now := new(logtest.Buffer), time.Now()
	o := NewOutput(log.Logger(), PluginSays, redact.Secrets(nil))
	o.now, o.allowed = func() time.Time { return now }, pace.NewBucket(linesPerSec, linesBurst, now)
	for range 9 {
		o.Write([]byte(strings.Repeat("x\n", 1000)))
		now = now.Add(time.Second)
	}
	if n := strings.Count(log.String(), "printed too much"); n != 1 {
		t.Errorf("the log says it %d times in nine seconds", n)
	}
}

func tail(s string) string { return s[max(0, len(s)-300):] }
