// Package device names what people sign in with, so that they recognize it. It believes what browsers say of
// themselves: a name is for people to read, and opens nothing.
package device

import (
	"strings"
	"unicode/utf8"
)

// Agent is what a User-Agent header says of a browser. Unknown parts are empty.
type Agent struct{ Browser, OS string }

// mark is a part of a User-Agent header that names a program.
type mark struct{ part, name string }

// browsers are in an order in which the first that is found counts: most claim to be those that come later, too.
var browsers = []mark{
	{"Edg", "Edge"},
	{"OPR/", "Opera"},
	{"SamsungBrowser/", "Samsung Internet"},
	{"Vivaldi/", "Vivaldi"},
	{"Firefox/", "Firefox"},
	{"FxiOS/", "Firefox"},
	{"CriOS/", "Chrome"},
	{"Chrome/", "Chrome"},
	{"Safari/", "Safari"},
	{"curl/", "curl"},
}

var systems = []mark{
	{"Android", "Android"},
	{"iPhone", "iOS"},
	{"iPad", "iPadOS"},
	{"Windows", "Windows"},
	{"Mac OS X", "macOS"},
	{"CrOS", "ChromeOS"},
	{"Linux", "Linux"},
}

// Read returns what a User-Agent header says. Names are of a fixed list: whoever sends the header cannot choose words
// that others read.
func Read(userAgent string) Agent {
	return Agent{Browser: first(browsers, userAgent), OS: first(systems, userAgent)}
}

func first(marks []mark, text string) string {
	for _, m := range marks {
		if strings.Contains(text, m.part) {
			return m.name
		}
	}
	return ""
}

// String returns the agent in words for people: "Firefox on Linux", or what of it is known.
func (a Agent) String() string {
	switch {
	case a.Browser != "" && a.OS != "":
		return a.Browser + " on " + a.OS
	case a.Browser != "":
		return a.Browser
	case a.OS != "":
		return a.OS
	}
	return "an unknown device"
}

// maxBytes is how much of a User-Agent header is kept.
const maxBytes = 256

// Clip returns a User-Agent header as it is kept: valid UTF-8 of at most 256 bytes.
func Clip(userAgent string) string {
	text := strings.ReplaceAll(strings.ToValidUTF8(userAgent, ""), "\x00", "")
	if len(text) <= maxBytes {
		return text
	}
	end := maxBytes
	for !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end]
}
