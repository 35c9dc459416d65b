package child

import (
	"bytes"
	"io"
	"time"

	"stoa/internal/base/pace"
)

// How much of a child's output stoa reads per second, and at most in one burst. A child that writes more
// fills the pipe and waits until stoa reads on. So it never waits for good, and costs stoa only a
// bounded share of a processor.
const (
	outputBytes = 4 << 20 // of what it prints; of its lines, the log takes far fewer
	outputLines = 20_000
	reportBytes = 256 << 10 // of its reports and signs of life
	reportLines = 1_000
)

// drain is a Reader of a child's pipe that returns no more than a rate.
type drain struct {
	io.Reader

	bytes, lines *pace.Bucket
	ended        <-chan struct{} // closed when the child has ended: what is left is little
	now          func() time.Time
	after        func(time.Duration) <-chan time.Time
	wait         time.Duration // before the next read
}

func newDrain(r io.Reader, size, lines float64, ended <-chan struct{}) *drain {
	now := time.Now()
	return &drain{
		Reader: r, bytes: pace.NewBucket(size, size, now), lines: pace.NewBucket(lines, lines, now), ended: ended,
		now: time.Now, after: time.After,
	}
}

// Read implements io.Reader.
func (d *drain) Read(b []byte) (int, error) {
	if d.wait > 0 {
		select {
		case <-d.after(d.wait):
		case <-d.ended:
		}
	}
	n, err := d.Reader.Read(b)
	now := d.now()
	d.wait = max(d.bytes.Take(n, now), d.lines.Take(bytes.Count(b[:n], []byte{'\n'}), now))
	return n, err
}
