package totp_test

import (
	"testing"
	"time"

	"stoa/internal/account/totp"
)

// The secret of both RFCs.
var secret = []byte("12345678901234567890")

// RFC 4226, appendix D, and RFC 6238, appendix B, whose codes have eight digits: the last six are ours.
func TestCodesAreThoseOfTheRFCs(t *testing.T) {
	t.Parallel()

	for step, want := range []string{
		"755224", "287082", "359152", "969429", "338314", "254676", "287922", "162583", "399871", "520489",
	} {
		if got := totp.Code(secret, int64(step)); got != want {
			t.Errorf("Code(%d) = %s, want %s", step, got, want)
		}
	}
	for at, want := range map[int64]string{
		59: "287082", 1111111109: "081804", 1111111111: "050471", 1234567890: "005924", 2000000000: "279037",
		20000000000: "353130",
	} {
		if got := totp.Code(secret, totp.Step(time.Unix(at, 0))); got != want {
			t.Errorf("the code at %d is %s, want %s", at, got, want)
		}
	}
}

func TestACodeWorksInItsPeriodAndTheNext(t *testing.T) {
	t.Parallel()

	const step = 1000
	begin := time.Unix(step*30, 0)
	code := totp.Code(secret, step)
	for name, tt := range map[string]struct {
		typed string
		now   time.Time
		last  int64
		want  bool
	}{
		"at its begin":                 {code, begin, step - 1, true},
		"just before it":               {code, begin.Add(-time.Nanosecond), 0, false},
		"at the end of the next":       {code, begin.Add(time.Minute - time.Nanosecond), 0, true},
		"after the next":               {code, begin.Add(time.Minute), 0, false},
		"once it was used":             {code, begin, step, false},
		"once a later one was used":    {code, begin.Add(30 * time.Second), step + 1, false},
		"as apps show it":              {code[:3] + " " + code[3:], begin, 0, true},
		"without its last digit":       {code[:5], begin, 0, false},
		"with one digit more":          {code + "0", begin, 0, false},
		"of digits that are not ASCII": {"٣" + code[1:], begin, 0, false},
		"nothing":                      {"", begin, 0, false},
	} {
		got, ok := totp.Match(secret, tt.typed, tt.now, tt.last)
		if ok != tt.want || ok && got != step {
			t.Errorf("%s: Match = %d, %t", name, got, ok)
		}
	}
}

func TestTheAddressIsWhatAppsRead(t *testing.T) {
	t.Parallel()

	const want = "otpauth://totp/Ada%27s%20shop%20B&W:ada@example.com?issuer=Ada%27s%20shop%20B%26W" +
		"&secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"
	if got := totp.URI(secret, "Ada's shop: B&W", "ada@example.com"); got != want {
		t.Errorf("URI = %s", got)
	}
	if a, b := totp.NewSecret(), totp.NewSecret(); len(a) != totp.SecretSize || string(a) == string(b) {
		t.Error("secrets are not random")
	}
}
