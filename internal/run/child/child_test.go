package child

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"stoa/internal/base/redact"
	"stoa/internal/run/sandbox"
	"stoa/internal/testkit/proctest"
	"stoa/internal/testkit/waittest"
)

func TestAChildServesUntilItIsAskedToEnd(t *testing.T) {
	t.Parallel()
	c := ready(t, serve+`const answer = (req) => req.url`)
	if got, err := ask(t, c, "/x"); got != "/x" || err != nil {
		t.Errorf("answer = %q, %v", got, err)
	}
	if err := c.Err(); err != nil || !proctest.Alive(c.PID()) {
		t.Errorf("a child that runs has ended because of %v", err)
	}
	if !c.End(time.Minute) {
		t.Error("the child did not end when it was asked to")
	}
	if _, err := ask(t, c, "/x"); err == nil {
		t.Error("the child takes connections after its end")
	}
	proctest.Gone(t, c.PID())
}

func TestAChildThatDoesNotEndInTimeIsKilled(t *testing.T) {
	t.Parallel()
	c := ready(t, serve+`const answer = () => {}; process.removeAllListeners('SIGTERM')`)
	if c.End(0) {
		t.Error("it ended")
	}
	proctest.Gone(t, c.PID())
}

func TestReadySaysWhyAChildIsNot(t *testing.T) {
	t.Parallel()
	closed := make(chan struct{})
	close(closed)
	for _, tt := range []struct {
		name, text string
		limit      time.Duration
		ending     chan struct{}
		want       string
	}{
		{name: "it ends", text: `process.exit(3)`, want: "the process ended before it was ready: exit status 3"},
		{
			name: "it closes its report", text: `require('fs').closeSync(4); setInterval(() => {}, 1000)`,
			want: "the process gave no report of its start",
		},
		{
			name: "it reports nonsense", text: `require('fs').writeSync(4, 'hello\n')`,
			want: "the process gave no readable report of its start",
		},
		{
			name: "it reports an error", want: "load: Error: no luck",
			text: `require('fs').writeSync(4, '{"error":{"phase":"load","message":"Error: no luck","line":3}}\n')`,
		},
		{name: "it is late", text: `setInterval(() => {}, 1000)`, limit: time.Millisecond, want: ErrLate.Error()},
		{name: "it is asked to end", text: `setInterval(() => {}, 1000)`, ending: closed, want: ErrAskedToEnd.Error()},
	} {
		if tt.limit == 0 {
			tt.limit = 2 * time.Minute
		}
		if err := start(t, tt.text).Ready(tt.limit, tt.ending); err == nil || err.Error() != tt.want {
			t.Errorf("%s: got %v, want %s", tt.name, err, tt.want)
		}
	}
}

// The last words of a child belong to the reason of its end.
func TestErrSaysWhyAChildEnded(t *testing.T) {
	t.Parallel()
	c := ready(t, serve+`const answer = () => {
	  fs.writeSync(1, '{"level":60,"msg":"uncaught","err":{"message":"no luck","stack":"Error: no luck\\n at x.js:1"}}\n')
	  process.exit(4)
	}`)
	if _, err := ask(t, c, "/"); err != nil && !strings.Contains(err.Error(), "reset") {
		t.Error(err)
	}
	err := exits(t, c)
	reported, ok := errors.AsType[*Error](err)
	if !ok || reported.Message != "no luck" || !strings.Contains(err.Error(), "ended on its own: exit status 4") ||
		c.Exit().Error() != "exit status 4" {
		t.Errorf("got %v and %v", err, c.Exit())
	}
}

// ticker is a clock for Clocks.Life that a test moves.
type ticker chan time.Time

func (c ticker) ticks(int, time.Duration) (<-chan time.Time, func()) { return c, func() {} }

// pass lets so many looks at the child pass. It returns early when the child is gone.
func (c ticker) pass(child *Child, looks int) {
	for range looks {
		select {
		case c <- time.Time{}:
		case <-child.Exited():
			return
		}
	}
}

func TestAChildThatBlocksItsEventLoopIsKilled(t *testing.T) {
	t.Parallel()
	c := ready(t, serve+`const answer = () => { fs.writeSync(1, 'blocked\n'); for (;;); }`)
	clock := make(ticker)
	c.Watch(Watch{Busy: func() bool { return true }, Clocks: Clocks{Life: clock.ticks}})
	go ask(t, c, "/")
	// Whatever signs of life it wrote before are seen at the first looks.
	clock.pass(c, 1000)
	if err := exits(t, c); !errors.Is(err, ErrStalled) {
		t.Errorf("got %v", err)
	}
}

func TestAChildThatShowsSignsOfLifeIsLeftAlone(t *testing.T) {
	t.Parallel()
	c := ready(t, serve+`const answer = () => new Promise(() => {})`)
	clock := make(ticker)
	c.Watch(Watch{Busy: func() bool { return true }, Clocks: Clocks{Life: clock.ticks}})
	go ask(t, c, "/") // it waits, which blocks nothing
	for range 2 * beatsPerStall {
		waittest.True(t, "another sign of life", func() bool { return c.heart.beats.Load() > 0 })
		clock.pass(c, 1)
	}
	if err := c.Err(); err != nil {
		t.Errorf("it ended: %v", err)
	}
}

// A loop can write the signs of life itself. It cannot answer.
func TestALoopThatForgesSignsOfLifeIsKilled(t *testing.T) {
	t.Parallel()
	c := ready(t, serve+`const answer = () => { for (;;) { fs.writeSync(4, '.') } }`,
		func(s *Spec) { s.Stall = 500 * time.Millisecond })
	go ask(t, c, "/")
	clock := make(ticker)
	c.Watch(Watch{
		Busy: func() bool { return true }, Clocks: Clocks{Life: clock.ticks},
		Ping: "GET / HTTP/1.0\r\n\r\n",
	})
	go func() {
		for c.Err() == nil {
			waittest.True(t, "a sign of life", func() bool { return c.heart.beats.Load() > 0 || c.Err() != nil })
			clock.pass(c, 1)
		}
	}()
	if err := exits(t, c); !errors.Is(err, ErrStalled) {
		t.Errorf("got %v", err)
	}
}

func TestAChildThatTakesTooMuchMemoryIsKilled(t *testing.T) {
	t.Parallel()
	c := ready(t, serve+`const all = []; const answer = async () => {
	  for (;;) { // what the kernel refuses is for stoa to see
    try { all.push(Buffer.alloc(8 << 20, 1)) } catch {}
    await new Promise((resolve) => setTimeout(resolve, 10))
  } }`)
	if _, err := os.Stat("/proc/" + strconv.Itoa(c.PID()) + "/statm"); err != nil {
		t.Skip("memory is only measured on Linux")
	}
	c.Watch(Watch{Busy: func() bool { return true }})
	ask(t, c, "/") // it ends during the call
	if err := exits(t, c); !errors.Is(err, ErrMemory) {
		t.Errorf("got %v", err)
	}
}

// TestAReportOutlivesItsProcess: a child reports why it fails and ends at once. On a busy machine,
// stoa reaps it before it reads.
func TestAReportOutlivesItsProcess(t *testing.T) {
	t.Parallel()
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(write, `{"error":{"phase":"load","message":"no luck"}}`+"\n"); err != nil {
		t.Fatal(err)
	}
	_ = write.Close()
	ctx, cancel := context.WithCancel(t.Context())
	cmd := exec.CommandContext(ctx, os.Args[0], "-test.run=^$")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	c := &Child{
		spec: Spec{Output: NewOutput(slog.New(slog.DiscardHandler), PluginSays, redact.Secrets(nil))},
		cmd:  cmd, cancel: cancel, contained: &sandbox.Contained{}, socket: &socket{}, report: read,
		ready: make(chan error, 1), outputs: make(chan struct{}), reported: make(chan struct{}),
		reaped: make(chan struct{}), exited: make(chan struct{}),
	}
	close(c.outputs)
	go c.wait()
	<-c.reaped
	time.Sleep(20 * time.Millisecond) // what the reader loses on a busy machine
	go c.readReport()
	var failed *Error
	if err := c.Ready(time.Minute, nil); !errors.As(err, &failed) || failed.Message != "no luck" {
		t.Errorf("got %v", err)
	}
	<-c.Exited()
}
