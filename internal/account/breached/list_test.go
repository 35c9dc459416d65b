package breached

import (
	"bytes"
	"crypto/sha1"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"stoa/internal/testkit/needtest"
)

func words(n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = fmt.Sprintf("word-%d", i)
	}
	return out
}

// built returns the file of a list, with filters of at most that many passwords.
func built(tb testing.TB, list []string, most int) string {
	tb.Helper()
	f, err := os.Create(filepath.Join(tb.TempDir(), "list.filter"))
	if err != nil {
		tb.Fatal(err)
	}
	n, err := build(f, Words(list), most)
	if err := errors.Join(err, f.Close()); err != nil || n != len(list) {
		tb.Fatalf("build = %d, %v; want %d", n, err, len(list))
	}
	return f.Name()
}

func TestAListHasWhatItWasBuiltOfAndHardlyAnythingElse(t *testing.T) {
	t.Parallel()

	for _, size := range []int{1, 2, 3, 5, 99, 100, 101, 5000} {
		c, err := Open(built(t, words(size), 100))
		if err != nil || c.Size() != size {
			t.Fatalf("%d: Open = %v, %v", size, c, err)
		}
		for _, word := range words(size) {
			if !c.Has(word) {
				t.Fatalf("of %d, %s is missing", size, word)
			}
		}
		alarms := 0
		for i := range 200_000 {
			if c.Has(fmt.Sprintf("other-%d", i)) {
				alarms++
			}
		}
		if alarms > 20 { // 3 are expected
			t.Errorf("of %d: %d of 200,000 others are in it", size, alarms)
		}
		if c.Has("WORD-0") || c.Has("") {
			t.Errorf("%d: case counts in a file of hashes, and an empty password is none", size)
		}
	}
}

func TestNoListHasNothing(t *testing.T) {
	t.Parallel()

	for _, l := range []*List{nil, {}} {
		if l.Has("password") || l.Size() != 0 {
			t.Error("an empty list has a password")
		}
	}
}

func TestTheSameListGivesTheSameFile(t *testing.T) {
	t.Parallel()

	list := words(300)
	a, err1 := os.ReadFile(built(t, list, 100))
	list[0], list[299] = list[299], list[0]
	b, err2 := os.ReadFile(built(t, list, 100))
	if err := errors.Join(err1, err2); err != nil || !bytes.Equal(a, b) {
		t.Errorf("two files differ (%v)", err)
	}
}

func TestAFileThatIsMissingOrBrokenIsRefusedByName(t *testing.T) {
	t.Parallel()

	name := built(t, words(10), 4)
	whole, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	refused := func(what, name string) {
		t.Helper()
		if _, err := Open(name); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", what, err)
		}
	}
	for i := range whole {
		broken := filepath.Join(t.TempDir(), "broken")
		damaged := bytes.Clone(whole)
		damaged[i] ^= 0x10
		if err := os.WriteFile(broken, damaged, 0o600); err != nil {
			t.Fatal(err)
		}
		refused(fmt.Sprintf("byte %d changed", i), broken)
		if err := os.WriteFile(broken, whole[:i], 0o600); err != nil {
			t.Fatal(err)
		}
		refused(fmt.Sprintf("cut to %d bytes", i), broken)
	}
	refused("missing", filepath.Join(t.TempDir(), "missing"))
	refused("a folder", t.TempDir())
}

// A file with a right sum is refused all the same if a look-up would leave its filter.
func TestAFileWhoseNumbersDoNotFitIsRefused(t *testing.T) {
	t.Parallel()

	whole, err := os.ReadFile(built(t, words(10), 1)) // each filter has one segment of 4, and room for three
	if err != nil {
		t.Fatal(err)
	}
	last := len(whole) - rowSize
	for name, change := range map[string]func(file []byte) []byte{
		"more filters than rows":  func(f []byte) []byte { f[15] = 1; return f },
		"a size beyond the file":  func(f []byte) []byte { f[23] = 1; return f },
		"filters out of order":    func(f []byte) []byte { clear(f[last : last+8]); return f },
		"no segment length":       func(f []byte) []byte { clear(f[last+16 : last+20]); return f },
		"no power of two":         func(f []byte) []byte { f[last+16], f[last+20] = 3, 2; return f },
		"a segment too long":      func(f []byte) []byte { f[last+18] = 8; return f },
		"no segments":             func(f []byte) []byte { clear(f[last+20:]); return f },
		"more segments than room": func(f []byte) []byte { f[last+22] = 1; return f },
		"fingerprints left over":  func(f []byte) []byte { return slices.Insert(f, headSize, 0, 0) },
	} {
		file := change(bytes.Clone(whole))
		body := crc32.Checksum(file[headSize:], castagnoli)
		binary.LittleEndian.PutUint32(file[8:], crc32.Update(body, castagnoli, file[12:headSize]))
		if _, err := parse(file, body); !errors.Is(err, errBroken) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestALookUpFindsItsFilterAtEveryBoundary(t *testing.T) {
	t.Parallel()

	list := words(64)
	for most := 1; most <= 8; most++ {
		c, err := Open(built(t, list, most))
		if err != nil || len(c.filters) != (64+most-1)/most {
			t.Fatalf("%d filters, %v", len(c.filters), err)
		}
		for _, word := range list {
			if !c.Has(word) {
				t.Errorf("with %d a filter, %s is missing", most, word)
			}
		}
		if c.hasKey(0) && c.first[0] != 0 {
			t.Error("a key before the first filter is found")
		}
	}
}

func hashLine(word, count string) string { return fmt.Sprintf("%X:%s", sha1.Sum([]byte(word)), count) }

func TestAListOfHashesIsReadAndItsFaultsAreNamed(t *testing.T) {
	t.Parallel()

	low, high := hashLine("b", "10"), hashLine("a", "9") // E9D7…, 86F7…
	if low > high {
		low, high = high, low
	}
	for name, tt := range map[string]struct {
		text string
		most int
		want string // the error, or how many
	}{
		"both":                 {low + "\r\n" + high + "\r\n", 9, "2"},
		"those common enough":  {low + "\n" + high, 10, "1"},
		"none common enough":   {low, 11, ErrEmpty.Error()},
		"twice":                {low + "\n" + low, 1, "1"},
		"nothing":              {"", 1, ErrEmpty.Error()},
		"out of order":         {high + "\n" + low, 1, "line 2: the hashes are not in order"},
		"no count":             {low + "\n" + high[:40], 1, "line 2: this is not HASH:COUNT"},
		"a negative count":     {high[:41] + "-1", 1, "line 1: this is not HASH:COUNT"},
		"a short hash":         {high[1:], 1, "line 1: this is not HASH:COUNT"},
		"no hexadecimal":       {"X" + high[1:], 1, "line 1: this is not HASH:COUNT"},
		"words, not hashes":    {"password\n", 1, "line 1: this is not HASH:COUNT"},
		"a line that is a lot": {strings.Repeat("A", 1<<17), 1, "line 1: "},
	} {
		f, err := os.Create(filepath.Join(t.TempDir(), "out"))
		if err != nil {
			t.Fatal(err)
		}
		n, err := Build(f, Hashes(strings.NewReader(tt.text), tt.most))
		got := fmt.Sprint(n)
		if err != nil {
			got = err.Error()
		}
		if !strings.HasPrefix(got, tt.want) {
			t.Errorf("%s: %s, want %s", name, got, tt.want)
		}
		_ = f.Close()
	}
}

func TestTheListInTheBinary(t *testing.T) {
	t.Parallel()

	l, err := Builtin()
	if errors.Is(err, ErrNotBuilt) {
		needtest.Lacks(t, "the list is not built: run make build")
	} else if err != nil {
		t.Fatal(err)
	}
	if l.Size() < 49_000 {
		t.Errorf("it has %d passwords", l.Size())
	}
	for _, word := range []string{"password", "PassWord", "123456", "Letmein1"} {
		if !l.Has(word) {
			t.Errorf("%s is not in it", word)
		}
	}
	if l.Has("correct horse battery staple, said the plate") {
		t.Error("a long sentence is in it")
	}
	for _, setting := range []string{"", Off, InBinary} {
		if c, err := Open(setting); err != nil || c.Size() != l.Size() {
			t.Errorf("Open(%q) = %d passwords, %v", setting, c.Size(), err)
		}
	}
}

// Whatever a file holds, it is refused or can be asked.
func FuzzParse(f *testing.F) {
	for _, most := range []int{1, 4, 100} {
		whole, err := os.ReadFile(built(f, words(10), most))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(whole)
	}
	f.Add([]byte(magic))
	f.Fuzz(func(t *testing.T, file []byte) {
		if len(file) >= headSize { // make the sum right, or nothing gets behind it
			copy(file, magic)
			sum := crc32.Update(crc32.Checksum(file[headSize:], castagnoli), castagnoli, file[12:headSize])
			binary.LittleEndian.PutUint32(file[8:], sum)
		}
		l, err := parse(file, crc32.Checksum(file[min(headSize, len(file)):], castagnoli))
		if err != nil {
			if l != nil || !errors.Is(err, errBroken) {
				t.Errorf("parse = %v, %v", l, err)
			}
			return
		}
		for i := range uint64(64) {
			l.hasKey(i * 0x0410_4104_1041_0411)
			l.hasKey(^i)
		}
	})
}

var sink bool

func BenchmarkHas(b *testing.B) {
	c, err := Open(built(b, words(1_000_000), 1<<18))
	if err != nil {
		b.Fatal(err)
	}
	c.anyCase = true
	for b.Loop() {
		sink = c.Has("Correct Horse Battery")
	}
}
