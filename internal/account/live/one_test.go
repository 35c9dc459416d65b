package live_test

import (
	"testing"
	"testing/synctest"
	"time"

	"stoa/internal/account/live"
)

// remember has a process remember a value under its lease.
func remember(t *testing.T, o *live.One[string], value string) {
	t.Helper()
	o.Get() // asks for a lease
	synctest.Wait()
	o.Put(o.Moment(), value)
	if got, ok := o.Get(); !ok || got != value {
		t.Fatalf("remembered %q, %t", got, ok)
	}
}

func TestOneValueIsForgottenByTheRowThatNamesIt(t *testing.T) {
	run(t, func(t *testing.T, d *database) {
		a, b := start(t, d, "a"), start(t, d, "b")
		here, there := live.Beside[string](a.Memory, "rules"), live.Beside[string](b.Memory, "rules")
		remember(t, here, "v")
		remember(t, there, "v")
		d.revoke("s", "u") // others are none of its business
		d.revoke("", "u")
		a.Settle(t.Context())
		for _, o := range []*live.One[string]{here, there} {
			if got, ok := o.Get(); !ok || got != "v" {
				t.Errorf("%q, %t after rows about others", got, ok)
			}
		}
		d.revoke("", "rules")
		if took := a.settled(t); took > 400*time.Millisecond {
			t.Errorf("it waited %v, though b lives", took)
		}
		for _, o := range []*live.One[string]{here, there} {
			if got, ok := o.Get(); ok {
				t.Errorf("still remembered: %q", got)
			}
		}
		remember(t, there, "w") // read again
	})
}

func TestOneValueIsNotUsedWithoutALease(t *testing.T) {
	run(t, func(t *testing.T, d *database) {
		a, b := start(t, d, "a"), start(t, d, "b")
		o := live.Beside[string](b.Memory, "rules")
		remember(t, o, "v")
		b.halt()
		d.revoke("", "rules")
		a.Settle(t.Context())
		if got, ok := o.Get(); ok { // as if it went on in the middle of a request
			t.Errorf("a halted process answers %q", got)
		}
		b.resume()
		time.Sleep(time.Hour) // unused, it gave its lease up
		if got, ok := o.Get(); ok {
			t.Errorf("an unused process answers %q", got)
		}
	})
}

// What was read before rows were taken may be what they are about.
func TestOneValueThatWasReadBeforeARowIsNotKept(t *testing.T) {
	run(t, func(t *testing.T, d *database) {
		a := start(t, d, "a")
		o := live.Beside[string](a.Memory, "rules")
		remember(t, o, "v")
		at := o.Moment()
		d.revoke("", "rules")
		a.Settle(t.Context())
		o.Put(at, "old")
		if got, ok := o.Get(); ok {
			t.Errorf("%q is kept", got)
		}
		at = o.Moment()
		for range 1001 { // rows that it has not seen are gone: everything is forgotten
			d.revoke("s", "u")
		}
		o.Put(at, "v")
		a.Settle(t.Context())
		if got, ok := o.Get(); ok {
			t.Errorf("%q outlives rows that are gone", got)
		}
	})
}
