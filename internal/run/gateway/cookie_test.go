package gateway

import (
	"fmt"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const cookieID = "0198a1b2-0000-7000-8000-00000000000a"

// tagged begins the names of the cookies of installation cookieID: the start of its SHA-256.
const tagged = "p-24f4b4dd8724-"

var scope = cookieScope{tag: cookieTag(cookieID), base: "/api/v1/shop/plugins/pay", path: "/api/login"}

func TestCookieTagIsTheHashOfTheInstallation(t *testing.T) {
	t.Parallel()
	if got := cookieTag(cookieID); got != tagged {
		t.Errorf("tag = %q, want %q", got, tagged)
	}
}

func TestCookiesLeaveUnderANameOfTheInstallation(t *testing.T) {
	t.Parallel()

	const base, lax = "; Path=/api/v1/shop/plugins/pay", "; SameSite=Lax"
	tests := []struct{ name, set, want string }{
		{"for the whole origin", "s=1; Path=/", tagged + "s=1" + base + "/" + lax},
		{"for a folder", "s=1; Path=/api/account", tagged + "s=1" + base + "/api/account" + lax},
		{"for the folder of its address", "s=1", tagged + "s=1" + base + "/api" + lax},
		{"for a relative path", "s=1; Path=account", tagged + "s=1" + base + "/api" + lax},
		{"for an address of clients", "s=1; Path=/api/v1/shop/plugins/pay/api", tagged + "s=1" + base + "/api" + lax},
		{"for the plugin's address", "s=1; Path=/api/v1/shop/plugins/pay", tagged + "s=1" + base + lax},
		{"for a neighbor", "s=1; Path=/api/v1/shop/plugins/pay2", tagged + "s=1" + base + "/api/v1/shop/plugins/pay2" + lax},
		{"for stoa's sign-in", "s=1; Path=/auth", tagged + "s=1" + base + "/auth" + lax},
		{"for two paths", "s=1; Path=/a; path=/b", tagged + "s=1" + base + "/b" + lax},
		{"for a domain", "s=1; Path=/; Domain=example.com; domain=.com", tagged + "s=1" + base + "/" + lax},
		{"strict", "s=1; Path=/; SameSite=strict", tagged + "s=1" + base + "/; SameSite=Strict"},
		{"for other sites", "s=1; Path=/; SameSite=None; Secure", tagged + "s=1" + base + "/; Secure" + lax},
		{"strict, then none", "s=1; Path=/; SameSite=Strict; SameSite=None", tagged + "s=1" + base + "/" + lax},
		{"strict, then nonsense", "s=1; Path=/; SameSite=Strict; SameSite", tagged + "s=1" + base + "/" + lax},
		{
			"with every attribute",
			"s=1; Max-Age=60; Expires=Wed, 21 Oct 2026 07:28:00 GMT; HttpOnly; secure; Partitioned; Priority=High; Path=/; SameSite=Lax",
			tagged + "s=1" + base + "/; Max-Age=60; Expires=Wed, 21 Oct 2026 07:28:00 GMT; HttpOnly; secure; Partitioned; Priority=High" + lax,
		},
		{"with an attribute of the future", "s=1; Path=/; Origin=*; Sub Domains", tagged + "s=1" + base + "/" + lax},
		{"tight", "s=1;Path=/;Max-Age=5", tagged + "s=1" + base + "/; Max-Age=5" + lax},
		{"without a value", "s=; Path=/", tagged + "s=" + base + "/" + lax},
		{"with a strange value", `s="a b"=c,d&%20é; Path=/`, tagged + `s="a b"=c,d&%20é` + base + "/" + lax},
		{"named like stoa's", "stoa-refresh=x; Path=/auth", tagged + "stoa-refresh=x" + base + "/auth" + lax},
		{"named like a plugin's", tagged + "s=1; Path=/", tagged + tagged + "s=1" + base + "/" + lax},
		{"with an array's name", "cart[0]=1; Path=/", tagged + "cart[0]=1" + base + "/" + lax},
		{"__Host-", "__Host-s=1; Path=/; Secure", "__Secure-" + tagged + "__Host-s=1" + base + "/; Secure" + lax},
		{"__Secure-", "__Secure-s=1; Path=/; Secure", "__Secure-" + tagged + "__Secure-s=1" + base + "/; Secure" + lax},
		{"__hoST-", "__hoST-s=1; Path=/", "__Secure-" + tagged + "__hoST-s=1" + base + "/" + lax},

		{"without a name", "=1; Path=/", ""},
		{"a value alone", tagged + "s; Path=/", ""},
		{"nothing", "", ""},
		{"attributes alone", "; Path=/", ""},
		{"a blank in the name", "a b=1; Path=/", ""},
		{"a tab around the name", "\ts=1; Path=/", ""},
		{"letters in the name", "é=1; Path=/", ""},
		{"a comma in the name", "a,b=1; Path=/", ""},
		{"a NUL", "s=1\x00; Path=/", ""},
		{"a line feed", "s=1\nSet-Cookie: stoa-refresh=x; Path=/", ""},
		{"a control in an attribute", "s=1; Path=/\x7f", ""},
		{"dots in the path", "s=1; Path=/../../auth", ""},
		{"a dot in the path", "s=1; Path=/./api", ""},
		{"escaped dots in the path", "s=1; Path=/%2e%2E/auth", ""},
		{"an escaped slash before dots", "s=1; Path=/a%2f..", ""},
		{"a bad escape in the path", "s=1; Path=/%zz", ""},
		{"a backslash in the path", `s=1; Path=/..\auth`, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var want []string
			if tt.want != "" {
				want = []string{tt.want}
			}
			if diff := cmp.Diff(want, scope.leave([]string{tt.set})); diff != "" {
				t.Errorf("%q leaves (-want +got):\n%s", tt.set, diff)
			}
		})
	}
}

// The folder of a client's own path becomes an attribute. It must stay one.
func TestClientsPathsAddNoAttributes(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{
		"/x": "/", "/api/x": "/api", "/api/": "/api", "/": "/", "/a;Domain=evil.example/x": "/", "/a;/b": "/",
	} {
		s := scope
		s.path = path
		if got := s.leave([]string{"s=1"}); len(got) != 1 || !strings.Contains(got[0], "; Path="+s.base+want+"; ") {
			t.Errorf("at %q: %q, want the path %q", path, got, want)
		}
	}
}

func TestCookiesAreBounded(t *testing.T) {
	t.Parallel()

	long := func(n int) string { return "s=" + strings.Repeat("v", n-len(tagged)-1) + "; Path=/" }
	if got := scope.leave([]string{long(maxCookie), long(maxCookie + 1)}); len(got) != 1 {
		t.Errorf("%d of two cookies leave, want the one of %d bytes", len(got), maxCookie)
	}
	deep := func(n int) string { return "s=1; Path=/" + strings.Repeat("p", n-len(scope.base)-1) }
	if got := scope.leave([]string{deep(maxAttribute), deep(maxAttribute + 1)}); len(got) != 1 {
		t.Errorf("%d of two paths leave, want the one of %d bytes", len(got), maxAttribute)
	}
	var many, sent []string
	for i := range maxCookies + 1 {
		many = append(many, fmt.Sprintf("s%d=1; Path=/", i))
		sent = append(sent, fmt.Sprintf("%ss%d=1", tagged, i))
	}
	if got := scope.leave(many); len(got) != maxCookies {
		t.Errorf("%d cookies leave, want %d", len(got), maxCookies)
	}
	if got := ownCookies(tagged, []string{strings.Join(sent, ";")}); strings.Count(got, "=") != maxCookies {
		t.Errorf("%d cookies arrive, want %d", strings.Count(got, "="), maxCookies)
	}
	wide := func(n int) string { return tagged + "s=" + strings.Repeat("v", n-2) + "; " + tagged + "t=" }
	if got := ownCookies(tagged, []string{wide(maxCookieLine)}); len(got) != maxCookieLine || got[0] != 's' {
		t.Errorf("%d bytes arrive, want %d", len(got), maxCookieLine)
	}
	if got := ownCookies(tagged, []string{wide(maxCookieLine + 1)}); got != "t=" {
		t.Errorf("after a cookie that is too long: %.20q, want the next one", got)
	}
}

func TestOnlyOwnCookiesArrive(t *testing.T) {
	t.Parallel()

	other := cookieTag("0198a1b2-0000-7000-8000-00000000000b")
	tests := []struct {
		name string
		sent []string
		want string
	}{
		{"none", nil, ""},
		{"its own", []string{tagged + "a=1; " + tagged + "b=2"}, "a=1; b=2"},
		{"in two lines", []string{tagged + "a=1", tagged + "b=2"}, "a=1; b=2"},
		{"the same name from two folders", []string{tagged + "a=1; " + tagged + "a=2"}, "a=1; a=2"},
		{"with strange values", []string{tagged + `a="x y",z=%; ` + tagged + "b="}, `a="x y",z=%; b=`},
		{"stoa's", []string{"stoa-refresh=t; __Secure-stoa-refresh=t; __Host-stoa-flow=f"}, ""},
		{"the shop's", []string{"a=1; theme=dark"}, ""},
		{"another installation's", []string{other + "a=1; __Secure-" + other + "__Host-a=1"}, ""},
		{"another's beside its own", []string{other + "a=1; " + tagged + "b=2; stoa-refresh=t"}, "b=2"},
		{"with a prefix", []string{"__Secure-" + tagged + "__Host-a=1; __Secure-" + tagged + "__Secure-b=2"}, "__Host-a=1; __Secure-b=2"},
		{"a prefix that no browser has checked", []string{tagged + "__Host-a=1; " + tagged + "__secure-b=2"}, ""},
		{"a prefix that the plugin has not set", []string{"__Secure-" + tagged + "a=1; __Host-" + tagged + "a=1"}, ""},
		{"a prefix in other letters", []string{"__secure-" + tagged + "__Host-a=1"}, ""},
		{"the tag in other letters", []string{strings.ToUpper(tagged) + "a=1; P" + tagged[1:] + "a=1"}, ""},
		{"a part of the tag", []string{tagged[:10] + "a=1; " + strings.TrimSuffix(tagged, "-") + "=1"}, ""},
		{"the tag alone", []string{tagged + "=1; " + tagged}, ""},
		{"escaped", []string{"%70" + tagged[1:] + "a=1"}, ""},
		{"in the value of another's", []string{other + `x="; ` + tagged + `a=1"`}, `a=1"`}, // no browser can send it
		{"behind a comma", []string{other + "x=1," + tagged + "a=1"}, ""},
		{"blanks around the name", []string{tagged + "a =1;\t" + tagged + "b=2"}, "b=2"},
		{"a value alone", []string{tagged + "a"}, ""},
		{"quoted", []string{`"` + tagged + `a"=1`}, ""},
		{"of the old standard", []string{"$Version=1; $Path=/; " + tagged + "a=1"}, "a=1"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := ownCookies(tagged, tt.sent); got != tt.want {
				t.Errorf("%q arrive as %q, want %q", tt.sent, got, tt.want)
			}
		})
	}
}

// What a browser makes of the lines comes back to the plugin, and goes nowhere else. The jar is
// net/http's, which shares no code with the gateway.
func TestCookiesComeBackFromAJar(t *testing.T) {
	t.Parallel()

	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	at := func(path string) *url.URL { return &url.URL{Scheme: "https", Host: "shop.example", Path: path} }
	res := http.Response{Header: http.Header{"Set-Cookie": scope.leave([]string{
		"session=a.b; Path=/; HttpOnly", "__Host-csrf=c; Path=/; Secure", "narrow=d; Path=/api/account", "here=e",
		"wide=f; Domain=example; Path=/",
	})}}
	jar.SetCookies(at(scope.base+scope.path), res.Cookies())
	for path, want := range map[string]string{
		scope.base + "/api/x":         "__Host-csrf=c here=e session=a.b wide=f",
		scope.base + "/api/account/1": "__Host-csrf=c here=e narrow=d session=a.b wide=f",
		scope.base + "/health":        "__Host-csrf=c session=a.b wide=f",
		scope.base + "2/api/x":        "", "/auth/refresh": "", "/": "", "/api/v1/admin/plugins/pay/api/x": "",
	} {
		r := http.Request{Header: make(http.Header)}
		for _, c := range jar.Cookies(at(path)) {
			r.AddCookie(c)
		}
		back := strings.Split(ownCookies(scope.tag, r.Header["Cookie"]), "; ")
		slices.Sort(back)
		if got := strings.Join(back, " "); got != want {
			t.Errorf("at %s come back %q, want %q", path, got, want)
		}
	}
}

// Whatever a plugin sends, a cookie that leaves is one of the installation's, below its routes.
func FuzzSetCookie(f *testing.F) {
	for _, line := range []string{
		"s=1; Path=/; Domain=x; SameSite=None", "__Host-s=1", "=x", "s=1; Path=/../x", "a=\"b;c\"; path", "s=1;;;Expires=;", "s",
	} {
		f.Add(line, "/api/x")
	}
	f.Fuzz(func(t *testing.T, line, path string) {
		s := scope
		if s.path = path; !passable(path, false) {
			return // the gateway answers it
		}
		for _, out := range s.leave([]string{line}) {
			name, rest, _ := strings.Cut(out, "=")
			own, mine := ownName(s.tag, name)
			if !mine || outerName(s.tag, own) != name {
				t.Errorf("%q leaves as %q", line, out)
			}
			seen := make(map[string][]string)
			for attribute := range strings.SplitSeq(rest, "; ") {
				key, value, _ := strings.Cut(attribute, "=")
				seen[strings.ToLower(key)] = append(seen[strings.ToLower(key)], value)
			}
			if p := seen["path"]; len(p) != 1 || p[0] != s.base && !strings.HasPrefix(p[0], s.base+"/") || hasControl(out) {
				t.Errorf("%q leaves as %q", line, out)
			}
			if same := seen["samesite"]; len(same) != 1 || same[0] != "Lax" && same[0] != "Strict" || seen["domain"] != nil {
				t.Errorf("%q leaves as %q", line, out)
			}
		}
	})
}
