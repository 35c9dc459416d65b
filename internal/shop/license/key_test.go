package license_test

import (
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"stoa/internal/shop/license"
	"stoa/internal/shop/order"
	"stoa/internal/testkit/logtest"
)

const crockford = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

func TestANewKeyIsReadBackHoweverPeopleWriteIt(t *testing.T) {
	t.Parallel()

	rapid.Check(t, func(t *rapid.T) {
		key := license.NewKey()
		text := key.Reveal()
		if len(text) != 40 || strings.Count(text, "-") != 6 || strings.Trim(text[5:], crockford+"-") != "" {
			t.Fatalf("a key has the wrong form: %d characters", len(text))
		}
		for _, written := range []string{
			text, strings.ToLower(text), strings.ReplaceAll(text, "-", ""), strings.ReplaceAll(text, "-", " "),
			" " + text + "\n",
			strings.ReplaceAll(text, "0", "O"), strings.ReplaceAll(text, "0", "o"),
			strings.ReplaceAll(text, "1", "I"), strings.ReplaceAll(text, "1", "l"),
		} {
			if got, err := license.ParseKey(written); err != nil || got != key {
				t.Fatalf("a key was not read back when written another way: %v", err)
			}
		}
	})
}

// A typo is refused without a database query (contract 3.8). One in 2^25 passes, so the keys are fixed: the
// test always tries the same ones.
func TestEveryTypoIsFound(t *testing.T) {
	t.Parallel()

	random := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		symbols := []byte(strings.ReplaceAll(license.KeyOf(random.Uint32).Reveal()[5:], "-", ""))
		refused := func(s []byte, what string) {
			t.Helper()
			if _, err := license.ParseKey("STOA" + string(s)); !errors.Is(err, license.ErrBadKey) {
				t.Fatalf("%s was not found: %v", what, err)
			}
		}
		for i, was := range symbols {
			for _, c := range []byte(crockford) {
				if c != was {
					symbols[i] = c
					refused(symbols, fmt.Sprintf("another character at place %d", i))
				}
			}
			symbols[i] = was
			if i > 0 && symbols[i-1] != was {
				symbols[i-1], symbols[i] = was, symbols[i-1]
				refused(symbols, fmt.Sprintf("a swap at place %d", i))
				symbols[i-1], symbols[i] = symbols[i], was
			}
		}
		// Up to five wrong characters, anywhere.
		for range 100 {
			bad := slices.Clone(symbols)
			for _, i := range random.Perm(len(bad))[:1+random.IntN(5)] {
				bad[i] = crockford[(strings.IndexByte(crockford, bad[i])+1+random.IntN(31))%32]
			}
			refused(bad, "a handful of wrong characters")
		}
		refused(symbols[:29], "a missing character")
		refused(append(symbols, '0'), "one character more")
	}
}

func TestEveryPairOfTyposIsFound(t *testing.T) {
	t.Parallel()

	random := rand.New(rand.NewPCG(3, 4))
	good := []byte(strings.ReplaceAll(license.KeyOf(random.Uint32).Reveal()[5:], "-", ""))
	value := func(c byte) int { return strings.IndexByte(crockford, c) }
	for i := range good {
		for j := range i {
			for delta := 1; delta < 32; delta++ {
				bad := append([]byte("STOA"), good...)
				bad[4+i] = crockford[value(good[i])^1]
				bad[4+j] = crockford[value(good[j])^delta]
				if _, err := license.ParseKey(string(bad)); !errors.Is(err, license.ErrBadKey) {
					t.Fatalf("mistakes at %d and %d, together, were not found", i, j)
				}
			}
		}
	}
}

// Keys that were sold must stay valid in every later version.
func TestKeysOfEarlierVersionsAreValid(t *testing.T) {
	t.Parallel()

	for _, key := range []string{
		"STOA-7QK2M-9XW4T-B3HNC-5VJ8R-D6PYE-J7H2Z", "STOA-00000-00000-00000-00000-00000-TQ3N0",
	} {
		if _, err := license.ParseKey(key); err != nil {
			t.Errorf("%s is refused: %v", key, err)
		}
	}
}

func TestOtherTextsAreNotKeys(t *testing.T) {
	t.Parallel()

	for _, s := range []string{
		"", "STOA", "x", "STOA-00000-00000-00000-00000-00000-00000", strings.Repeat("0", 30), strings.Repeat("-", 1000),
		strings.Replace(license.NewKey().Reveal(), "STOA", "ATOS", 1), "U" + license.NewKey().Reveal()[1:],
	} {
		if _, err := license.ParseKey(s); !errors.Is(err, license.ErrBadKey) {
			t.Errorf("ParseKey of %d characters = %v, want ErrBadKey", len(s), err)
		}
	}
}

func TestAKeyDoesNotPrint(t *testing.T) {
	t.Parallel()

	key := license.NewKey()
	var log logtest.Buffer
	log.Logger().Info("test", slog.Any("key", key), slog.Any("use", license.InUse{Key: key}))
	for _, text := range []string{
		fmt.Sprint(key), fmt.Sprintf("%v %+v %#v %s %q", key, key, key, key, key),
		fmt.Sprintf("%+v", order.Confirmation{LicenseKey: key}), log.String(),
	} {
		if strings.Contains(text, key.Reveal()) || !strings.Contains(text, "STOA-*****") {
			t.Errorf("a key prints as %q", text)
		}
	}
}

func FuzzParseKey(f *testing.F) {
	f.Add("STOA-00000-00000-00000-00000-00000-00000")
	f.Add(license.NewKey().Reveal())
	f.Add("stoa oiloi")
	f.Fuzz(func(t *testing.T, s string) {
		key, err := license.ParseKey(s)
		if err != nil {
			return
		}
		if again, err := license.ParseKey(key.Reveal()); err != nil || again != key {
			t.Errorf("a parsed key is not parsed again: %v", err)
		}
	})
}

// Keys of the first releases have another checksum, and are still keys. A typo in them is
// found, too.
func TestKeysOfTheFirstReleasesAreRead(t *testing.T) {
	t.Parallel()

	for _, text := range []string{
		"STOA-729DH-FAVAX-M7ZKH-B2GSH-HJ8PE-CX0SY", "STOA-NTRAW-6KNJG-ESMPR-EE28C-3XB9H-GXFXS",
		"STOA-RN8N6-AVPKY-CS2VT-EW4RV-ZC0VK-4DK9X",
	} {
		if key, err := license.ParseKey(strings.ToLower(text)); err != nil || key.Reveal() != text {
			t.Errorf("a key was refused: %v", err)
		}
		if _, err := license.ParseKey(strings.Replace(text, "STOA-", "STOA-Z", 1)[:len(text)]); err == nil {
			t.Error("a typo passes")
		}
		if _, err := license.ParseKey(text[:len(text)-1] + "7"); err == nil {
			t.Error("a typo in the checksum passes")
		}
	}
}
