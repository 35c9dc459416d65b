package account

import (
	"crypto/sha256"
	"encoding/binary"
	"sync"
	"testing"
)

func sum(n int) [sha256.Size]byte {
	return sha256.Sum256(binary.AppendUvarint(nil, uint64(n)))
}

func TestVerifiedTokensAreBounded(t *testing.T) {
	t.Parallel()

	v := newVerifiedTokens()
	for i := range 5 * maxVerified {
		v.Put(sum(i), verified{key: "k"})
		if _, ok := v.Get(sum(0)); !ok {
			t.Fatalf("an entry in use was forgotten after %d others", i)
		}
	}
	if n := v.Len(); n > maxVerified {
		t.Errorf("%d entries, want %d or fewer", n, maxVerified)
	}
	if _, ok := v.Get(sum(1)); ok {
		t.Error("an entry that nobody used is still there")
	}
	v.Remove(sum(0))
	if _, ok := v.Get(sum(0)); ok {
		t.Error("an entry that was removed is still there")
	}
}

func TestVerifiedTokensUnderConcurrentUse(t *testing.T) {
	t.Parallel()

	v := newVerifiedTokens()
	var wg sync.WaitGroup
	for w := range 4 {
		wg.Go(func() {
			for i := range maxVerified {
				n := i * (w + 1)
				v.Put(sum(n), verified{key: string(rune(n))})
				if e, ok := v.Get(sum(n)); ok && e.key != string(rune(n)) {
					t.Errorf("entry %d is another's", n)
				}
				if i%7 == 0 {
					v.Remove(sum(n))
				}
			}
		})
	}
	wg.Wait()
}
