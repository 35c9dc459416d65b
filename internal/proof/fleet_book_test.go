package proof

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"text/tabwriter"
	"time"
)

// book counts the requests of all clients, by phase of the test.
type book struct {
	mu     sync.Mutex
	phases []*phaseCount
	faults []*fault
	failed []failure
	last   time.Time // when a request that writes succeeded last
}

type phaseCount struct {
	name                             string
	kills, requests, waited, limited int
	failed, excused                  int
}

// fault is a time in which requests may fail: those to one replica, or all.
type fault struct {
	upstream   string
	all        bool
	from, till time.Time
	book       *book
}

// failure is a request that failed.
type failure struct {
	phase       *phaseCount
	what        string
	upstream    string // those that nginx asked
	begin, end  time.Time
	explanation string
}

func newBook() *book { return &book{phases: []*phaseCount{{name: "start"}}} }

func (b *book) phase(name string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.phases = append(b.phases, &phaseCount{name: name})
}

func (b *book) now() *phaseCount { return b.phases[len(b.phases)-1] }

func (b *book) killed() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.now().kills++
}

// begins notes that a fault begins.
func (b *book) begins(f fault) *fault {
	b.mu.Lock()
	defer b.mu.Unlock()
	f.from, f.book = time.Now(), b
	b.faults = append(b.faults, &f)
	return &f
}

// ends notes that a fault is over.
func (f *fault) ends() {
	f.book.mu.Lock()
	defer f.book.mu.Unlock()
	f.till = time.Now()
}

// excuses reports whether a fault explains a failure. A request that was sent to a replica
// after it had died was not accepted by it, so nginx can ask another.
func (f *fault) excuses(x failure) bool {
	if x.end.Before(f.from) || !f.till.IsZero() && x.begin.After(f.till) {
		return false
	}
	return f.all || strings.HasSuffix(x.upstream, f.upstream)
}

// note counts an answered request, or one without an answer.
func (b *book) note(what string, a answer, err error, begin time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	p := b.now()
	p.requests++
	switch {
	case err == nil && a.status == 409 && strings.Contains(string(a.body), "IDEMPOTENCY_IN_PROGRESS"):
		p.waited++
	case err == nil && a.status == 429:
		p.limited++
	case err != nil || a.status >= 500:
		p.failed++
		x := failure{phase: p, what: what, begin: begin, end: time.Now(), explanation: fmt.Sprint(err)}
		if err == nil {
			x.upstream = a.header.Get("X-Upstream")
			x.explanation = fmt.Sprintf("%d %.300s", a.status, a.body)
		}
		b.failed = append(b.failed, x)
	default:
		b.last = time.Now()
	}
}

// awaitSuccess waits until a request that was sent from now on succeeds.
func (b *book) awaitSuccess(t *testing.T, limit time.Duration) {
	t.Helper()
	from := time.Now()
	for {
		b.mu.Lock()
		ok := b.last.After(from.Add(500 * time.Millisecond)) // not only on connections that were lucky
		b.mu.Unlock()
		if ok {
			return
		}
		if time.Since(from) > limit {
			t.Fatalf("nothing succeeds within %s", limit)
		}
		pass(t, 10*time.Millisecond)
	}
}

// report prints a table, and fails the test for each failure that no fault explains.
func (b *book) report(tb testing.TB) {
	tb.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, x := range b.failed {
		explained := false
		for _, f := range b.faults {
			explained = explained || f.excuses(x)
		}
		if explained {
			x.phase.excused++
			continue
		}
		tb.Errorf("%s: %s at %s, after %s: %s", x.phase.name, x.what, x.upstream, x.end.Sub(x.begin).Round(time.Millisecond),
			x.explanation)
	}
	var text strings.Builder
	w := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "phase\tkills\trequests\tfailed at the fault\tfailed otherwise\tkey in progress\tlimited")
	for _, p := range b.phases {
		fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%d\t%d\t%d\n", p.name, p.kills, p.requests, p.excused, p.failed-p.excused, p.waited,
			p.limited)
	}
	_ = w.Flush()
	tb.Logf("\n%s", text.String())
}
