package remote_test

import (
	"cmp"
	"context"
	"errors"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"stoa/internal/base/errs"
	"stoa/internal/market/remote"
	"stoa/internal/market/terms"
	"stoa/internal/store"
	"stoa/internal/testkit/clocktest"
	"stoa/internal/testkit/dbtest"
	"stoa/internal/testkit/logtest"
	"stoa/internal/testkit/tuftest"
)

var t0 = time.Date(2030, time.March, 1, 12, 0, 0, 0, time.UTC)

// patience is how long a market may take to answer that is to answer, on a busy machine too.
const patience = time.Minute

// loopback are the networks in which the markets of tests are.
func loopback() []netip.Prefix {
	return []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")}
}

// buyer is a stoa that knows markets.
type buyer struct {
	*remote.Service

	clock *clocktest.Clock
	log   *logtest.Buffer
	uses  *uses
}

// uses is a Store that knows itself which products are needed, by their slugs.
type uses struct {
	remote.Store

	products []string
}

func (u *uses) Needed(context.Context, string) ([]string, error) { return u.products, nil }

func newBuyer(tb testing.TB, config remote.FetcherConfig) buyer {
	tb.Helper()
	return buyerOn(tb, dbtest.SQLite(tb), config)
}

func buyerOn(tb testing.TB, url string, config remote.FetcherConfig) buyer {
	tb.Helper()
	if config.Allow == nil {
		config.Allow = loopback()
	}
	config.Within = cmp.Or(config.Within, patience)
	clock, log := clocktest.New(t0), new(logtest.Buffer)
	local := func(context.Context) (string, string) { return "Our shop", "https://ours.example" }
	uses := &uses{Store: store.NewMarkets(dbtest.Open(tb, url))}
	return buyer{&remote.Service{
		Store: uses, Fetcher: remote.NewFetcher(config), Local: local,
		Log: log.Logger(), Now: clock.Now,
	}, clock, log, uses}
}

// newMarket returns a market that offers mail-courier 1.0.0, and a buyer that has not added it.
func newMarket(tb testing.TB) (*tuftest.Market, buyer) {
	tb.Helper()
	b := newBuyer(tb, remote.FetcherConfig{})
	m := tuftest.New(tb, "Acme", b.clock.Now)
	m.Offer("mail-courier", "1.0.0")
	m.Publish()
	return m, b
}

// added returns a market that a buyer has added, and has mail-courier from.
func added(tb testing.TB) (*tuftest.Market, buyer, remote.Market) {
	tb.Helper()
	m, b := newMarket(tb)
	got, err := b.Add(tb.Context(), m.URL, m.Fingerprint())
	if err != nil {
		tb.Fatal(err)
	}
	b.uses.products = []string{"mail-courier"}
	if _, err := b.Packages(tb.Context(), got.ID, "mail-courier"); err != nil {
		tb.Fatal(err)
	}
	m.Asked()
	return m, b, got
}

// poll polls once.
func (b buyer) poll(tb testing.TB) {
	tb.Helper()
	if err := b.Poll(tb.Context()); err != nil {
		tb.Fatal(err)
	}
}

// is fails the test unless the only market has a state, and a reason with some text.
func (b buyer) is(tb testing.TB, what string, state remote.State, reason string) {
	tb.Helper()
	list, err := b.Store.List(tb.Context())
	if err != nil || len(list) != 1 {
		tb.Fatalf("%d markets, %v", len(list), err)
	}
	got, why := list[0].At(b.clock.Now())
	if got != state || !strings.Contains(why, reason) || (why == "") != (reason == "") {
		tb.Errorf("%s: %s %q, want %s %q", what, got, why, state, reason)
	}
}

// versions returns the versions of mail-courier, or why there are none.
func (b buyer) versions(tb testing.TB, id string) string {
	tb.Helper()
	list, err := b.Packages(tb.Context(), id, "mail-courier")
	if e, ok := errors.AsType[*errs.Error](err); ok {
		return e.Code
	} else if err != nil {
		tb.Fatal(err)
	}
	var all []string
	for _, p := range list {
		all = append(all, p.Version)
	}
	return strings.Join(all, " ")
}

// held returns the version of a role that is held, or 0.
func (b buyer) held(tb testing.TB, id, role string) string {
	tb.Helper()
	files, err := b.Store.Files(tb.Context(), id)
	if err != nil {
		tb.Fatal(err)
	}
	return string(files[role])
}

func sorted(list []string) string {
	slices.Sort(list)
	return strings.Join(list, " ")
}

func metadataPath(role string, version int64) string {
	return terms.MetadataPath + terms.MetadataFile(role, version)
}

func code(err error) string {
	if e, ok := errors.AsType[*errs.Error](err); ok {
		return e.Code
	}
	return ""
}
