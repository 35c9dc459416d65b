package remote_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"stoa/internal/base/errs"
	"stoa/internal/market/remote"
	"stoa/internal/market/terms"
	"stoa/internal/testkit/dbtest"
	"stoa/internal/testkit/tuftest"
)

// during runs meanwhile while the next check of a market waits for the timestamp, which was read before.
// answer writes it, or something else.
func during(m *tuftest.Market, meanwhile func(), answer func(w http.ResponseWriter, timestamp []byte)) {
	m.Serve(tuftest.TimestampPath, func(w http.ResponseWriter, _ *http.Request) {
		m.Serve(tuftest.TimestampPath, nil)
		timestamp := m.File(tuftest.TimestampPath)
		meanwhile()
		answer(w, timestamp)
	})
}

func asRead(w http.ResponseWriter, timestamp []byte) { _, _ = w.Write(timestamp) }

func broken(w http.ResponseWriter, _ []byte) { w.WriteHeader(http.StatusInternalServerError) }

// Whoever looks at a market while somebody else does is not told that it does not answer.
func TestLooksAtAMarketAtTheSameTime(t *testing.T) {
	t.Parallel()

	for name, tt := range map[string]struct {
		meanwhile func(m *tuftest.Market) // before the second look
		answer    func(w http.ResponseWriter, timestamp []byte)
		want      string // versions that the first one is offered
	}{
		"nothing new":                 {func(*tuftest.Market) {}, asRead, "1.0.0"},
		"the second one sees more":    {func(m *tuftest.Market) { m.Offer("mail-courier", "1.1.0"); m.Publish() }, asRead, "1.1.0 1.0.0"},
		"only the second is answered": {func(*tuftest.Market) {}, broken, "1.0.0"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			m, b := newMarket(t)
			m.Offer("other", "2.0.0")
			m.Publish()
			known, err := b.Add(t.Context(), m.URL, m.Fingerprint())
			if err != nil {
				t.Fatal(err)
			}
			b.uses.products = []string{"mail-courier", "other"}
			during(m, func() {
				tt.meanwhile(m)
				if list, err := b.Packages(context.Background(), known.ID, "other"); err != nil || len(list) != 1 {
					t.Errorf("the second: %v, %v", list, err)
				}
				if _, err := b.LicenseKeys(context.Background(), known.ID); err != nil {
					t.Errorf("the keys: %v", err)
				}
			}, tt.answer)
			if got := b.versions(t, known.ID); got != tt.want {
				t.Errorf("the first: %s, want %s", got, tt.want)
			}
			b.is(t, "looked at", remote.OK, "")
			for _, name := range []string{"p-other", "p-mail-courier", terms.LicenseKeysFile} {
				if b.held(t, known.ID, name) == "" {
					t.Errorf("%s is not held", name)
				}
			}
		})
	}
}

func TestLicenseKeysThatAnotherCheckFindsMeanwhile(t *testing.T) {
	t.Parallel()

	m, b, known := added(t)
	during(m, func() {
		if _, err := b.LicenseKeys(context.Background(), known.ID); err != nil {
			t.Error(err)
		}
		m.Stop() // asking again is no use
	}, broken)
	if keys, err := b.LicenseKeys(t.Context(), known.ID); err != nil || len(keys) == 0 {
		t.Errorf("%s, %v", keys, err)
	}
}

// What another check found untrusted is not made good by one that fitted, but was not the last.
func TestACheckThatIsOvertakenByOneThatDoesNotFit(t *testing.T) {
	t.Parallel()

	m, b, known := added(t)
	during(m, func() {
		if err := b.Distrust(context.Background(), known.ID, "mail-courier 1.0.0 has another hash than signed"); err != nil {
			t.Error(err)
		}
	}, asRead)
	if got := b.versions(t, known.ID); got != "MARKET_UNTRUSTED" {
		t.Error(got)
	}
	b.is(t, "distrusted meanwhile", remote.Untrusted, "another hash")
	during(m, func() { b.poll(t) }, asRead)
	if got, err := b.Check(t.Context(), known.ID); err != nil || got.Distrust != "" {
		t.Errorf("an administrator asked, and a poll came between: %+v, %v", got, err)
	}
}

// A market that changes faster than it can be checked is left alone after a few attempts.
func TestAMarketThatIsNeverTheSameTwice(t *testing.T) {
	t.Parallel()

	m, b, known := added(t)
	var inside atomic.Bool
	attempts := 0
	m.Serve(tuftest.TimestampPath, func(w http.ResponseWriter, _ *http.Request) {
		timestamp := m.File(tuftest.TimestampPath)
		if inside.CompareAndSwap(false, true) {
			defer inside.Store(false)
			attempts++
			m.Publish()
			if _, err := b.Check(context.Background(), known.ID); err != nil {
				t.Error(err)
			}
		}
		_, _ = w.Write(timestamp)
	})
	_, err := b.Packages(t.Context(), known.ID, "mail-courier")
	e, ok := errors.AsType[*errs.Error](err)
	if !ok || e.Code != "MARKET_UNREACHABLE" || !strings.Contains(e.Details["reason"].(string), "it changed") || attempts != 3 {
		t.Errorf("%v after %d attempts", err, attempts)
	}
	attempts = 0
	b.poll(t)
	if attempts != 1 {
		t.Errorf("a poll was made %d times", attempts)
	}
	b.is(t, "overtaken", remote.OK, "")
}

// Everybody who looks at the same time is answered.
func TestManyLooksAtTheSameTime(t *testing.T) {
	t.Parallel()

	dbtest.OnBoth(t, func(t *testing.T, url string) {
		b := buyerOn(t, url, remote.FetcherConfig{})
		m := tuftest.New(t, "Acme", b.clock.Now)
		m.Offer("mail-courier", "1.0.0")
		m.Publish()
		known, err := b.Add(t.Context(), m.URL, m.Fingerprint())
		if err != nil {
			t.Fatal(err)
		}
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				if list, err := b.Packages(t.Context(), known.ID, "mail-courier"); err != nil || len(list) != 1 {
					t.Errorf("%v, %v", list, err)
				}
			})
			all.Go(func() {
				if _, err := b.LicenseKeys(t.Context(), known.ID); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		b.is(t, "looked at", remote.OK, "")
	})
}
