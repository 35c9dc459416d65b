package logline_test

import (
	"bytes"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"stoa/internal/base/logline"
)

func TestLinesAreWrittenTogetherAndSoon(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var out writes
		w := logline.NewWriter(&out, nil)
		w.Put([]byte("a\n"))
		w.Put([]byte("b\n"))
		if got := out.all(); len(got) > 0 {
			t.Errorf("written at once: %q", got)
		}
		time.Sleep(100 * time.Millisecond)
		synctest.Wait()
		if got := out.all(); len(got) != 1 || got[0] != "a\nb\n" {
			t.Errorf("written after 100 ms: %q", got)
		}
		w.Put([]byte("c\n"))
		time.Sleep(100 * time.Millisecond)
		synctest.Wait()
		if got := out.all(); len(got) != 2 || got[1] != "c\n" {
			t.Errorf("written after that: %q", got)
		}
	})
}

func TestOtherRecordsLeaveAtOnceAndInOrder(t *testing.T) {
	t.Parallel()
	var out writes
	w := logline.NewWriter(&out, nil)
	w.Put([]byte("a\n"))
	if n, err := w.Write([]byte("b\n")); n != 2 || err != nil {
		t.Errorf("Write = %d, %v", n, err)
	}
	w.Put([]byte("c\n"))
	_, _ = fmt.Fprint(w.Later(), "d\n")
	w.Flush()
	if got := strings.Join(out.all(), ""); got != "a\nb\nc\nd\n" {
		t.Errorf("written %q", got)
	}
}

// What reads the log may stop reading. Calls go on, with bounded memory, and what was lost is counted.
func TestALogThatTakesNothingDelaysNoCall(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		out := writes{taken: make(chan struct{})}
		var lost []uint64
		w := logline.NewWriter(&out, func(n uint64) { lost = append(lost, n) })
		line := bytes.Repeat([]byte("x"), 1<<10)
		const most, beyond = 4 << 10, 7
		put := func(n int) {
			for range n {
				w.Put(line)
			}
		}
		put(1)
		time.Sleep(time.Second) // now a write is blocked, with one line
		synctest.Wait()
		put(most)
		if got := w.Lost(); got != 0 {
			t.Errorf("%d lines lost at the limit", got)
		}
		put(beyond)
		if got := w.Lost(); got != beyond {
			t.Errorf("%d lines lost, want %d", got, beyond)
		}
		close(out.taken)
		time.Sleep(time.Second)
		synctest.Wait()
		if got := len(strings.Join(out.all(), "")); got != (1+most)<<10 {
			t.Errorf("%d bytes were written", got)
		}
		if fmt.Sprint(lost) != "[7]" {
			t.Errorf("told of %d", lost)
		}
	})
}

func TestParallelLinesStayWhole(t *testing.T) {
	t.Parallel()
	var out writes
	w := logline.NewWriter(&out, nil)
	var all sync.WaitGroup
	const writers, lines = 8, 500
	for i := range writers {
		all.Go(func() {
			for n := range lines {
				line := fmt.Appendf(nil, "%d %d %s\n", i, n, strings.Repeat("x", n))
				if n%50 == 0 {
					_, _ = w.Write(line)
				} else {
					w.Put(line)
				}
			}
		})
	}
	all.Wait()
	w.Flush()
	next := make([]int, writers)
	for line := range strings.Lines(strings.Join(out.all(), "")) {
		var i, n int
		if _, err := fmt.Sscan(line, &i, &n); err != nil || n != next[i] || len(line) != len(fmt.Sprintf("%d %d \n", i, n))+n {
			t.Fatalf("%v: %q, want number %d", err, line, next[i])
		}
		next[i]++
	}
	for i, n := range next {
		if n != lines {
			t.Errorf("writer %d: %d lines", i, n)
		}
	}
}

// writes keeps what is written. With taken, each write waits for it.
type writes struct {
	taken chan struct{}
	mu    sync.Mutex
	got   []string
}

func (w *writes) Write(p []byte) (int, error) {
	if w.taken != nil {
		<-w.taken
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.got = append(w.got, string(p))
	return len(p), nil
}

func (w *writes) all() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.got
}
