package password

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// tracks are sequences that people type, in both directions: rows and columns of
// keyboards, the alphabet, digits.
var tracks = []string{
	"abcdefghijklmnopqrstuvwxyz", "01234567890", "qwertyuiop", "qwertzuiop", "azertyuiop", "asdfghjkl",
	"qsdfghjklm", "zxcvbnm,./", "yxcvbnm", "wxcvbn", "1q2w3e4r5t6y7u8i9o0p", "q1w2e3r4t5y6u7i8o9p0",
	"1qaz2wsx3edc4rfv5tgb6yhn7ujm", "qazwsxedcrfvtgbyhnujm", "!@#$%^&*()", "147258369", "741852963",
}

// bases are words that common passwords are built from. The list is made by hand,
// like common.txt.
var bases = strings.Fields(`
	access account admin administrator adobe amanda andrea andrew angel anthony apple april arsenal ashley asshole
	august austin autumn banana barcelona baseball basketball batman beautiful biteme blink boston brandon buster
	butterfly changeme charlie cheese chelsea chicken chocolate christian computer cookie corvette cowboys dallas
	daniel default demo diamond dragon eagle enter family ferrari flower football forever freedom friday friend
	friends fuckyou george ginger god google guest hallo hannah harley heather hello hockey hola home hunter
	iceman iloveyou internet jasmine jennifer jessica jesus jordan joshua justin killer letmein liverpool login
	love lovely loveme maggie manchester marina market martin marvin master matrix matthew mercedes merlin michael
	michelle midnight monday money monkey morgan mother motdepasse mustang mylove naruto nicole ninja nothing
	orange pass passw password passwort patrick peanut pepper phoenix pokemon princess pussy qwerty rachel rainbow
	ranger robert root samantha samsung samuel secret server shadow shop silver slipknot snoopy soccer sommer
	spiderman spring starwars steelers stella steven store summer sunday sunshine super superman taylor temp
	tennis test tester testing thomas thunder tiger tigger trustno user victoria welcome whatever william
	willkommen winner winter yankees yellow zaq jan january february march june july september october november
	december hiver ete verano contrasena geheim schatz sonne`)

// product are words of this product (OWASP ASVS 5.0, 6.1.2). docs/security/asvs.md
// names them.
var product = []string{"stoa", "plugin", "plugins", "marketplace", "license", "licence"}

// leet replaces digits and signs by the letters they stand for.
var leet = strings.NewReplacer("@", "a", "4", "a", "3", "e", "1", "i", "!", "i", "0", "o", "$", "s", "5", "s", "7", "t")

var year = regexp.MustCompile(`^(19|20)\d\d`)

// guesses is the number of parts (words, runs, years, single characters) up to which
// guessing programs combine them.
const guesses = 4

// IsGuessable reports whether a password is one of the most common, or consists of at
// most four parts that guessing programs try first: common words (also with digits
// for letters), runs of the keyboard, the alphabet or digits, repeated characters,
// years, words of this product, and own, the names of the password's owner. Any other
// character is a part of its own.
//
// It is a rule, not a list of leaked passwords.
func IsGuessable(password string, own ...string) bool {
	if IsCommon(password) {
		return true
	}
	if utf8.RuneCountInString(password) > 64 { // no guess is that long, and it bounds the work
		return false
	}
	lower := strings.ToLower(password)
	words := append(append(bases[:len(bases):len(bases)], product...), names(own)...)
	return parts(lower, leet.Replace(lower), words) <= guesses // both have the same length in bytes
}

// names returns those words of e-mail addresses and usernames that have three
// characters or more.
func names(own []string) []string {
	var words []string
	for _, name := range own {
		name = strings.ToLower(name)
		words = append(words, name)
		words = append(words, strings.FieldsFunc(name, func(r rune) bool { return strings.ContainsRune("@.-_+", r) })...)
	}
	kept := words[:0]
	for _, w := range words {
		if utf8.RuneCountInString(w) >= 3 {
			kept = append(kept, w)
		}
	}
	return kept
}

// parts returns the smallest number of parts that s consists of. folded is s with
// letters for the digits that may stand for them.
func parts(s, folded string, words []string) int {
	fewest := make([]int, len(s)+1) // to the end from each byte
	for i := len(s) - 1; i >= 0; i-- {
		_, size := utf8.DecodeRuneInString(s[i:])
		best := 1 + fewest[i+size]
		for n := size + 1; n <= run(s[i:]); n++ {
			best = min(best, 1+fewest[i+n])
		}
		for _, w := range words {
			if strings.HasPrefix(s[i:], w) || strings.HasPrefix(folded[i:], w) {
				best = min(best, 1+fewest[i+len(w)])
			}
		}
		if year.MatchString(s[i:]) {
			best = min(best, 1+fewest[i+4])
		}
		fewest[i] = best
	}
	return fewest[0]
}

// run returns how many bytes at the start of s repeat its first one to four bytes or
// follow a track, and 0 for fewer than three.
func run(s string) int {
	longest := 0
	for unit := 1; unit <= 4 && 2*unit <= len(s); unit++ {
		n := unit
		for n < len(s) && s[n] == s[n-unit] {
			n++
		}
		if n >= 2*unit {
			longest = max(longest, n)
		}
	}
	for _, track := range tracks {
		longest = max(longest, along(s, track, 1), along(s, track, -1))
	}
	if longest < 3 {
		return 0
	}
	return longest
}

// along returns how many bytes at the start of s follow a track in a direction.
func along(s, track string, step int) int {
	at := strings.IndexByte(track, s[0])
	if at < 0 {
		return 0
	}
	n := 1
	for at += step; n < len(s) && at >= 0 && at < len(track) && s[n] == track[at]; at += step {
		n++
	}
	return n
}
