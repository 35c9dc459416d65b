package license_test

import (
	"strings"
	"testing"

	"stoa/internal/shop/license"
)

func devInstances(tb testing.TB, patterns ...string) license.DevInstances {
	tb.Helper()
	d, err := license.ParseDevInstances(patterns)
	if err != nil {
		tb.Fatal(err)
	}
	return d
}

func TestDevelopmentInstances(t *testing.T) {
	t.Parallel()

	d := devInstances(t, license.DefaultDevInstances()...)
	label63 := strings.Repeat("a", 63)
	for instance, want := range map[string]bool{
		"localhost": true, "localhost:3000": true, "localhost:65535": true, "localhost.": true, "localhost.:80": true,
		"shop.localhost": true, "a.b.localhost:8080": true, "shop.test": true, "a.b.test.": true,
		"xn--bcher-kva.test": true,
		label63 + ".test":    true, "my_shop.test": true,

		"localhost.evil.com": false, "test.evil.com": false, "a.test.evil.com": false, "evil.com": false,
		"evil.com:80":  false,
		"notlocalhost": false, "nottest": false, "test": false, "mytest": false, "a.mytest": false,
		"localhost-evil.com": false,
		"evil.com#.test":     false, "evil.com/.test": false, "evil.com/a.test": false, "evil.com?.test": false,
		"evil.com\\.test":    false,
		"evil.com@localhost": false, "user@shop.test": false, "localhost:80@evil.com": false,
		"evil.com .test": false, "evil.com,.test": false,
		".test": false, "..test": false, "a..test": false, "localhost..": false, ".": false, "": false,
		"-a.test": false, "a-.test": false,
		"localhost:": false, "localhost:0": false, "localhost:65536": false, "localhost:000080": false,
		"localhost:8a": false, "localhost:+80": false,
		"localhost:80:80": false, "http://localhost": false, "[::1]": false, "127.0.0.1": false,
		// Letters outside ASCII that look like a dot or like a name.
		"evil.com\u3002test": false, "shop\uff0etest": false, "evil.com\uff0flocalhost.test": false,
		"loca\u029fhost": false, "büro.test": false, "\u200blocalhost": false,
		label63 + "a.test": false, "a." + strings.Repeat("b.", 130) + "test": false,
	} {
		if got := d.Match(instance); got != want {
			t.Errorf("Match(%q) = %v, want %v", instance, got, want)
		}
	}
	var none license.DevInstances
	if none.Match("localhost") || devInstances(t, "none").Match("localhost") {
		t.Error("without patterns there are still development instances")
	}
	own := devInstances(t, " *.Dev.Example.COM ", "127.0.0.1")
	for instance, want := range map[string]bool{
		"a.dev.example.com": true, "dev.example.com": false, "127.0.0.1:80": true, "localhost": false,
	} {
		if got := own.Match(instance); got != want {
			t.Errorf("with configured patterns, Match(%q) = %v, want %v", instance, got, want)
		}
	}
}

func TestBadDevelopmentPatternsAreRefused(t *testing.T) {
	t.Parallel()

	for _, p := range []string{
		"", "*", "*.", "*.*.test", "a.*.test", "*test", "http://localhost", "localhost:80", "a b", "büro.test",
		".test", "test.",
	} {
		if _, err := license.ParseDevInstances([]string{"localhost", p}); err == nil {
			t.Errorf("the pattern %q was accepted", p)
		}
	}
}

// Whatever a client sends, an instance takes no seat only if a resolver would read it as a name that ends
// in one of the list.
func FuzzDevelopmentInstances(f *testing.F) {
	for _, s := range []string{"localhost", "a.test:80", "localhost.evil.com", "evil.com#.test", "a。test", "a.test."} {
		f.Add(s)
	}
	d, err := license.ParseDevInstances(license.DefaultDevInstances())
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if !d.Match(s) {
			return
		}
		host, _, _ := strings.Cut(s, ":")
		host = strings.TrimSuffix(host, ".")
		labels := strings.Split(host, ".")
		if last := labels[len(labels)-1]; last != "localhost" && (last != "test" || len(labels) < 2) {
			t.Errorf("%q takes no seat", s)
		}
		if strings.ContainsAny(s, "/@#?\\ %[]") {
			t.Errorf("%q takes no seat", s)
		}
	})
}

func TestStagingAddresses(t *testing.T) {
	t.Parallel()

	d := devInstances(t, license.DefaultDevInstances()...)
	for instance, want := range map[string]string{ // the domain, or nothing
		"staging.example.com": "example.com", "dev.example.com:8443": "example.com", "test.example.com.": "example.com",
		"staging.shop.example.com.:1": "shop.example.com", "staging.xn--bcher-kva.example": "xn--bcher-kva.example",
		"dev.staging.example.com": "staging.example.com", // which then needs a seat of its own

		"example.com": "", "www.example.com": "", "stage.example.com": "", "staging1.example.com": "",
		"a.staging.example.com": "",
		"staging":               "", "staging.": "", "staging.com": "", "staging.com.": "", "staging..com": "",
		"staging..example.com": "",
		"staging.10.0.0.1":     "", "staging.example.com..": "", "staging.-a.example.com": "",
		"staging.example.com:": "", "staging.example.com:0": "", "staging.example.com:80:80": "",
		"staging.example.com:http": "",
		"staging.example.com/x":    "", "staging.evil.com#.example.com": "", "staging.evil.com?example.com": "",
		"staging.evil.com@example.com":  "",
		"staging.evil.com .example.com": "", "staging.evil.com,example.com": "", "http://staging.example.com": "",
		"staging.bücher.example": "", "staging\u3002example.com": "", "ſtaging.example.com": "",
		"staging\u200b.example.com": "",
	} {
		if got, ok := d.StagingOf(instance); ok && got != want || ok != (want != "") {
			t.Errorf("StagingOf(%q) = %q, %v; want %q", instance, got, ok, want)
		}
	}
	if _, ok := devInstances(t, "none").StagingOf("staging.example.com"); ok {
		t.Error("none leaves staging addresses on")
	}
	if _, ok := devInstances(t, "localhost").StagingOf("staging.example.com"); !ok {
		t.Error("own patterns turn staging addresses off")
	}
}
