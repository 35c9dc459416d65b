package password

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// A busy minute must not leave the process hundreds of MiB larger.
func TestMemoryGoesBackWhenNobodyHashes(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		h := NewHasher(Params{MemoryKiB: minGiveBack, Time: 1, Threads: 1, SaltLen: 16, KeyLen: 32}, Limits{})
		var freed atomic.Int32
		h.idle = time.AfterFunc(time.Hour, func() { h.giveBack(func() { freed.Add(1) }) })
		for range 3 {
			if _, err := h.Hash(t.Context(), "secret"); err != nil {
				t.Fatal(err)
			}
			time.Sleep(idleAfter - 1)
		}
		synctest.Wait()
		if freed := freed.Load(); freed != 0 {
			t.Errorf("memory was given back %d times between hashes, want none", freed)
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		if freed := freed.Load(); freed != 1 {
			t.Errorf("memory was given back %d times after the last hash, want once", freed)
		}
	})

	if h := NewHasher(Params{MemoryKiB: minGiveBack - 1, Time: 1, Threads: 1, SaltLen: 16, KeyLen: 32},
		Limits{}); h.idle != nil {
		t.Error("small hashes are not worth a garbage collection")
	}
}
