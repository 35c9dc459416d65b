package bodies

import (
	"errors"
	"io"
	"math/bits"
	"sync"
)

// ErrFull means that a Buffer holds as many bytes as requested, and that there may be more.
var ErrFull = errors.New("bodies: there may be more to read")

// Buffers have sizes that are powers of two, so that a pooled one never uses more memory than the
// Budget counts for it.
const (
	minBits = 12 // 4 KiB
	maxBits = 20 // 1 MiB
	sizes   = maxBits - minBits + 1
)

// MaxBuffer is how many bytes a Buffer can hold.
const MaxBuffer = 1 << maxBits

var pools [sizes]sync.Pool // of *[]byte with a capacity of 1<<(minBits+i)

// sizeFor returns the index of the smallest size that holds n bytes.
func sizeFor(n int) int { return max(bits.Len(uint(max(n, 1)-1))-minBits, 0) }

func capacity(size int) int64 { return 1 << (minBits + size) }

// Buffer collects a body in memory. The caller releases it. It is not safe for
// concurrent use, except that several goroutines may read Bytes.
type Buffer struct {
	budget *Budget
	size   int
	data   *[]byte // nil until something is read
}

// NewBuffer returns an empty Buffer that counts against b.
func (b *Budget) NewBuffer() Buffer { return Buffer{budget: b} }

// Bytes returns what was read. It is valid until Release.
func (b *Buffer) Bytes() []byte {
	if b.data == nil {
		return nil
	}
	return *b.data
}

// firstRoom is the most that a body is given before its first byte arrives.
const firstRoom = 16 << 10

// Fill reads from r to its end, or returns ErrFull when the Buffer holds most bytes, which must not
// exceed MaxBuffer. It returns ErrBusy if the Budget has no room, and errors of r.
func (b *Buffer) Fill(r io.Reader, most int) error {
	if err := b.grow(sizeFor(min(most, firstRoom))); err != nil {
		return err
	}
	for {
		held := *b.data
		if len(held) == most {
			return ErrFull
		}
		if len(held) == cap(held) {
			if err := b.grow(b.size + 1); err != nil {
				return err
			}
			held = *b.data
		}
		n, err := r.Read(held[len(held):min(cap(held), most)])
		*b.data = held[:len(held)+n]
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// grow moves the contents to a larger buffer.
func (b *Buffer) grow(size int) error {
	if err := b.budget.Take(capacity(size)); err != nil {
		return err
	}
	bigger, ok := pools[size].Get().(*[]byte)
	if !ok {
		made := make([]byte, 0, capacity(size))
		bigger = &made
	}
	*bigger = append((*bigger)[:0], b.Bytes()...)
	b.Release()
	b.data, b.size = bigger, size
	return nil
}

// Release empties the Buffer and gives its memory back.
func (b *Buffer) Release() {
	if b.data == nil {
		return
	}
	pools[b.size].Put(b.data)
	b.data = nil
	b.budget.Give(capacity(b.size))
}
