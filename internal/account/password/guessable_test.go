package password

import (
	"strings"
	"testing"
)

func TestIsGuessable(t *testing.T) {
	t.Parallel()

	own := []string{"grace.hopper@navy-yard.example", "Amazing_Grace"}
	for password, want := range map[string]bool{
		"password":                      true,
		"PassWord":                      true,
		"P@ssw0rd2024!":                 true,
		"Summer2031!!":                  true,
		"dragonmonkey":                  true,
		"qwertyuiop[":                   true,
		"zxcvbnm123":                    true,
		"poiuytrewq":                    true,
		"1qaz2wsx3edc":                  true,
		"abcdefgh":                      true,
		"hgfedcba":                      true,
		"11223344":                      true,
		"aaaaaaaaaaaa":                  true,
		"abcabcabcabc":                  true,
		"19871987":                      true,
		"Stoa-2030":                     true,
		"marketplace1":                  true,
		"HopperGrace":                   true,
		"amazing_grace1":                true,
		"navyyard":                      true, // of two names
		"navy-yard9":                    true,
		"ðððððððð":                      true,
		"kXr8 zuO":                      false,
		"correct horse":                 false,
		"zq8-kitten":                    false,
		"x7#Kq9z!L":                     false,
		"Tr0ub4dor&3":                   false,
		"łąka o świcie":                 false,
		"正しい馬の電池":                       false,
		"dragon and a rhyme":            false,
		"":                              true,
		strings.Repeat("password", 200): false, // longer than guesses are
	} {
		if got := IsGuessable(password, own...); got != want {
			t.Errorf("IsGuessable(%q) = %v, want %v", password, got, want)
		}
	}
}

// Every entry of the list, with what people add to it to please a form.
func TestCommonPasswordsStayGuessableWithASuffix(t *testing.T) {
	t.Parallel()

	refused, all := 0, 0
	for word := range common() {
		for _, suffix := range []string{"", "1", "!", "123", "2026"} {
			if all++; IsGuessable(strings.ToUpper(word[:1]) + word[1:] + suffix) {
				refused++
			}
		}
	}
	t.Logf("%d of %d", refused, all)
	if refused*100 < all*90 {
		t.Errorf("%d of %d are refused, want nine in ten", refused, all)
	}
}

func FuzzIsGuessable(f *testing.F) {
	f.Add("P@ssw0rd2024!", "ada")
	f.Add("\xff\xfe", "")
	f.Fuzz(func(_ *testing.T, password, own string) {
		IsGuessable(password, own) // ends, and never panics
	})
}
