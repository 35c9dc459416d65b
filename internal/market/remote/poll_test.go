package remote_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"stoa/internal/market/remote"
	"stoa/internal/market/terms"
	"stoa/internal/store"
	"stoa/internal/testkit/dbtest"
	"stoa/internal/testkit/needtest"
	"stoa/internal/testkit/tuftest"
)

func TestAPollAsksForTheTimestampOnlyAndThenForWhatIsNew(t *testing.T) {
	t.Parallel()

	m, b, _ := added(t)
	var tags []string
	m.Serve(tuftest.TimestampPath, func(w http.ResponseWriter, r *http.Request) {
		tags = append(tags, r.Header.Get("If-None-Match"))
		w.WriteHeader(http.StatusNotModified)
	})
	for range 2 {
		b.clock.Advance(time.Minute)
		b.poll(t)
	}
	if got := sorted(m.Asked()); got != "timestamp.json timestamp.json" {
		t.Errorf("nothing new: asked for %s", got)
	}
	if len(tags) != 2 || tags[0] == "" || tags[0] != tags[1] {
		t.Errorf("asked with %q", tags)
	}
	list, err := b.Store.List(t.Context())
	if err != nil || !list[0].CheckedAt.Equal(b.clock.Now()) {
		t.Errorf("checked at %s, %v", list[0].CheckedAt, err)
	}
	m.Serve(tuftest.TimestampPath, nil)
	m.SignTimestamp()
	b.poll(t)
	if got := sorted(m.Asked()); got != "2.root.json timestamp.json" {
		t.Errorf("a new timestamp: asked for %s", got)
	}
	m.SignRole("mail-courier")
	m.SignSnapshot()
	m.SignTimestamp()
	b.poll(t)
	if got := sorted(m.Asked()); got != "2.p-mail-courier.json 2.root.json 3.snapshot.json timestamp.json" {
		t.Errorf("a new role: asked for %s", got)
	}
}

// Roles of products are asked for when somebody wants the product, and held while something of it is needed.
func TestOnlyRolesThatAreNeededAreHeld(t *testing.T) {
	t.Parallel()

	m, b := newMarket(t)
	m.Offer("other", "2.0.0", "1.0.0")
	m.Lives[terms.RoleOf("other")] = time.Hour
	m.Publish()
	known, err := b.Add(t.Context(), m.URL, m.Fingerprint())
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(strings.Join(m.Asked(), " "), ".p-") {
		t.Error("roles were asked for")
	}
	look := func() {
		t.Helper()
		list, err := b.Packages(t.Context(), known.ID, "other")
		if err != nil || len(list) != 2 || list[0].Target != "other/2.0.0.zip" || list[0].Publisher.Name != "acme" || !terms.IsHash(list[0].Hash) {
			t.Errorf("%+v, %v", list, err)
		}
		_, highest, err := b.Offered(t.Context(), known.ID, []string{"other", "mail-courier", "nothing"})
		if err != nil || len(highest) != 2 || len(highest["other"]) != 1 || highest["other"][0].Version != "2.0.0" {
			t.Errorf("%+v, %v", highest, err)
		}
	}
	holds := func(what string, other bool) {
		t.Helper()
		if got := b.held(t, known.ID, "p-other") != ""; got != other || b.held(t, known.ID, "p-mail-courier") != "" {
			t.Errorf("%s: p-other is held: %t", what, got)
		}
		if list, err := b.Store.List(t.Context()); err != nil || list[0].GoodUntil.After(t0.Add(time.Hour)) == other {
			t.Errorf("%s: good until %s, %v", what, list[0].GoodUntil, err)
		}
	}
	look()
	holds("looked at", false)
	b.uses.products = []string{"other"}
	look()
	holds("needed", true)
	if held, err := b.Held(t.Context(), known.ID, []string{"other", "mail-courier"}); err != nil || len(held) != 1 || len(held["other"]) != 2 {
		t.Errorf("held %+v, %v", held, err)
	}
	m.SignTimestamp()
	m.Asked()
	b.poll(t)
	if got := strings.Join(m.Asked(), " "); strings.Contains(got, ".p-") {
		t.Errorf("asked again for %s", got)
	}
	b.uses.products = nil
	m.SignTimestamp()
	b.poll(t)
	holds("not needed any more", false)
	if _, err := b.Packages(t.Context(), known.ID, "nothing"); code(err) != "NOT_FOUND" {
		t.Error(err)
	}
	if _, err := b.Packages(t.Context(), "nothing", "other"); code(err) != "NOT_FOUND" {
		t.Error(err)
	}
	clear(m.Roles["mail-courier"].Signed.Targets) // the product is deleted, or its versions withdrawn
	m.Publish()
	if list, err := b.Packages(t.Context(), known.ID, "mail-courier"); err != nil || len(list) != 0 {
		t.Errorf("%v, %v", list, err)
	}
}

// After a package that did not fit, nothing is trusted until the market signs another snapshot, or an
// administrator asks.
func TestDistrustOfAPackageEnds(t *testing.T) {
	t.Parallel()

	m, b, known := added(t)
	distrust := func() {
		t.Helper()
		if err := b.Distrust(t.Context(), known.ID, "mail-courier 1.0.0 has another hash than signed"); err != nil {
			t.Fatal(err)
		}
		b.poll(t)
		b.is(t, "polled", remote.Untrusted, "another hash")
		m.SignTimestamp()
		b.poll(t)
		b.is(t, "a new timestamp", remote.Untrusted, "another hash")
		if got := b.versions(t, known.ID); got != "MARKET_UNTRUSTED" {
			t.Error(got)
		}
	}
	distrust()
	if got, err := b.Check(t.Context(), known.ID); err != nil || got.Distrust != "" {
		t.Errorf("asked: %+v, %v", got, err)
	}
	b.is(t, "asked", remote.OK, "")
	distrust()
	m.SignSnapshot()
	m.SignTimestamp()
	b.poll(t)
	b.is(t, "a new snapshot", remote.OK, "")
	if err := b.Distrust(t.Context(), "nothing", ""); code(err) != "NOT_FOUND" {
		t.Error(err)
	}
}

// What chains from another root is another market, whatever its address.
func TestARootThatIsRotatedIsAudited(t *testing.T) {
	t.Parallel()

	m, b, _ := added(t)
	rotate(t, m, terms.Root)
	rotate(t, m, terms.Timestamp)
	m.Publish()
	b.poll(t)
	b.is(t, "rotated", remote.OK, "")
	db := b.uses.Store.(*store.Markets)
	var actor, details string
	err := db.Read.QueryRowContext(t.Context(),
		`SELECT actor_kind, details_json FROM audit_log WHERE action = 'market.root'`).Scan(&actor, &details)
	if err != nil || actor != "system" || !strings.Contains(details, `"from":1,"name":"Acme","to":3`) {
		t.Errorf("%s %s, %v", actor, details, err)
	}
}

// A market may be larger than what is held of it: it is looked at page by page, and trusted.
func TestWhatIsHeldOfAMarketIsBounded(t *testing.T) {
	t.Parallel()
	needtest.Long(t, "it reads more than 32 MiB of a market, several times")

	m, b := newMarket(t)
	var all []string
	for i := range 34 {
		slug := fmt.Sprintf("product-%02d", i)
		all = append(all, slug)
		m.Offer(slug, "1.0.0")
		m.Roles[slug].Signed.UnrecognizedFields = map[string]any{"more": strings.Repeat("x", 1000<<10)}
	}
	m.Publish()
	known, err := b.Add(t.Context(), m.URL, m.Fingerprint())
	if err != nil {
		t.Fatal(err)
	}
	look := func(slugs []string) {
		t.Helper()
		if _, list, err := b.Offered(t.Context(), known.ID, slugs); err != nil || len(list) != len(slugs) {
			t.Errorf("%d of %d products, %v", len(list), len(slugs), err)
		}
		b.is(t, "looked at", remote.OK, "")
	}
	held := func() (roles, size int) {
		t.Helper()
		files, err := b.Store.Files(t.Context(), known.ID)
		if err != nil {
			t.Fatal(err)
		}
		for name, content := range files {
			size += len(content)
			if strings.HasPrefix(name, "p-") {
				roles++
			}
		}
		return roles, size
	}
	for page := range slices.Chunk(all, 20) {
		look(page)
	}
	if roles, _ := held(); roles != 0 {
		t.Errorf("%d roles are held that nobody needs", roles)
	}

	// Of what is needed, as much is held as there is room for.
	b.uses.products = all
	m.SignTimestamp()
	b.poll(t)
	b.is(t, "needed", remote.OK, "")
	if roles, size := held(); roles != 32 || size > terms.MaxHeld || b.held(t, known.ID, "p-product-00") == "" {
		t.Errorf("%d roles are held, and %d bytes", roles, size)
	}
	if log := b.log.String(); !strings.Contains(log, "there is no room for all") || !strings.Contains(log, "products=2") {
		t.Errorf("logged %s", log)
	}
	if versions, err := b.Packages(t.Context(), known.ID, "product-33"); err != nil || len(versions) != 1 {
		t.Errorf("one without room: %v, %v", versions, err)
	}
}

// Of two checks at the same time the first one counts, so that an older answer undoes nothing.
func TestChecksAtTheSameTime(t *testing.T) {
	t.Parallel()

	dbtest.OnBoth(t, func(t *testing.T, url string) {
		b := buyerOn(t, url, remote.FetcherConfig{})
		m := tuftest.New(t, "Acme", b.clock.Now)
		known, err := b.Add(t.Context(), m.URL, m.Fingerprint())
		if err != nil {
			t.Fatal(err)
		}
		m.Publish()
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				if got, err := b.Check(t.Context(), known.ID); err != nil || got.Distrust != "" || got.Failure != "" {
					t.Errorf("%+v, %v", got, err)
				}
			})
		}
		all.Wait()
		b.is(t, "checked", remote.OK, "")
	})
}

// A check whose answer comes late does not put an older timestamp in place of a newer one.
func TestACheckThatEndsLaterDoesNotGoBack(t *testing.T) {
	t.Parallel()

	m, b, known := added(t)
	m.SignTimestamp()
	late := m.File(tuftest.TimestampPath)
	m.Serve(tuftest.TimestampPath, func(w http.ResponseWriter, _ *http.Request) {
		m.Serve(tuftest.TimestampPath, nil)
		m.SignTimestamp()
		if _, err := b.Check(context.Background(), known.ID); err != nil {
			t.Error(err)
		}
		_, _ = w.Write(late)
	})
	if _, err := b.Check(t.Context(), known.ID); err != nil {
		t.Fatal(err)
	}
	if got := b.held(t, known.ID, terms.Timestamp); got != string(m.File(tuftest.TimestampPath)) {
		t.Errorf("held is %s", got)
	}
}

// A check that is going on when its market is removed leaves nothing behind.
func TestAMarketThatIsRemovedDuringACheck(t *testing.T) {
	t.Parallel()

	m, b, known := added(t)
	m.SignTimestamp()
	fresh := m.File(tuftest.TimestampPath)
	m.Serve(tuftest.TimestampPath, func(w http.ResponseWriter, _ *http.Request) {
		if err := b.Remove(context.Background(), known.ID); err != nil {
			t.Error(err)
		}
		_, _ = w.Write(fresh)
	})
	if _, err := b.Check(t.Context(), known.ID); code(err) != "NOT_FOUND" {
		t.Error(err)
	}
	if b.held(t, known.ID, terms.Root) != "" {
		t.Error("something is held")
	}
}

// nobody has no markets, and counts how often it was asked for them.
type nobody struct {
	remote.Store

	at []time.Time
}

func (n *nobody) List(context.Context) ([]remote.Market, error) {
	n.at = append(n.at, time.Now())
	return nil, nil
}

// Markets are polled every minute, earlier or later by up to a fifth.
func TestPollsAreAMinuteApart(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		var n nobody
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Minute)
		defer cancel()
		(&remote.Service{Store: &n}).KeepPolling(ctx)
		apart := make(map[time.Duration]bool)
		for i := 1; i < len(n.at); i++ {
			d := n.at[i].Sub(n.at[i-1])
			if d < 48*time.Second || d > 72*time.Second {
				t.Errorf("%s apart", d)
			}
			apart[d] = true
		}
		if len(n.at) < 80 || len(apart) < len(n.at)/2 {
			t.Errorf("%d polls in 100 minutes, %d different times", len(n.at), len(apart))
		}
	})
}
