package relay_test

import (
	"net/http"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/run/relay"
)

func TestHopByHop(t *testing.T) {
	t.Parallel()

	for name, want := range map[string]bool{
		"Connection": true, "connection": true, "TE": true, "Keep-Alive": true, "UPGRADE": true, "transfer-encoding": true,
		"Content-Length": false, "X-Connection": false, "": false,
	} {
		if got := relay.IsHopByHop(name); got != want {
			t.Errorf("IsHopByHop(%q) = %t, want %t", name, got, want)
		}
	}
}

func TestConnectionNames(t *testing.T) {
	t.Parallel()

	h := http.Header{"Connection": {"keep-alive, X-Hop", " ,\tUpgrade "}}
	want := []string{"keep-alive", "X-Hop", "Upgrade"}
	if got := slices.Collect(relay.ConnectionNames(h)); !slices.Equal(got, want) {
		t.Errorf("ConnectionNames = %q, want %q", got, want)
	}
}

// A theme app, which keeps its own cookies, sets none of stoa's or of a plugin's.
func TestThemeAppsSetTheirOwnCookies(t *testing.T) {
	t.Parallel()

	h := http.Header{"Set-Cookie": {
		"cart=1; Path=/", "stoa-refresh=x", "__Host-STOA-flow=x", "=stoa-refresh=x", "p-24f4b4dd8724-session=x", "P-24F4B4DD8724-session=x",
		"__Secure-p-24f4b4dd8724-__Host-session=x", "p-24f4b4dd872-mine=1", "p-list=1",
	}}
	relay.Withhold(h, relay.Allowed{Cookies: true})
	want := []string{"cart=1; Path=/", "p-24f4b4dd872-mine=1", "p-list=1"}
	if diff := cmp.Diff(want, h["Set-Cookie"]); diff != "" {
		t.Errorf("cookies (-want +got):\n%s", diff)
	}
}

func TestWithhold(t *testing.T) {
	t.Parallel()

	h := http.Header{
		"Set-Cookie": {"a=1"}, "set-cookie2": {"b"}, "Alt-Svc": {"h3"}, "Access-Control-Allow-Origin": {"*"},
		"X-Platform-Token": {"t"}, "X-Plugin-Config": {"c"}, "X-Request-Id": {"own"},
		"Trailer:Set-Cookie": {"a=1"},
		"Content-Type":       {"text/plain"}, "X-Kept": {"yes"}, "Trailer:X-Sum": {"5"},
	}
	relay.Withhold(h, relay.Allowed{})
	want := http.Header{"Content-Type": {"text/plain"}, "X-Kept": {"yes"}, "Trailer:X-Sum": {"5"}}
	if diff := cmp.Diff(want, h); diff != "" {
		t.Errorf("left over (-want +got):\n%s", diff)
	}
}
