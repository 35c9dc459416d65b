package remote_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"time"

	"stoa/internal/market/remote"
	"stoa/internal/market/terms"
	"stoa/internal/testkit/tuftest"
)

// keysPath returns where a market serves license keys.
func keysPath(content []byte) string {
	sum := sha256.Sum256(content)
	return terms.TargetPath + terms.ServedAs(terms.LicenseKeysFile, hex.EncodeToString(sum[:]))
}

// License keys are asked for when they are needed, kept, and follow what the market signs.
func TestLicenseKeysAreThoseThatTheMarketSigned(t *testing.T) {
	t.Parallel()

	m, b, known := added(t)
	if b.held(t, known.ID, terms.LicenseKeysFile) != "" || strings.Contains(strings.Join(m.Asked(), " "), "license-keys") {
		t.Error("keys were asked for that nobody needs")
	}
	first := []byte(`{"keys":[]}`)
	for range 2 {
		if got, err := b.LicenseKeys(t.Context(), known.ID); err != nil || !bytes.Equal(got, first) {
			t.Fatalf("%s, %v", got, err)
		}
	}
	if n := strings.Count(strings.Join(m.Asked(), " "), "license-keys"); n != 1 {
		t.Errorf("asked for %d times", n)
	}
	second := []byte(`{"keys":[{}]}`)
	m.Target(terms.LicenseKeysFile, second, nil)
	m.Publish()
	b.poll(t)
	m.Stop()
	b.clock.Advance(30 * 24 * time.Hour)
	b.poll(t)
	b.is(t, "away", remote.Stale, "has expired")
	if got, err := b.LicenseKeys(t.Context(), known.ID); err != nil || !bytes.Equal(got, second) {
		t.Errorf("from a market that is away: %s, %v", got, err)
	}
	if _, err := b.LicenseKeys(t.Context(), "cm0000000000000000000000"); !errors.Is(err, remote.ErrNotFound) {
		t.Error(err)
	}
	if _, err := b.Get(t.Context(), remote.Self); !errors.Is(err, remote.ErrNotFound) {
		t.Errorf("the local market: %v", err)
	}
}

// Nothing that the market did not sign becomes a license key, and what was held stays.
func TestAttackOnLicenseKeys(t *testing.T) {
	t.Parallel()

	honest := []byte(`{"keys":[{}]}`)
	for name, tt := range map[string]struct {
		do     func(m *tuftest.Market, b buyer)
		state  remote.State
		reason string
		code   string
	}{
		"other keys": {func(m *tuftest.Market, _ buyer) {
			m.Put(keysPath(honest), []byte(`{"keys":[1]}`))
		}, remote.Untrusted, "license-keys.json has other contents", "MARKET_UNTRUSTED"},
		"oversize": {func(m *tuftest.Market, _ buyer) {
			m.Target(terms.LicenseKeysFile, make([]byte, 64<<10+1), nil)
			m.Publish()
		}, remote.Untrusted, "license-keys.json has more than 65536 bytes", "MARKET_UNTRUSTED"},
		"endless": {func(m *tuftest.Market, _ buyer) {
			m.Serve(keysPath(honest), endless)
		}, remote.Untrusted, "more than 65536 bytes", "MARKET_UNTRUSTED"},
		"unsigned": {func(m *tuftest.Market, _ buyer) {
			delete(m.Targets.Signed.Targets, terms.LicenseKeysFile)
			m.Publish()
		}, remote.Untrusted, "does not sign license-keys.json", "MARKET_UNTRUSTED"},
		"redirect": {func(m *tuftest.Market, _ buyer) {
			m.Serve(keysPath(honest), func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, m.URL, http.StatusFound) })
		}, remote.Unreachable, "it redirects", "MARKET_UNREACHABLE"},
		"stale": {func(_ *tuftest.Market, b buyer) {
			b.clock.Advance(terms.TimestampLife + time.Second)
		}, remote.Stale, "has expired", "MARKET_UNTRUSTED"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			m, b, known := added(t)
			m.Target(terms.LicenseKeysFile, honest, nil)
			m.Publish()
			b.poll(t)
			tt.do(m, b)
			if got, err := b.LicenseKeys(t.Context(), known.ID); code(err) != tt.code || got != nil {
				t.Errorf("%s, %v, want %s", got, err, tt.code)
			}
			b.is(t, "attacked", tt.state, tt.reason)
		})
	}
}

// The client for licenses and packages is as careful as the one for metadata.
func TestClientReachesOnlyWhatMarketsMayBe(t *testing.T) {
	t.Parallel()

	m := tuftest.New(t, "Acme", func() time.Time { return t0 })
	m.Serve("/hello", func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, r.Header.Get("User-Agent")) })
	m.Serve("/away", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, m.URL+"/hello", http.StatusFound) })
	allowed := remote.NewFetcher(remote.FetcherConfig{Allow: loopback(), Agent: "stoa/1", Within: patience}).Client()
	for path, want := range map[string]string{"/hello": "200 stoa/1", "/away": "302 "} {
		res, err := allowed.Get(m.URL + path)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(res.Body)
		res.Body.Close()
		if got := res.Status[:4] + string(body); err != nil || !strings.HasPrefix(got, want) {
			t.Errorf("%s: %q, %v, want %q", path, got, err, want)
		}
	}
	m.Asked()
	private := []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}
	for name, c := range map[string]*http.Client{
		"not allowed": remote.NewFetcher(remote.FetcherConfig{Allow: private, Within: patience}).Client(),
		"at all":      remote.NewFetcher(remote.FetcherConfig{Within: patience}).Client(),
	} {
		if res, err := c.Get(m.URL + "/hello"); err == nil {
			res.Body.Close()
			t.Errorf("%s: reached", name)
		}
	}
	if got := m.Asked(); len(got) != 0 {
		t.Errorf("asked for %v", got)
	}
}
