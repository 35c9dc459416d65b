package account

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/base/errs"
)

func TestValidEmail(t *testing.T) {
	t.Parallel()

	label63, local64 := strings.Repeat("a", 63), strings.Repeat("l", 64)
	long := func(n int) string { // an address of n bytes
		head := local64 + "@" + label63 + "." + label63 + "."
		return head + strings.Repeat("d", n-len(head))
	}
	for email, want := range map[string]bool{
		"ada@example.com":               true,
		"Ada.Lovelace+stoa@Example.COM": true,
		"a@b.co":                        true,
		"!#$%&'*+/=?^_`{|}~-@x.org":     true,
		"jörg@müller.de":                true,
		"ジョー@例え.テスト":                    true,
		local64 + "@example.com":        true,
		local64 + "l@example.com":       false,
		"a@" + label63 + ".com":         true,
		"a@" + label63 + "a.com":        false,
		long(254):                       true,
		long(255):                       false,
		"":                              false,
		"ada":                           false,
		"@example.com":                  false,
		"ada@":                          false,
		"ada@localhost":                 false,
		"ada@.com":                      false,
		"ada@example..com":              false,
		"ada@example.com.":              false,
		"ada@-example.com":              false,
		"ada@example-.com":              false,
		".ada@example.com":              false,
		"ada.@example.com":              false,
		"a..b@example.com":              false,
		"a@b@example.com":               false,
		" ada@example.com":              false,
		"ada@example.com ":              false,
		"ada@example.com\n":             false,
		"ad a@example.com":              false,
		"ada\x00@example.com":           false,
		"Ada <ada@example.com>":         false,
		`"a b"@example.com`:             false,
		"ada@[127.0.0.1]":               false,
		"ada\xff@example.com":           false,
	} {
		if got := validEmail(email); got != want {
			t.Errorf("validEmail(%q) = %v, want %v", email, got, want)
		}
	}
}

func TestRegistrationRules(t *testing.T) {
	t.Parallel()

	tests := []struct {
		name  string
		check func(f *faults)
		want  string // code of the one fault, or none
	}{
		{"username of 3", func(f *faults) { f.username("u", "äß中") }, ""},
		{"username of 2", func(f *faults) { f.username("u", "äß") }, "out_of_range"},
		{"username of 64", func(f *faults) { f.username("u", strings.Repeat("ü", 64)) }, ""},
		{"username of 65", func(f *faults) { f.username("u", strings.Repeat("ü", 65)) }, "out_of_range"},
		{"username of every kind", func(f *faults) { f.username("u", "a.B_c-9٣Ⅷ") }, ""},
		{"username with a space", func(f *faults) { f.username("u", "a b") }, "invalid"},
		{"username with a line break at its end", func(f *faults) { f.username("u", "abc\n") }, "invalid"},
		{"username with an at sign", func(f *faults) { f.username("u", "a@b") }, "invalid"},
		{"username with a combining accent", func(f *faults) { f.username("u", "cafe\u0301") }, "invalid"},
		{"username of emoji", func(f *faults) { f.username("u", "😀😀😀") }, "invalid"},
		{"password of 6 characters", func(f *faults) {
			f.newPassword(&Service{Book: Fixed{Policy: PolicyStandard}}, "p", "😀😀😀😀😀😀")
		}, ""},
		{
			"password of 5 characters", func(f *faults) {
				f.newPassword(&Service{Book: Fixed{Policy: PolicyStandard}}, "p", "😀😀😀😀😀")
			},
			"out_of_range",
		},
		{
			"password of 1,024 characters",
			func(f *faults) {
				f.newPassword(&Service{Book: Fixed{Policy: PolicyStandard}}, "p", strings.Repeat("😀", 1024))
			}, "",
		},
		{
			"password of 1,025 characters", func(f *faults) {
				f.newPassword(&Service{Book: Fixed{Policy: PolicyStandard}}, "p", strings.Repeat("x", 1025))
			},
			"out_of_range",
		},
		{"password of spaces", func(f *faults) { f.newPassword(&Service{Book: Fixed{Policy: PolicyStandard}}, "p", "      ") }, ""},
		{"common password, standard", func(f *faults) { f.newPassword(&Service{Book: Fixed{Policy: PolicyStandard}}, "p", "password") }, ""},
		{"common password, asvs", func(f *faults) { f.newPassword(&Service{Book: Fixed{Policy: PolicyASVS}}, "p", "PassWord") }, "too_common"},
		{"password of 8, asvs", func(f *faults) { f.newPassword(&Service{Book: Fixed{Policy: PolicyASVS}}, "p", "kXr8 zuO") }, ""},
		{"password of 7, asvs", func(f *faults) { f.newPassword(&Service{Book: Fixed{Policy: PolicyASVS}}, "p", "kXr8 zu") }, "out_of_range"},
		{"no referral code", func(f *faults) { f.referral("r", "") }, ""},
		{"referral code of 128", func(f *faults) { f.referral("r", strings.Repeat("ü", 128)) }, ""},
		{"referral code of 129", func(f *faults) { f.referral("r", strings.Repeat("x", 129)) }, "out_of_range"},
		{"referral code with NUL", func(f *faults) { f.referral("r", "a\x00") }, "out_of_range"},
	}
	for _, tt := range tests {
		var f faults
		tt.check(&f)
		got := ""
		for _, is := range f.List() {
			got += is.Code
		}
		if got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestFaultsNeverQuoteThePassword(t *testing.T) {
	t.Parallel()

	var f faults
	f.newPassword(&Service{Book: Fixed{Policy: PolicyASVS}}, "password", "qwertyuiop")
	f.newPassword(&Service{Book: Fixed{Policy: PolicyASVS}}, "password", "hunter2")
	err := f.Err()
	if errs.KindOf(err) != errs.Invalid || strings.Contains(err.Error(), "qwerty") ||
		strings.Contains(err.Error(), "hunter2") {
		t.Errorf("err = %v", err)
	}
}

func TestKey(t *testing.T) {
	t.Parallel()

	for _, same := range [][]string{
		{"Ada@Example.com", "ADA@EXAMPLE.COM", "ada@example.com"},
		{"straße", "STRASSE", "strasse", "STRAẞE"},
		{"Σίσυφος", "ΣΊΣΥΦΟΣ", "σίσυφοσ"},
		{"café", "cafe\u0301", "CAFE\u0301", "CAFÉ"},
		{"K", "k", "\u212a"}, // the kelvin sign
	} {
		for _, name := range same {
			if got, want := Key(name), Key(same[0]); got != want {
				t.Errorf("Key(%q) = %q, want %q", name, got, want)
			}
			if Key(Key(name)) != Key(name) {
				t.Errorf("Key(Key(%q)) is another", name)
			}
		}
	}
	if Key("ada") == Key("ädä") {
		t.Error("Key ignores accents")
	}
}

func TestUsernameFor(t *testing.T) {
	t.Parallel()

	for email, want := range map[string]string{
		"ada@example.com":                        "ada",
		"a+b@example.com":                        "a-b",
		"jo@example.com":                         "admin-jo",
		strings.Repeat("x", 70) + "@example.com": strings.Repeat("x", 64),
	} {
		got := usernameFor(email)
		if diff := cmp.Diff(want, got); diff != "" || !username().MatchString(got) {
			t.Errorf("usernameFor(%q) = %q, want %q", email, got, want)
		}
	}
}

func TestParsePolicy(t *testing.T) {
	t.Parallel()

	for name, want := range map[string]Policy{"": PolicyStandard, "standard": PolicyStandard, "asvs": PolicyASVS} {
		if got, err := ParsePolicy(name); got != want || err != nil {
			t.Errorf("ParsePolicy(%q) = %q, %v; want %q", name, got, err, want)
		}
	}
	if _, err := ParsePolicy("ASVS5"); err == nil {
		t.Error("ParsePolicy accepts a policy there is none of")
	}
}
