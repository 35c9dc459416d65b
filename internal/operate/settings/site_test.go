package settings

import (
	"log/slog"
	"net"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func tcp(t *testing.T, addr string) net.Addr {
	t.Helper()
	a, err := net.ResolveTCPAddr("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// A shop that others may reach must not sell for free by default.
func TestAShopThatOthersReachNeedsAChoiceOfPayments(t *testing.T) {
	t.Parallel()

	for _, tt := range []struct {
		addr, publicURL, payments string
		demo                      bool
		at                        string // where the choice is missing; empty if none is
	}{
		{addr: "0.0.0.0:8080", at: "0.0.0.0:8080"},
		{addr: "[::]:8080", at: "[::]:8080"},
		{addr: "10.0.0.7:8080", at: "http://10.0.0.7:8080"},
		{addr: "127.0.0.1:8080", publicURL: "https://shop.example.com", at: "https://shop.example.com"},
		{addr: "0.0.0.0:8080", payments: "live"},
		{addr: "0.0.0.0:8080", payments: "test"},
		{addr: "127.0.0.1:8080"},
		{addr: "[::1]:8080"},
		{addr: "0.0.0.0:8080", publicURL: "http://localhost:8080"},
	} {
		s := Serve{Addr: tt.addr, PublicURL: tt.publicURL, Checkout: Checkout{Payments: tt.payments}, Demo: tt.demo}
		_, err := s.Site(tcp(t, tt.addr), slog.New(slog.DiscardHandler))
		if tt.at == "" && err != nil ||
			tt.at != "" && (err == nil || !strings.Contains(err.Error(), "choose how purchases at "+tt.at+" are paid")) {
			t.Errorf("%+v: %v", tt, err)
		}
	}
}

func TestTheDemoIsForLoopbackAddressesOnly(t *testing.T) {
	t.Parallel()

	for addr, ok := range map[string]bool{
		"127.0.0.1:1": true, "[::1]:1": true, "0.0.0.0:1": false, "10.0.0.7:1": false,
	} {
		_, err := Serve{Addr: addr, Demo: true, Checkout: Checkout{Payments: "test"}}.Site(tcp(t, addr), slog.New(slog.DiscardHandler))
		if (err == nil) != ok {
			t.Errorf("at %s: %v", addr, err)
		}
	}
}

func TestWithoutAPublicURLTheSiteIsTheAddress(t *testing.T) {
	t.Parallel()

	for _, tt := range []struct {
		name  string
		serve Serve
		bound string
		want  Site
	}{
		{
			"an address",
			Serve{Addr: "127.0.0.1:0", AllowedHosts: []string{"a.example"}},
			"127.0.0.1:4000",
			Site{PublicURL: "http://127.0.0.1:4000", Payments: "test", AllowedHosts: []string{"a.example"}, AnswerAtBoundAddress: true},
		},
		{
			"a name",
			Serve{Addr: "shop.localhost:0"},
			"127.0.0.1:4000",
			Site{PublicURL: "http://127.0.0.1:4000", Payments: "test", AllowedHosts: []string{"shop.localhost"}, AnswerAtBoundAddress: true},
		},
		{
			"all addresses",
			Serve{Addr: ":0", Checkout: Checkout{Payments: "live"}},
			"0.0.0.0:4000",
			Site{PublicURL: "http://localhost:4000", Payments: "live", AnswerAtBoundAddress: true},
		},
		{
			"a public URL",
			Serve{Addr: ":0", PublicURL: "https://Shop.Example.com/", Checkout: Checkout{Payments: "live"}},
			"0.0.0.0:4000",
			Site{PublicURL: "https://shop.example.com", Payments: "live"},
		},
	} {
		got, err := tt.serve.Site(tcp(t, tt.bound), slog.New(slog.DiscardHandler))
		if diff := cmp.Diff(tt.want, got); err != nil || diff != "" {
			t.Errorf("%s: %v (-want +got)\n%s", tt.name, err, diff)
		}
	}
}

func TestMailNeedsAPublicURLAndSignUpNeedsMail(t *testing.T) {
	t.Parallel()

	if _, err := parse(t, "serve", "--smtp-url=smtp://mail"); err == nil || !strings.Contains(err.Error(), "--smtp-url needs") {
		t.Errorf("without one: %v", err)
	}
	_, err := parse(t, "serve", "--registration=mail-first")
	if err == nil || !strings.Contains(err.Error(), "--registration=mail-first needs --smtp-url") {
		t.Errorf("accounts that begin with a mail, without mail: %v", err)
	}
	for _, with := range []string{"--mail=log", "--demo"} {
		if _, err := parse(t, "serve", "--registration=mail-first", with); err != nil {
			t.Errorf("with %s: %v", with, err)
		}
	}
}

// Not parallel: it changes the environment.
func TestAShortTokenOfOperationsIsRefused(t *testing.T) {
	t.Setenv("STOA_OPS_TOKEN", "0123456789abcde")
	if _, err := parse(t, "serve"); err == nil || !strings.Contains(err.Error(), "STOA_OPS_TOKEN has 15 characters, fewer than 16") {
		t.Errorf("with 15 characters: %v", err)
	}
	t.Setenv("STOA_OPS_TOKEN", "0123456789abcdef")
	if _, err := parse(t, "serve"); err != nil {
		t.Errorf("with 16 characters: %v", err)
	}
}
