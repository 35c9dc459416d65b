package remote_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/net/dns/dnsmessage"

	"stoa/internal/market/remote"
	"stoa/internal/market/terms"
	"stoa/internal/testkit/tuftest"
)

// resolver returns a resolver that gives every name the address that answer has at the time.
func resolver(t *testing.T, answer *atomic.Value) *net.Resolver {
	t.Helper()
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	go func() {
		buf := make([]byte, 512)
		for {
			n, from, err := conn.ReadFrom(buf)
			if err != nil {
				return
			}
			var msg dnsmessage.Message
			if msg.Unpack(buf[:n]) != nil {
				continue
			}
			msg.Response = true
			if q := msg.Questions[0]; q.Type == dnsmessage.TypeA {
				msg.Answers = []dnsmessage.Resource{{
					Header: dnsmessage.ResourceHeader{Name: q.Name, Class: q.Class},
					Body:   &dnsmessage.AResource{A: netip.MustParseAddr(answer.Load().(string)).As4()},
				}}
			}
			if out, err := msg.Pack(); err == nil {
				_, _ = conn.WriteTo(out, from)
			}
		}
	}()
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "udp", conn.LocalAddr().String())
	}}
}

// secureMarket serves a market over TLS, and returns the port and how to trust it.
func secureMarket(t *testing.T, now func() time.Time) (m *tuftest.Market, port string, config *tls.Config, connected *atomic.Int64) {
	t.Helper()
	m = tuftest.New(t, "Acme", now)
	connected = new(atomic.Int64)
	srv := httptest.NewUnstartedServer(m)
	srv.Config.ConnState = func(_ net.Conn, s http.ConnState) {
		if s == http.StateNew {
			connected.Add(1)
		}
	}
	srv.StartTLS()
	t.Cleanup(srv.Close)
	pool := x509.NewCertPool()
	pool.AddCert(srv.Certificate())
	_, port, _ = net.SplitHostPort(srv.Listener.Addr().String())
	return m, port, &tls.Config{RootCAs: pool}, connected
}

// A name that resolves to a public address when it is looked at, and to a private one when it is dialed,
// reaches nothing: what counts is the address that is dialed.
func TestAttackWithADNSAnswerThatChanges(t *testing.T) {
	t.Parallel()

	m, port, config, connected := secureMarket(t, func() time.Time { return t0 })
	var at atomic.Value
	at.Store("127.0.0.1")
	how := remote.FetcherConfig{
		Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}, TLS: config, Resolver: resolver(t, &at), Within: patience,
	}
	b := newBuyer(t, how)
	if _, err := b.Add(t.Context(), "https://example.com:"+port, m.Fingerprint()); err != nil {
		t.Fatal(err)
	}
	before := connected.Load()
	at.Store("127.0.0.2")
	b.Fetcher = remote.NewFetcher(how) // without the connection of before
	b.poll(t)
	b.is(t, "resolved to another address", remote.Unreachable, "private or reserved")
	if n := connected.Load() - before; n != 0 {
		t.Errorf("%d connections to an address that is not allowed", n)
	}
}

func TestPrivateAddressesAreReachedOnlyWhereAllowed(t *testing.T) {
	t.Parallel()

	m, port, config, connected := secureMarket(t, func() time.Time { return t0 })
	var at atomic.Value
	at.Store("10.0.0.1")
	for name, tt := range map[string]struct {
		url, allow, code string
	}{
		"https, allowed":                   {"https://127.0.0.1:" + port, "127.0.0.0/8", ""},
		"https, not allowed":               {"https://127.0.0.1:" + port, "10.0.0.0/8", "VALIDATION_ERROR"},
		"https, as IPv4 in IPv6":           {"https://[::ffff:127.0.0.1]:" + port, "10.0.0.0/8", "VALIDATION_ERROR"},
		"http, allowed":                    {m.URL, "127.0.0.0/8", ""},
		"http, not allowed":                {m.URL, "10.0.0.0/8", "VALIDATION_ERROR"},
		"http, nothing allowed":            {m.URL, "", "VALIDATION_ERROR"},
		"http at a name that is elsewhere": {"http://localhost:" + port, "10.0.0.0/8", "VALIDATION_ERROR"},
	} {
		before := connected.Load()
		allow := []netip.Prefix{}
		if tt.allow != "" {
			allow = append(allow, netip.MustParsePrefix(tt.allow))
		}
		b := newBuyer(t, remote.FetcherConfig{Allow: allow, TLS: config, Resolver: resolver(t, &at)})
		_, err := b.Add(t.Context(), tt.url, m.Fingerprint())
		if got := code(err); got != tt.code {
			t.Errorf("%s: %v, want %s", name, err, tt.code)
		}
		if tt.code != "" && connected.Load() != before {
			t.Errorf("%s: connected", name)
		}
	}
}

// Without TLS, an allowed network is not enough: the address must be of this machine.
func TestOnlyThisMachineIsAskedWithoutTLS(t *testing.T) {
	t.Parallel()

	allow := []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32"), netip.MustParsePrefix("10.0.0.0/8")}
	for address, allowed := range map[string]bool{
		"127.0.0.1:80": true, "[::ffff:127.0.0.1]:80": true, "127.0.0.2:80": false, "[::1]:80": false, "10.0.0.1:80": false,
		"93.184.215.14:80": false, "nowhere": false,
	} {
		if err := remote.PlainDial(address, allow...); (err == nil) != allowed {
			t.Errorf("%s: %v", address, err)
		}
	}
}

// A certificate that nobody trusts is no answer, whoever has it.
func TestCertificatesAreChecked(t *testing.T) {
	t.Parallel()

	m, port, _, _ := secureMarket(t, func() time.Time { return t0 })
	b := newBuyer(t, remote.FetcherConfig{})
	if _, err := b.Add(t.Context(), "https://127.0.0.1:"+port, m.Fingerprint()); code(err) != "MARKET_UNREACHABLE" {
		t.Error(err)
	}
}

// Each limit is tested at the limit and one beyond.
func TestMetadataUpToItsLimitIsRead(t *testing.T) {
	t.Parallel()

	for name, tt := range map[string]struct {
		path  func(m *tuftest.Market) string
		limit int
		file  string
	}{
		"timestamp": {func(*tuftest.Market) string { return tuftest.TimestampPath }, terms.MaxTimestamp, "timestamp.json"},
		"snapshot": {func(m *tuftest.Market) string {
			return metadataPath(terms.Snapshot, m.Snapshot.Signed.Version)
		}, terms.MaxMetadata, "snapshot.json"},
		"targets": {func(m *tuftest.Market) string {
			return metadataPath(terms.Targets, m.Targets.Signed.Version)
		}, terms.MaxTargets, "targets.json"},
		"role": {func(m *tuftest.Market) string {
			return metadataPath("p-mail-courier", m.Roles["mail-courier"].Signed.Version)
		}, terms.MaxMetadata, "p-mail-courier.json"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m, b, _ := added(t)
			for beyond, state := range []remote.State{remote.OK, remote.Untrusted} {
				m.Publish()
				content := m.File(tt.path(m))
				m.Put(tt.path(m), append(content, make([]byte, tt.limit+beyond-len(content))...))
				pad(m.File(tt.path(m))[len(content):])
				b.poll(t)
				reason := ""
				if state != remote.OK {
					reason = tt.file + " has more than"
				}
				b.is(t, name, state, reason)
			}
		})
	}
}

// pad fills with spaces, which JSON allows at its end.
func pad(rest []byte) {
	for i := range rest {
		rest[i] = ' '
	}
}
