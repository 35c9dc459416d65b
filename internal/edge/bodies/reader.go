package bodies

import "io"

// Reader counts what is read through it, for bodies that another package buffers. Call Release when
// the body is no longer held.
type Reader struct {
	io.ReadCloser

	budget *Budget
	read   int64
	taken  int64
}

// NewReader returns a Reader of body.
func (b *Budget) NewReader(body io.ReadCloser) *Reader { return &Reader{ReadCloser: body, budget: b} }

// Read implements io.Reader. It returns ErrBusy if the Budget has no room for what was read. Bytes
// count twice: a slice that grows exists as the old and the new copy for a moment.
func (r *Reader) Read(p []byte) (int, error) {
	n, err := r.ReadCloser.Read(p)
	r.read += int64(n)
	if need := 2 * r.read; need > r.taken {
		more := capacity(sizeFor(int(need)))
		if busy := r.budget.Take(more); busy != nil {
			return 0, busy
		}
		r.budget.Give(r.taken)
		r.taken = more
	}
	return n, err
}

// Release gives back what was counted.
func (r *Reader) Release() {
	r.budget.Give(r.taken)
	r.taken = 0
}
