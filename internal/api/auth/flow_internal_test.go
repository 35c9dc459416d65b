package auth

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

// TestTheFlowIsForItsBrowserAndItsOrigin sets, reads and clears the flow cookie as browsers see it.
func TestTheFlowIsForItsBrowserAndItsOrigin(t *testing.T) {
	t.Parallel()

	h := &Handlers{PublicURL: "https://shop.example"}
	request := func(url, origin string, cookies ...string) *http.Request {
		r := httptest.NewRequest(http.MethodPost, url, http.NoBody)
		if origin != "" {
			r.Header.Set("Origin", origin)
		}
		for _, c := range cookies {
			r.Header.Add("Cookie", c)
		}
		return r
	}
	for _, tc := range []struct{ name, url, origin, want string }{
		{
			"https", "http://shop.example/", "https://shop.example",
			"__Host-stoa-flow=f; Path=/; Max-Age=600; HttpOnly; Secure; SameSite=Lax",
		},
		{
			"loopback", "http://localhost:8080/", "http://localhost:8080",
			"stoa-flow=f; Path=/; Max-Age=600; HttpOnly; SameSite=Lax",
		},
		{
			"loopback over https", "http://localhost:8080/", "https://localhost:8080",
			"__Host-stoa-flow=f; Path=/; Max-Age=600; HttpOnly; Secure; SameSite=Lax",
		},
		{"another site", "http://shop.example/", "https://evil.example", ""},
		{"a neighbor", "http://shop.example/", "https://www.shop.example", ""},
		{"no page", "http://shop.example/", "", ""},
		{"a sandbox", "http://shop.example/", "null", ""},
	} {
		w := httptest.NewRecorder()
		h.setFlow(w, request(tc.url, tc.origin), "f")
		if got := w.Header().Get("Set-Cookie"); got != tc.want {
			t.Errorf("%s: Set-Cookie = %q, want %q", tc.name, got, tc.want)
		}
	}
	const shop, local = "http://shop.example/", "http://127.0.0.1:8080/"
	for _, tc := range []struct {
		name, url, want string
		cookies         []string
	}{
		{"none", shop, "", nil},
		{"its own", shop, "f", []string{"a=b; __Host-stoa-flow=f"}},
		{"without the prefix, which a neighbor could set", shop, "", []string{"stoa-flow=f"}},
		{"two", shop, "", []string{"__Host-stoa-flow=f", "__Host-stoa-flow=g"}},
		{"on loopback", local, "f", []string{"stoa-flow=f"}},
		{"on loopback over https", local, "f", []string{"__Host-stoa-flow=f"}},
		{"two on loopback", local, "", []string{"stoa-flow=f; __Host-stoa-flow=g"}},
	} {
		r, w := request(tc.url, "", tc.cookies...), httptest.NewRecorder()
		if got := h.flow(r); got != tc.want {
			t.Errorf("%s: the flow is %q, want %q", tc.name, got, tc.want)
		}
		h.clearFlow(w, r)
		if got := len(w.Header().Values("Set-Cookie")); got != len(flowCookies(r)) {
			t.Errorf("%s: %d cookies are removed", tc.name, got)
		}
	}
	w := httptest.NewRecorder()
	h.clearFlow(w, request(shop, "", "__Host-stoa-flow=f"))
	if got := w.Header().Get("Set-Cookie"); got != "__Host-stoa-flow=; Path=/; Max-Age=0; HttpOnly; Secure; SameSite=Lax" {
		t.Errorf("removed with %q", got)
	}
}
