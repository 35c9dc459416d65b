package device_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"stoa/internal/account/device"
)

func TestBrowsersAreNamed(t *testing.T) {
	t.Parallel()
	for agent, want := range map[string]string{
		"Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0":                                                                     "Firefox on Linux",
		"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/129.0.0.0 Safari/537.36 Edg/129.0.0.0":              "Edge on Windows",
		"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/129.0.0.0 Safari/537.36 OPR/115.0.0.0":              "Opera on Windows",
		"Mozilla/5.0 (Linux; Android 14; SM-S911B) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/26.0 Chrome/122.0.0.0 Mobile Safari/537.36": "Samsung Internet on Android",
		"Mozilla/5.0 (iPhone; CPU iPhone OS 17_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.6 Mobile/15E148 Safari/604.1":    "Safari on iOS",
		"Mozilla/5.0 (iPad; CPU OS 17_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) FxiOS/130.0 Mobile/15E148 Safari/605.1.15":           "Firefox on iPadOS",
		"Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.6 Safari/605.1.15":                      "Safari on macOS",
		"Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/128.0.0.0 Safari/537.36":                             "Chrome on ChromeOS",
		"curl/8.5.0":             "curl",
		"Dalvik (Android)":       "Android",
		"":                       "an unknown device",
		"Your account is closed": "an unknown device",
	} {
		if got := device.Read(agent).String(); got != want {
			t.Errorf("Read(%q) = %q, want %q", agent, got, want)
		}
	}
}

func TestWhatIsKeptOfAnAgentHasABound(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		strings.Repeat("a", 256):        strings.Repeat("a", 256),
		strings.Repeat("a", 257):        strings.Repeat("a", 256),
		strings.Repeat("a", 255) + "é!": strings.Repeat("a", 255),
		"a\xffb\x00c":                   "abc",
	} {
		if got := device.Clip(given); got != want {
			t.Errorf("Clip of %d bytes = %q, want %q", len(given), got, want)
		}
	}
}

func FuzzAgents(f *testing.F) {
	f.Add("Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0")
	f.Add(strings.Repeat("\xf0\x9f", 300))
	f.Fuzz(func(t *testing.T, agent string) {
		kept := device.Clip(agent)
		if len(kept) > 256 || !utf8.ValidString(kept) || strings.Contains(kept, "\x00") {
			t.Errorf("Clip(%q) = %q", agent, kept)
		}
		if device.Clip(kept) != kept {
			t.Errorf("Clip(%q) is not stable", agent)
		}
		if name := device.Read(kept).String(); len(name) > 40 {
			t.Errorf("Read(%q) = %q", agent, name)
		}
	})
}
