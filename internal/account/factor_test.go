package account

import (
	"testing"
	"time"
)

// Somebody who knows the password and tries whenever it counts, for thirty days, has two valid codes of a million at
// each try.
func TestGuessingCodesTakesTooLong(t *testing.T) {
	t.Parallel()

	const days = 30
	begin := time.Date(2030, time.March, 1, 12, 0, 0, 0, time.UTC)
	tries := 0
	var f Failures
	for now := begin; now.Before(begin.Add(days * failureWindow)); now = now.Add(time.Second) {
		for !f.paused(now) && tries < 1_000_000 {
			f = f.add(now)
			tries++
		}
	}
	if chance := float64(tries) / days * 2 / 1e6; tries < 600 || chance > 1e-4 {
		t.Errorf("%d tries in %d days: a chance of %.1e a day", tries, days, chance)
	}
}

func TestRecoveryCodesAreFoundHoweverTheyAreTyped(t *testing.T) {
	t.Parallel()

	codes, hashes := newRecoveryCodes()
	if len(codes) != recoveryCodes || codes[0] == codes[1] {
		t.Fatalf("%d codes", len(codes))
	}
	for i, code := range codes {
		if recoveryHash(code) != hashes[i] {
			t.Errorf("%s is not found", code)
		}
	}
	want := recoveryHash("0123-ABCD-1111-0000-WXYZ-9876")
	for _, typed := range []string{
		"0123ABCD11110000WXYZ9876", "o123 abcd iLl1 OoO0 wxyz 9876", " 0123-abcd-1111-0000-wxyz-9876 ",
	} {
		if recoveryHash(typed) != want {
			t.Errorf("%q is another code", typed)
		}
	}
	if recoveryHash("0123-ABCD-1111-0000-WXYZ-9875") == want {
		t.Error("another code is the same")
	}
}
