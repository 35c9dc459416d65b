package license_test

import (
	"errors"
	"testing"
	"time"

	"pgregory.net/rapid"

	"stoa/internal/base/errs"
	"stoa/internal/shop/license"
)

// takeAll takes up to limit new instances at once, until one is refused. It returns how many it took and
// how long the refusal says to wait.
func takeAll(
	tb testing.TB, churn license.ChurnLimit, l *license.License, now time.Time, limit int,
) (int, time.Duration) {
	tb.Helper()
	for n := range limit {
		next, err := license.TakeChurn(churn, l, now)
		if e, ok := errors.AsType[*errs.Error](err); ok && errors.Is(err, license.ErrChurn) {
			return n, e.RetryAfter
		} else if err != nil {
			tb.Fatal(err)
		}
		l.Churn = next
	}
	return limit, 0
}

func TestChurnLimit(t *testing.T) {
	t.Parallel()

	now := time.Date(2030, time.March, 1, 12, 0, 0, 0, time.UTC)
	l := license.License{MaxInstances: 3}
	if n, wait := takeAll(t, 24, &l, now, 100); n != 27 || wait != time.Hour {
		t.Fatalf("%d at once, then wait %s; want 3 seats plus 24, then an hour", n, wait)
	}
	if n, wait := takeAll(t, 24, &l, now.Add(time.Hour-time.Millisecond), 100); n != 0 || wait != time.Millisecond {
		t.Errorf("a millisecond early: %d, wait %s", n, wait)
	}
	if n, _ := takeAll(t, 24, &l, now.Add(time.Hour), 100); n != 1 {
		t.Errorf("after an hour: %d, want 1", n)
	}
	if n, _ := takeAll(t, 24, &l, now.Add(25*time.Hour), 100); n != 24 {
		t.Errorf("a day later: %d, want 24", n)
	}
	if n, _ := takeAll(t, 24, &l, now.Add(1000*time.Hour), 100); n != 27 {
		t.Errorf("long after: %d, want the whole burst of 27", n)
	}

	l.MaxInstances = 5 // raised by an administrator
	if n, _ := takeAll(t, 24, &l, now.Add(1000*time.Hour), 100); n != 2 {
		t.Errorf("with two more seats: %d, want 2", n)
	}
	l.MaxInstances = 1
	if n, wait := takeAll(t, 24, &l, now.Add(1000*time.Hour), 100); n != 0 || wait != time.Hour {
		t.Errorf("with fewer seats: %d, wait %s; want no longer than an hour", n, wait)
	}
	if n, _ := takeAll(t, 0, &l, now, 1000); n != 1000 {
		t.Errorf("without a limit: %d", n)
	}
	many := license.License{MaxInstances: 1_000_000, Churn: now.AddDate(3000, 0, 0)}
	if n, wait := takeAll(t, 1, &many, now, 1); n != 0 || wait != 24*time.Hour {
		t.Errorf("the largest numbers: %d, wait %s", n, wait)
	}
	single := license.License{MaxInstances: 1}
	if n, _ := takeAll(t, license.MaxChurn, &single, now, 2_000_000); n != license.MaxChurn+1 {
		t.Errorf("the highest limit: %d", n)
	}
}

// Whatever the rhythm of changes, no period of time admits more new instances than the seats, plus the
// limit, plus the limit's share of that period.
func TestNoRhythmBeatsTheChurnLimit(t *testing.T) {
	t.Parallel()

	rapid.Check(t, func(t *rapid.T) {
		limit := rapid.IntRange(1, 200).Draw(t, "limit")
		l := license.License{MaxInstances: rapid.IntRange(1, 20).Draw(t, "seats")}
		now := time.Date(2030, time.March, 1, 12, 0, 0, 0, time.UTC)
		var given []time.Time
		for _, gap := range rapid.SliceOfN(rapid.IntRange(0, 6*3600*1000), 1, 300).Draw(t, "gaps") {
			now = now.Add(time.Duration(gap) * time.Millisecond)
			next, err := license.TakeChurn(license.ChurnLimit(limit), &l, now)
			if err != nil {
				continue
			}
			l.Churn = next
			given = append(given, now)
		}
		interval := 24 * time.Hour / time.Duration(limit)
		for i := range given {
			for j := i; j < len(given); j++ {
				// Rounding loses up to a millisecond of each interval.
				most := l.MaxInstances + limit + int(given[j].Sub(given[i])/(interval-time.Millisecond))
				if n := j - i + 1; n > most {
					t.Fatalf("%d instances in %s, at most %d are allowed", n, given[j].Sub(given[i]), most)
				}
			}
		}
	})
}
