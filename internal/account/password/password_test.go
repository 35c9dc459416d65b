package password

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"stoa/internal/base/errs"
)

// cheap makes tests quick.
var cheap = Params{MemoryKiB: 64, Time: 1, Threads: 1, SaltLen: 16, KeyLen: 32}

func TestDefaultHashesHaveTheDocumentedParameters(t *testing.T) {
	t.Parallel()

	h := NewHasher(Default, Limits{})
	hash, err := h.Hash(t.Context(), "secret")
	if err != nil {
		t.Fatal(err)
	}
	if want := "$argon2id$v=19$m=19456,t=2,p=1$"; !strings.HasPrefix(hash, want) {
		t.Errorf("hash = %s, want prefix %s", hash, want)
	}
	match, outdated, err := h.Verify(t.Context(), hash, "secret")
	if !match || outdated || err != nil {
		t.Errorf("Verify = %v, %v, %v; want a match that is up to date", match, outdated, err)
	}
}

// From the argon2 reference implementation's test vectors.
func TestVerifyReadsTheHashesOfOthers(t *testing.T) {
	t.Parallel()

	const hash = "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc"
	match, _, err := NewHasher(cheap, Limits{}).Verify(t.Context(), hash, "password")
	if !match || err != nil {
		t.Errorf("Verify = %v, %v; want a match", match, err)
	}
}

func TestVerify(t *testing.T) {
	t.Parallel()

	h := NewHasher(cheap, Limits{})
	hash, err := h.Hash(t.Context(), "sécret\x00 ")
	if err != nil {
		t.Fatal(err)
	}
	for password, want := range map[string]bool{
		"sécret\x00 ": true, "sécret\x00": false, "se\u0301cret\x00 ": false,
		"sécret": false, "": false,
	} {
		if match, _, err := h.Verify(t.Context(), hash, password); match != want || err != nil {
			t.Errorf("Verify(%q) = %v, %v; want %v", password, match, err, want)
		}
	}
	if again, _ := h.Hash(t.Context(), "sécret\x00 "); again == hash {
		t.Error("two hashes of a password are equal: no salt")
	}
	if match, outdated, err := h.Verify(t.Context(), h.Dummy(), ""); match || outdated || err != nil {
		t.Errorf("Verify against the dummy = %v, %v, %v; want no match", match, outdated, err)
	}
}

func TestVerifyReportsWeakerParameters(t *testing.T) {
	t.Parallel()

	hash, err := NewHasher(cheap, Limits{}).Hash(t.Context(), "secret")
	if err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		raise func(*Params)
		want  bool
	}{
		"the same":    {func(*Params) {}, false},
		"more memory": {func(p *Params) { p.MemoryKiB++ }, true},
		"more time":   {func(p *Params) { p.Time++ }, true},
		"longer salt": {func(p *Params) { p.SaltLen++ }, true},
		"longer key":  {func(p *Params) { p.KeyLen++ }, true},
		"less memory": {func(p *Params) { p.MemoryKiB-- }, false},
	} {
		p := cheap
		tt.raise(&p)
		match, outdated, err := NewHasher(p, Limits{}).Verify(t.Context(), hash, "secret")
		if !match || outdated != tt.want || err != nil {
			t.Errorf("%s: Verify = %v, outdated %v, %v; want outdated %v", name, match, outdated, err, tt.want)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	t.Parallel()

	const salt, key = "c29tZXNhbHQ", "CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc"
	ok := "$argon2id$v=19$m=64,t=1,p=1$" + salt + "$" + key
	if _, err := parse(ok); err != nil {
		t.Fatalf("parse(%s) = %v", ok, err)
	}
	replace := func(old, with string) string { return strings.Replace(ok, old, with, 1) }
	for name, s := range map[string]string{
		"nothing":              "",
		"another function":     replace("argon2id", "argon2i"),
		"another version":      replace("v=19", "v=16"),
		"no memory":            replace("m=64,", ""),
		"another order":        replace("m=64,t=1", "t=1,m=64"),
		"leading zero":         replace("m=64", "m=064"),
		"a sign":               replace("t=1", "t=+1"),
		"time 0":               replace("t=1", "t=0"),
		"too much memory":      replace("m=64", "m=1048577"),
		"too much time":        replace("t=1", "t=65"),
		"too many threads":     replace("p=1", "p=17"),
		"less than 8 KiB each": replace("p=1", "p=9"),
		"beyond 32 bits":       replace("m=64", "m=4294967360"),
		"short salt":           replace(salt, "c29tZXM"),
		"short key":            replace(key, "CTFhFdXPJO1aFaMaO6Mm"),
		"long key":             replace(key, strings.Repeat("A", 87)),
		"padding":              ok + "=",
		"line break":           ok + "\n",
		"line break inside":    replace("c29t", "c29t\n"),
		"URL alphabet":         replace("CTFh", "CT-_"),
		"bits after the end":   replace("PPc", "PPd"),
		"something after it":   ok + "$",
		"something in front":   "x" + ok,
	} {
		if _, err := parse(s); !errors.Is(err, ErrHash) {
			t.Errorf("%s: parse(%q) = %v, want ErrHash", name, s, err)
		}
	}
	for name, s := range map[string]string{
		"most memory": replace("m=64", "m=1048576"),
		"most time":   replace("t=1", "t=64"),
		"8 KiB each":  replace("p=1", "p=8"),
	} {
		if _, err := parse(s); err != nil {
			t.Errorf("%s: parse(%q) = %v, want it read", name, s, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc")
	f.Add("$argon2id$v=19$m=8,t=1,p=1$AAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAA")
	f.Add("$2a$10$abc")
	f.Fuzz(func(t *testing.T, s string) {
		h, err := parse(s)
		if err != nil {
			if !errors.Is(err, ErrHash) {
				t.Errorf("parse(%q) = %v, want ErrHash", s, err)
			}
			return
		}
		if h.String() != s {
			t.Errorf("parse(%q) has a second spelling %q", s, h.String())
		}
		if p := h.params; p.MemoryKiB > maxMemoryKiB || p.Time == 0 || p.Time > maxTime || p.Threads == 0 ||
			p.Threads > maxThreads {
			t.Errorf("parse(%q) let %+v pass", s, p)
		}
	})
}

// A flood must not be able to use more memory than Parallel hashes take.
func TestHashingIsBounded(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		h := NewHasher(cheap, Limits{Parallel: 2, Waiting: 3, MaxWait: time.Second})
		release := make(chan struct{})
		running, most := 0, 0
		results := make(chan error, 6)
		begin := make(chan int, 6)
		for range 6 {
			go func() {
				results <- h.turn(t.Context(), func() {
					begin <- 1
					<-release
				})
			}()
		}
		synctest.Wait()
		running = len(begin)
		most = max(most, running)
		if most != 2 {
			t.Errorf("%d hashes run at a time, want 2", most)
		}
		select {
		case err := <-results:
			if !errors.Is(err, ErrBusy) || errs.KindOf(err) != errs.Busy {
				t.Errorf("the caller beyond the queue got %v, want ErrBusy", err)
			}
		default:
			t.Error("nobody was refused with 2 running and 4 waiting")
		}
		time.Sleep(time.Second) // of the bubble's clock: the three that wait give up
		synctest.Wait()
		for range 3 {
			if err := <-results; !errors.Is(err, ErrBusy) {
				t.Errorf("after the longest wait: %v, want ErrBusy", err)
			}
		}
		close(release)
		for range 2 {
			if err := <-results; err != nil {
				t.Error(err)
			}
		}
		if err := h.turn(t.Context(), func() {}); err != nil {
			t.Errorf("after the flood: %v", err)
		}
	})
}

func TestWaitingEndsWithTheRequest(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		h := NewHasher(cheap, Limits{Parallel: 1})
		release := make(chan struct{})
		go func() { _ = h.turn(t.Context(), func() { <-release }) }()
		synctest.Wait()
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := h.Hash(ctx, "secret"); !errors.Is(err, context.Canceled) {
			t.Errorf("Hash = %v, want context.Canceled", err)
		}
		close(release)
	})
}

// A machine that is full of other work is not the fault of who signs in: they are asked to come again.
func TestAHashThatOutlastsItsRequestIsBusy(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		h := NewHasher(cheap, Limits{Parallel: 1})
		var all sync.WaitGroup
		for range 2 { // one of them waits
			all.Go(func() {
				ctx, cancel := context.WithTimeout(t.Context(), time.Second)
				defer cancel()
				if err := h.turn(ctx, func() { time.Sleep(2 * time.Second) }); !errors.Is(err, ErrBusy) {
					t.Errorf("turn = %v, want ErrBusy", err)
				}
			})
		}
		all.Wait()
	})
}

func TestBusyNamesARetryTime(t *testing.T) {
	t.Parallel()

	if e, ok := errors.AsType[*errs.Error](error(ErrBusy)); !ok || e.RetryAfter <= 0 {
		t.Error("ErrBusy does not say when to try again")
	}
}

func BenchmarkHash(b *testing.B) {
	h := NewHasher(Default, Limits{})
	b.ReportAllocs()
	for b.Loop() {
		if _, err := h.Hash(b.Context(), "secret password"); err != nil {
			b.Fatal(err)
		}
	}
}
