package bodies_test

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/iotest"

	"stoa/internal/base/errs"
	"stoa/internal/edge/bodies"
)

const kib, mib = 1 << 10, 1 << 20

// wantBusy fails the test unless err asks the client to try again.
func wantBusy(t *testing.T, err error) {
	t.Helper()
	e, ok := errors.AsType[*errs.Error](err)
	if !ok || !errors.Is(err, bodies.ErrBusy) || e.RetryAfter <= 0 {
		t.Errorf("got %v, want ErrBusy with a time to wait", err)
	}
}

func TestABudgetIsUsedUpToItsLastByte(t *testing.T) {
	t.Parallel()
	b := bodies.NewBudget(128 * kib)
	for range 2 {
		if err := b.Take(64 * kib); err != nil {
			t.Fatal(err)
		}
	}
	wantBusy(t, b.Take(1))
	b.Give(1)
	if err := b.Take(1); err != nil {
		t.Errorf("after one byte was given back: %v", err)
	}
}

func TestLargeBodiesLeaveRoomForSmallOnes(t *testing.T) {
	t.Parallel()
	b := bodies.NewBudget(4 * mib)
	for range 3 {
		if err := b.Take(mib); err != nil {
			t.Fatal(err)
		}
	}
	wantBusy(t, b.Take(64*kib+1))
	for range 16 {
		if err := b.Take(64 * kib); err != nil {
			t.Fatal(err)
		}
	}
	wantBusy(t, b.Take(1))
}

func TestABufferHoldsWhatWasReadAndCountsItsMemory(t *testing.T) {
	t.Parallel()
	for _, size := range []int{0, 1, 4 * kib, 4*kib + 1, 16 * kib, 16*kib + 1, 100_000, mib - 1, mib} {
		want := bytes.Repeat([]byte("abcdefg"), size/7+1)[:size]
		for name, r := range map[string]io.Reader{
			"at once": bytes.NewReader(want), "in halves": iotest.HalfReader(bytes.NewReader(want)),
			"with the end": iotest.DataErrReader(bytes.NewReader(want)),
		} {
			b := bodies.NewBudget(4 * mib)
			buf := b.NewBuffer()
			err := buf.Fill(r, bodies.MaxBuffer)
			if full := size == mib && name != "with the end"; full != errors.Is(err, bodies.ErrFull) || !full && err != nil {
				t.Errorf("%d bytes %s: %v", size, name, err)
			}
			if !bytes.Equal(buf.Bytes(), want) {
				t.Errorf("%d bytes %s: %d were read, or others", size, name, len(buf.Bytes()))
			}
			if used := b.Used(); used < int64(size) || used > max(2*int64(size), 16*kib) {
				t.Errorf("%d bytes %s: %d are counted", size, name, used)
			}
			buf.Release()
			buf.Release()
			if b.Used() != 0 {
				t.Errorf("%d bytes %s: %d are counted in the end", size, name, b.Used())
			}
		}
	}
}

// What a client announces costs nothing: only what it has sent is counted.
func TestABufferGrowsWithWhatArrives(t *testing.T) {
	t.Parallel()
	b := bodies.NewBudget(mib)
	buf := b.NewBuffer()
	defer buf.Release()
	stalled := io.MultiReader(strings.NewReader("x"), iotest.ErrReader(io.ErrNoProgress))
	if err := buf.Fill(stalled, bodies.MaxBuffer); !errors.Is(err, io.ErrNoProgress) || b.Used() > 16*kib {
		t.Errorf("%v, and %d bytes are counted", err, b.Used())
	}
}

func TestABufferBeyondTheBudgetIsRefused(t *testing.T) {
	t.Parallel()
	b := bodies.NewBudget(mib)
	buf := b.NewBuffer()
	defer buf.Release()
	// While it grows, the old memory and the new one are there.
	if err := buf.Fill(bytes.NewReader(make([]byte, 256*kib)), 256*kib); !errors.Is(err, bodies.ErrFull) {
		t.Fatal(err)
	}
	other := b.NewBuffer()
	wantBusy(t, other.Fill(bytes.NewReader(make([]byte, 512*kib+1)), bodies.MaxBuffer))
	other.Release()
	if b.Used() != 256*kib {
		t.Errorf("%d bytes are counted, want those of the first buffer", b.Used())
	}
}

func TestAReaderCountsWhatWasRead(t *testing.T) {
	t.Parallel()
	b := bodies.NewBudget(mib)
	r := b.NewReader(io.NopCloser(bytes.NewReader(make([]byte, 100*kib))))
	if _, err := io.ReadAll(r); err != nil || b.Used() != 256*kib {
		t.Errorf("%v, and %d bytes are counted", err, b.Used())
	}
	r.Release()
	r = b.NewReader(io.NopCloser(bytes.NewReader(make([]byte, mib))))
	_, err := io.ReadAll(r)
	wantBusy(t, err)
	r.Release()
	if b.Used() != 0 {
		t.Errorf("%d bytes are counted in the end", b.Used())
	}
}

func TestNoBudgetIsNoBound(t *testing.T) {
	t.Parallel()
	var b *bodies.Budget
	buf := b.NewBuffer()
	if err := buf.Fill(bytes.NewReader(make([]byte, mib)), mib); !errors.Is(err, bodies.ErrFull) {
		t.Error(err)
	}
	buf.Release()
}

func TestABudgetIsExactHoweverManyUseIt(t *testing.T) {
	t.Parallel()
	b := bodies.NewBudget(mib)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for i := range 500 {
				buf := b.NewBuffer()
				_ = buf.Fill(bytes.NewReader(make([]byte, i*200)), bodies.MaxBuffer)
				if b.Used() > mib+8*256*kib { // each counts what it asks for until it is refused
					t.Error("more is counted than was there")
				}
				buf.Release()
			}
		})
	}
	wg.Wait()
	if b.Used() != 0 {
		t.Errorf("%d bytes are counted in the end", b.Used())
	}
}
