package takeover_test

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"math/rand/v2"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"stoa/internal/account"
	"stoa/internal/app"
	"stoa/internal/testkit"
	"stoa/internal/testkit/idptest"
)

// twin is a way to ask about an address, or about something that somebody may have. ready returns the i-th request
// about what is there, and about what is not.
type twin struct {
	name  string
	ready func(t *testing.T, w *world) func(i int) (a, b testkit.Request)
	loud  bool // it writes and mails, which scatters the medians by more than 2 %: only ranks count
	// secret says that nobody can ask without a secret of 256 bits, which has expired. The database looks at a row to see
	// that, for about 3 µs: the medians differ by less than 20 µs, and ranks are shown only.
	secret bool
}

// T99: how long an answer takes tells nobody whether an address has an account. Pairs of requests, one about what is
// there and one about what is not, go out in random order; with STOA_PROOF, 2,000 for each way. The bytes are the same,
// the medians differ by less than 2 % or 50 µs, and the times of one kind do not rank before those of the other.
// Medians of what waits for a disk scatter: where they differ and ranks do not, the way is measured again, up to twice.
func TestHowLongAnAnswerTakesTellsNothing(t *testing.T) {
	if os.Getenv("STOA_PROOF") == "" {
		t.Skip("make proof runs this: it measures")
	}
	onEngine := func(t *testing.T, options ...testkit.Option) {
		for _, way := range []twin{
			{name: "sign-in", ready: twinSignIns},
			{name: "second step", ready: twinChallenges, secret: true},
			{name: "passkey as the second step", ready: twinOptions, secret: true},
			{name: "forgotten password", ready: twinForgotten},
			{name: "forgotten password again", ready: twinForgottenAgain},
			{name: "sign-up", ready: twinSignUps},
			{name: "mailed link", ready: twinMails},
			{name: "change of address", ready: twinChanges},
			{name: "completion from a provider", ready: twinCompletions},
			{name: "mailbox of a provider", ready: twinProofs},
			{name: "invitation", ready: twinInvitations, secret: true},
			{name: "page of an invitation", ready: twinLookUps, secret: true},
			{name: "inviting", ready: twinInvites, loud: true},
		} {
			t.Run(way.name, func(t *testing.T) {
				mode := "open"
				if way.name == "sign-up" {
					mode = "mail-first"
				}
				apart := errors.New("not measured")
				for n := 0; apart != nil && n < 3; n++ {
					ranksAlike := t.Run(fmt.Sprint(n), func(t *testing.T) {
						w := &world{App: testkit.New(t, append(options, withKeys, signingInByMail, registering(mode), quiet)...)}
						apart = measure(t, w, way)
					})
					if !ranksAlike {
						return
					}
				}
				if apart != nil {
					t.Error(apart)
				}
			})
		}
	}
	// One after the other: beside each other they disturb the times.
	t.Run("SQLite", func(t *testing.T) { onEngine(t) })
	t.Run("PostgreSQL", func(t *testing.T) { onEngine(t, testkit.OnPostgres) })
}

// quiet writes no log, whose writing takes time.
func quiet(_ testing.TB, cfg *app.Config) { cfg.Log = slog.New(slog.DiscardHandler) }

// pairs is how many pairs are measured.
const pairs = 2000

const forgotten = "/auth/forgot-password"

// nobodys is the challenge of no sign-in.
var nobodys = "stoa_ch_" + strings.Repeat("A", 43)

// ownRE matches what the answer to an invitation says of that one.
var ownRE = regexp.MustCompile(`"(id|email)":"[^"]*",`)

// measure sends pairs and fails the test if their answers differ, or their times rank differently. It returns an error
// if their medians alone differ.
func measure(t *testing.T, w *world, way twin) error {
	t.Helper()
	const warm = 50
	pair := way.ready(t, w)
	var took [2][]time.Duration
	for i := range warm + pairs {
		one, other := pair(i)
		requests := []testkit.Request{one, other}
		var bodies [2][]byte
		for _, k := range rand.Perm(2) {
			start := time.Now()
			res := w.DoUnchecked(t, requests[k])
			if i >= warm {
				took[k] = append(took[k], time.Since(start))
			}
			bodies[k] = ownRE.ReplaceAll(flowRE.ReplaceAll(res.Body, nil), nil)
		}
		if !bytes.Equal(bodies[0], bodies[1]) {
			t.Fatalf("pair %d: answered\n%s\n%s", i, bodies[0], bodies[1])
		}
		if i%100 == 0 {
			w.AllMails(t) // or they pile up
		}
	}
	p := mannWhitney(took[0], took[1])
	with, without := median(took[0]), median(took[1])
	apart := (with - without).Abs()
	t.Logf("median %v where there is something, %v where not: %.2f %%; p = %.4f", with, without,
		100*float64(apart)/float64(without), p)
	if p < 0.0005 && !way.secret {
		t.Fatalf("times rank differently: p = %g", p)
	}
	least := 50 * time.Microsecond
	if way.secret {
		least = 20 * time.Microsecond
	}
	if !way.loud && apart > without/50 && apart > least {
		return fmt.Errorf("the medians are %v and %v", with, without)
	}
	return nil
}

func median(times []time.Duration) time.Duration {
	sorted := slices.Sorted(slices.Values(times))
	return sorted[len(sorted)/2]
}

// mannWhitney returns the probability that two samples of one population rank at least as differently as a and b do:
// the two-sided test of Mann and Whitney, by its normal approximation. Times have too few ties to count.
func mannWhitney(a, b []time.Duration) float64 {
	type one struct {
		took   time.Duration
		firsts float64
	}
	all := make([]one, 0, len(a)+len(b))
	for _, d := range a {
		all = append(all, one{d, 1})
	}
	for _, d := range b {
		all = append(all, one{d, 0})
	}
	slices.SortFunc(all, func(x, y one) int { return cmp.Compare(x.took, y.took) })
	ranks := 0.0
	for i, x := range all {
		ranks += x.firsts * float64(i+1)
	}
	n, m := float64(len(a)), float64(len(b))
	u := ranks - n*(n+1)/2
	z := math.Abs(u-n*m/2) / math.Sqrt(n*m*(n+m+1)/12)
	return math.Erfc(z / math.Sqrt2)
}

func TestRanksOfTheSameTimesAreEqual(t *testing.T) {
	t.Parallel()

	var a, b, later []time.Duration
	for i := range 1000 {
		a, b = append(a, time.Duration(2*i)), append(b, time.Duration(2*i+1))
		later = append(later, time.Duration(2*i+200))
	}
	if p := mannWhitney(a, b); p < 0.9 {
		t.Errorf("p = %g of two that alternate", p)
	}
	if p := mannWhitney(a, later); p > 0.0005 {
		t.Errorf("p = %g of two that are apart", p)
	}
}

// there is the i-th address of those that have an account, not of those that have none.
func there(i int) string { return fmt.Sprintf("there%04d@example.com", i) }
func not(i int) string   { return fmt.Sprintf("other%04d@example.com", i) }

// peopled registers users for all pairs, and lets the mailboxes have mails again. What was counted of the mails that
// they had goes, as the hourly sweep removes it: an address without an account may have had mails, too.
func (w *world) peopled(t *testing.T) {
	t.Helper()
	for i := range pairs + 100 {
		_, err := w.Accounts.Register(t.Context(), account.Registration{
			Email: there(i), Username: fmt.Sprintf("there%04d", i), Password: testkit.Password,
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	w.AllMails(t)
	w.Clock.Advance(2 * time.Hour)
	if err := w.Orders.Courier.Store.DeleteAllowances(t.Context(), w.Clock.Now()); err != nil {
		t.Fatal(err)
	}
}

func asked(path, email string) testkit.Request {
	return testkit.Post("", path, map[string]string{"email": email})
}

func twinSignIns(t *testing.T, w *world) func(i int) (a, b testkit.Request) {
	t.Helper()
	w.peopled(t)
	return func(i int) (a, b testkit.Request) {
		return testkit.SignIn(there(i), "a wrong password"), testkit.SignIn(not(i), "a wrong password")
	}
}

func twinForgotten(t *testing.T, w *world) func(i int) (a, b testkit.Request) {
	t.Helper()
	w.peopled(t)
	return func(i int) (a, b testkit.Request) { return asked(forgotten, there(i)), asked(forgotten, not(i)) }
}

// twinForgottenAgain asks about one address over and over: its mailbox gets no more mails.
func twinForgottenAgain(t *testing.T, w *world) func(i int) (a, b testkit.Request) {
	t.Helper()
	w.Register(t, "there")
	w.Clock.Advance(2 * time.Hour)
	return func(int) (a, b testkit.Request) {
		return asked(forgotten, "there@example.com"), asked(forgotten, "other@example.com")
	}
}

// twinSignUps asks on a stoa whose accounts begin with a mail; an administrator makes those that are there.
func twinSignUps(t *testing.T, w *world) func(i int) (a, b testkit.Request) {
	t.Helper()
	for i := range pairs + 100 {
		if _, err := w.Accounts.CreateAdmin(t.Context(), there(i), fmt.Sprintf("there%04d", i), testkit.Password); err != nil {
			t.Fatal(err)
		}
	}
	return func(i int) (a, b testkit.Request) {
		return asked("/auth/sign-up", there(i)), asked("/auth/sign-up", not(i))
	}
}

func twinMails(t *testing.T, w *world) func(i int) (a, b testkit.Request) {
	t.Helper()
	w.peopled(t)
	return func(i int) (a, b testkit.Request) {
		return w.fromPage(askMail, map[string]string{"email": there(i)}), w.fromPage(askMail, map[string]string{"email": not(i)})
	}
}

// twinChallenges gives second steps for a sign-in that has expired, and for one that never was.
func twinChallenges(t *testing.T, w *world) func(i int) (a, b testkit.Request) {
	t.Helper()
	p := w.withApp(t, w.proven(t, victims, "ada").Access)
	late := w.passwordStep(t, victims, testkit.Password)
	w.Clock.Advance(6 * time.Minute)
	code := w.now(p)
	return func(int) (a, b testkit.Request) { return step(late, "totp", code), step(nobodys, "totp", code) }
}

// twinOptions asks for passkeys as the second step of a sign-in that has expired, and of one that never was.
func twinOptions(t *testing.T, w *world) func(i int) (a, b testkit.Request) {
	t.Helper()
	w.withKey(t, w.proven(t, victims, "ada").Access)
	late := w.passwordStep(t, victims, testkit.Password)
	w.Clock.Advance(6 * time.Minute)
	return func(int) (a, b testkit.Request) {
		return testkit.Post("", stepAsk, map[string]string{"challenge": late}), testkit.Post("", stepAsk, map[string]string{"challenge": nobodys})
	}
}

// twinChanges asks for another address, which somebody has or nobody.
func twinChanges(t *testing.T, w *world) func(i int) (a, b testkit.Request) {
	t.Helper()
	w.peopled(t)
	owner := w.signIn(t, there(pairs+99), testkit.Password)
	return func(i int) (a, b testkit.Request) {
		return change(owner.Access, there(i)), change(owner.Access, not(i))
	}
}

// flowOf is the way of somebody whose provider vouches for no address.
func (w *world) flowOf(t *testing.T, o *elsewhere) *traveler {
	t.Helper()
	b := &traveler{w: w}
	b.visit(t, o, "op", "sign-in")
	return b
}

func (w *world) silent(t *testing.T) *elsewhere {
	t.Helper()
	o := w.provider(t, "op", nil)
	o.Change(func() { o.Person = idptest.Claims{"sub": "somebody"} })
	return o
}

func (b *traveler) request(path string, body any) testkit.Request {
	return b.w.fromPage(path, body, flowName+"="+b.flow)
}

// twinInvitations accepts an invitation that has expired, and one that never was.
func twinInvitations(t *testing.T, w *world) func(i int) (a, b testkit.Request) {
	t.Helper()
	_, late := w.invited(t, w.Admin(t, "root").Access, victims, "SUPPORT")
	w.Clock.Advance(72 * time.Hour)
	none := strings.Repeat("A", len(late))
	return func(int) (a, b testkit.Request) { return joins(late, "ada"), joins(none, "ada") }
}

// twinLookUps does the same with the page behind the link.
func twinLookUps(t *testing.T, w *world) func(i int) (a, b testkit.Request) {
	t.Helper()
	_, late := w.invited(t, w.Admin(t, "root").Access, victims, "SUPPORT")
	w.Clock.Advance(72 * time.Hour)
	none := strings.Repeat("A", len(late))
	of := func(token string) testkit.Request { return testkit.Post("", lookUp, map[string]string{"token": token}) }
	return func(int) (a, b testkit.Request) { return of(late), of(none) }
}

// twinInvites invites an address that has an account, and one that has none: whoever invites may see no users.
func twinInvites(t *testing.T, w *world) func(i int) (a, b testkit.Request) {
	t.Helper()
	w.peopled(t)
	root := w.Admin(t, "root")
	return func(i int) (a, b testkit.Request) {
		return invitation(root.Access, there(i), "SUPPORT"), invitation(root.Access, not(i), "SUPPORT")
	}
}

func twinCompletions(t *testing.T, w *world) func(i int) (a, b testkit.Request) {
	t.Helper()
	w.peopled(t)
	o := w.silent(t)
	return func(i int) (a, b testkit.Request) {
		return w.flowOf(t, o).request(completeFlow, map[string]string{"email": there(i)}),
			w.flowOf(t, o).request(completeFlow, map[string]string{"email": not(i)})
	}
}

func twinProofs(t *testing.T, w *world) func(i int) (a, b testkit.Request) {
	t.Helper()
	w.peopled(t)
	o := w.silent(t)
	wrong := map[string]string{"code": "0000-0000"}
	return func(i int) (a, b testkit.Request) {
		for _, r := range []struct {
			to      string
			request *testkit.Request
		}{{there(i), &a}, {not(i), &b}} {
			f := w.flowOf(t, o)
			testkit.WantError(t, f.post(t, completeFlow, map[string]string{"email": r.to}), http.StatusForbidden, "EMAIL_PROOF_REQUIRED")
			*r.request = f.request(proveFlow, wrong)
		}
		return a, b
	}
}
