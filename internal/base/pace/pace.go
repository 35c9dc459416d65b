// Package pace makes what others cause cost no more than a rate: who asks for more, waits.
package pace

import "time"

// Bucket holds what may be taken at once, and fills at a rate. Only one goroutine may use it.
type Bucket struct {
	rate, most float64
	left       float64 // negative: taken ahead of time
	filled     time.Time
}

// NewBucket returns a full Bucket that fills by rate a second, up to most.
func NewBucket(rate, most float64, now time.Time) *Bucket {
	return &Bucket{rate: rate, most: most, left: most, filled: now}
}

func (b *Bucket) fill(now time.Time) {
	b.left = min(b.most, b.left+now.Sub(b.filled).Seconds()*b.rate)
	b.filled = now
}

// Take takes n, and returns how long to wait until that much is there.
func (b *Bucket) Take(n int, now time.Time) time.Duration {
	b.fill(now)
	b.left -= float64(n)
	if b.left >= 0 {
		return 0
	}
	return time.Duration(-b.left / b.rate * float64(time.Second))
}

// Return gives back n that were taken and not used.
func (b *Bucket) Return(n int) { b.left = min(b.most, b.left+float64(n)) }

// Has takes one if it is there, and reports whether it was.
func (b *Bucket) Has(now time.Time) bool {
	b.fill(now)
	if b.left < 1 {
		return false
	}
	b.left--
	return true
}
