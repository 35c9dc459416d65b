package traffic_test

import (
	"fmt"
	"runtime"
	"sync"
	"testing"
	"time"

	"stoa/internal/run/traffic"
)

var noon = time.Date(2026, 3, 1, 12, 0, 30, 0, time.UTC)

func ok(at time.Time, took time.Duration) traffic.Call {
	return traffic.Call{At: at, Outcome: traffic.OK, Status: 200, Plugin: took, Reached: true}
}

func failed(at time.Time) traffic.Call {
	return traffic.Call{At: at, Outcome: traffic.Timeout, Status: 504, Plugin: time.Second, Reached: true}
}

func TestCallsAreInTheMinuteAndTheHourInWhichTheyEnded(t *testing.T) {
	t.Parallel()
	b := traffic.NewBook()
	in := b.Installation("pay", "i1")
	in.Count(ok(noon, time.Millisecond))
	in.Count(failed(noon.Add(-2 * time.Minute))) // the clock was set back: it counts where the clock was
	in.Count(ok(noon.Add(3*time.Minute), time.Millisecond))
	in.Count(ok(noon.Add(59*time.Minute), time.Millisecond))

	got := b.Plugin("pay", noon.Add(59*time.Minute))
	if len(got.Hour.Points) != 60 || len(got.Day.Points) != 24 {
		t.Fatalf("%d and %d points", len(got.Hour.Points), len(got.Day.Points))
	}
	for at, want := range map[int][2]uint64{0: {2, 1}, 1: {0, 0}, 3: {1, 0}, 59: {1, 0}} {
		if p := got.Hour.Points[at]; p.Calls != want[0] || p.Errors != want[1] {
			t.Errorf("minute %d: %d calls, %d errors, want %v", at, p.Calls, p.Errors, want)
		}
	}
	if first, want := got.Hour.Points[0].At, noon.Truncate(time.Minute); !first.Equal(want) {
		t.Errorf("the first minute is %v, want %v", first, want)
	}
	if got.Hour.Calls != 4 || got.Hour.Errors != 1 || got.Day.Calls != 4 || got.Day.Points[23].Calls != 4 {
		t.Errorf("in all %+v and %+v", got.Hour.Summary, got.Day.Summary)
	}
	// A minute later the first point is gone, and a day later all are.
	if got := b.Plugin("pay", noon.Add(60*time.Minute)); got.Hour.Calls != 2 || got.Day.Calls != 4 {
		t.Errorf("a minute later %+v and %+v", got.Hour.Summary, got.Day.Summary)
	}
	if got := b.Plugin("pay", noon.Add(25*time.Hour)); got.Hour.Calls != 0 || got.Day.Calls != 0 {
		t.Errorf("a day later %+v and %+v", got.Hour.Summary, got.Day.Summary)
	}
}

func TestP95IsWithinAQuarter(t *testing.T) {
	t.Parallel()
	for _, slowest := range []time.Duration{2 * time.Millisecond, 80 * time.Millisecond, 3 * time.Second, 30 * time.Second} {
		b := traffic.NewBook()
		in := b.Installation("pay", "i1")
		for i := range 1000 {
			in.Count(ok(noon, slowest*time.Duration(i+1)/1000))
		}
		got, want := b.Plugin("pay", noon).Hour.P95, slowest*95/100
		if got < want*3/4 || got > want*5/4 {
			t.Errorf("p95 of calls of up to %v is %v, want about %v", slowest, got, want)
		}
	}
	if got := traffic.NewBook().Plugin("pay", noon).Hour.P95; got != 0 {
		t.Errorf("without calls it is %v", got)
	}
}

func TestOnlyFailuresOfThePluginAndOfStoaAreErrors(t *testing.T) {
	t.Parallel()
	b := traffic.NewBook()
	in := b.Installation("pay", "i1")
	all := []traffic.Outcome{
		traffic.OK, traffic.PluginError, traffic.BrokenOff, traffic.NotFound, traffic.Permission, traffic.Refused,
		traffic.Busy, traffic.CircuitOpen, traffic.Starting, traffic.Timeout, traffic.Unreachable, traffic.ClientGone,
		traffic.Internal,
	}
	for _, o := range all {
		in.Count(traffic.Call{At: noon, Outcome: o})
	}
	if got := b.All(noon).Hour; got.Calls != uint64(len(all)) || got.Errors != 8 {
		t.Errorf("%d calls, %d errors", got.Calls, got.Errors)
	}
}

func TestUnknownNamesAreNotCounted(t *testing.T) {
	t.Parallel()
	b := traffic.NewBook()
	for range 3 {
		b.Refuse(traffic.Call{At: noon, Outcome: traffic.NotFound, Status: 404})
	}
	if got := b.All(noon).Hour.Calls; got != 0 {
		t.Errorf("%d calls of plugins", got)
	}
	b.Totals()[0].Totals.Each(func(o traffic.Outcome, class int, n uint64) {
		if o != traffic.NotFound || class != 4 || n != 3 {
			t.Errorf("%v %dxx %d", o, class, n)
		}
	})
}

// The installations with the most calls keep their places, whatever else is called.
func TestManyInstallationsAreCountedInBoundedMemory(t *testing.T) {
	t.Parallel()
	b := traffic.NewBook()
	busy := b.Installation("pay", "busy")
	const many = 20_000
	list := make([]*traffic.Installation, many)
	for i := range list {
		list[i] = b.Installation("pay", fmt.Sprint(i))
	}
	for minute := range 3 {
		at := noon.Add(time.Duration(minute) * time.Minute)
		for range 50 {
			busy.Count(ok(at, time.Millisecond))
		}
		for _, in := range list {
			in.Count(ok(at, time.Millisecond))
		}
	}
	end := noon.Add(2 * time.Minute)
	if got := b.Plugin("pay", end).Hour.Calls; got != 3*(many+50) {
		t.Errorf("%d calls of the plugin", got)
	}
	if got := b.InstallationOf("pay", "busy", end).Hour.Calls; got != 150 {
		t.Errorf("%d calls of the busy one", got)
	}
	if got := b.Installations("pay", many, end); len(got) > 1000 || got[0].InstallationID != "busy" {
		t.Errorf("%d installations, the first is %v", len(got), got[0])
	}
	if got := b.Busiest(1); len(got) != 1 || got[0].InstallationID != "busy" {
		t.Errorf("busiest: %v", got)
	}
}

func TestABookHasABound(t *testing.T) { // not parallel: it measures memory
	before := heap()
	b := traffic.NewBook()
	for minute := range 24 * 60 {
		if minute%60 != 0 && minute < 23*60 {
			continue // these add nothing to the memory
		}
		at := noon.Add(time.Duration(minute) * time.Minute)
		for i := range 1100 {
			b.Installation(fmt.Sprint("plugin-", i), fmt.Sprint(i)).Count(ok(at, time.Millisecond))
		}
	}
	end := noon.Add(24*time.Hour - time.Minute)
	if got := b.All(end).Hour.Calls; got != 60*1100 {
		t.Errorf("%d calls in the last hour", got)
	}
	if got := len(b.Totals()); got > 1002 {
		t.Errorf("%d plugins", got)
	}
	if grew := heap() - before; grew > 32<<20 {
		t.Errorf("%d MiB", grew>>20)
	}
	runtime.KeepAlive(b)
}

func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

func TestOthersCallsOfAnotherPluginsInstallationAreNotShown(t *testing.T) {
	t.Parallel()
	b := traffic.NewBook()
	b.Installation("pay", "i1").Count(ok(noon, time.Millisecond))
	if got := b.InstallationOf("other", "i1", noon).Day.Calls; got != 0 {
		t.Errorf("%d calls", got)
	}
}

func TestTheWorstComeFirst(t *testing.T) {
	t.Parallel()
	b := traffic.NewBook()
	for range 9 {
		b.Installation("busy", "i1").Count(ok(noon, time.Millisecond))
	}
	b.Installation("broken", "i2").Count(failed(noon))
	b.Installation("quiet", "i3")
	got := b.Plugins(5, noon)
	if len(got) != 2 || got[0].Slug != "broken" || got[1].Slug != "busy" || got[0].Hour.Errors != 1 || got[1].Day.Calls != 9 {
		t.Errorf("%+v", got)
	}
	if got := b.Plugins(1, noon); len(got) != 1 {
		t.Errorf("%d instead of one", len(got))
	}
}

func TestABookIsSafeForConcurrentUse(t *testing.T) {
	t.Parallel()
	b := traffic.NewBook()
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Go(func() {
			for i := range 3000 {
				b.Installation("pay", fmt.Sprint(g*3000+i)).Count(ok(noon.Add(time.Duration(i)*time.Second), time.Millisecond))
				if i%500 == 0 {
					b.All(noon)
					b.Busiest(3)
					b.Totals()
				}
			}
		})
	}
	wg.Wait()
	if got := b.Plugin("pay", noon.Add(49*time.Minute)).Day.Calls; got != 12000 {
		t.Errorf("%d calls", got)
	}
}

func BenchmarkCount(b *testing.B) {
	in := traffic.NewBook().Installation("pay", "i1")
	c := ok(noon, time.Millisecond)
	b.ReportAllocs()
	for b.Loop() {
		in.Count(c)
	}
}
