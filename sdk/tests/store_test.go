package tests

import (
	"errors"
	"strings"
	"testing"
	"time"

	"stoa.example/sdk/go/license"
)

// brittle is a store whose disk can be full or missing.
type brittle struct {
	license.Store

	full, gone bool
}

var errDisk = errors.New("disk full")

func (b *brittle) Load() ([]byte, error) {
	if b.gone {
		return nil, errDisk
	}
	return b.Store.Load()
}

func (b *brittle) Save(data []byte) error {
	if b.full {
		return errDisk
	}
	return b.Store.Save(data)
}

// wantWarned checks that the license is usable and that the store failed.
func wantWarned(t *testing.T, c *license.Client, online bool) {
	t.Helper()
	s, err := c.Check(t.Context())
	if err != nil || s.Online != online || s.State != license.Valid ||
		!errors.Is(s.StoreErr, license.ErrStore) || !errors.Is(s.StoreErr, errDisk) {
		t.Fatalf("Check = online %v, %q, %v, store %v; want online %v, valid, and ErrStore as a warning",
			s.Online, s.State, err, s.StoreErr, online)
	}
}

func TestAFailingStoreDoesNotStopALicensedApp(t *testing.T) {
	t.Parallel()
	a := vendor(t)
	c, wire := install(t, a)
	disk := &brittle{Store: c.Store, full: true, gone: true}
	c.Store = disk
	mustActivate(t, c)
	wantWarned(t, c, true)
	wire.cut = true
	wantWarned(t, c, false) // from memory
	a.Clock.Advance(time.Hour)
	wantWarned(t, c, false)
	a.Clock.Advance(-2 * time.Hour) // memory knows the later time
	if _, err := c.Check(t.Context()); !errors.Is(err, license.ErrClock) {
		t.Errorf("Check with the clock set back = %v, want ErrClock", err)
	}
	a.Clock.Advance(2 * time.Hour)

	// After a restart there is no lease. The error names every cause.
	if _, err := clientOf(c, disk).Check(t.Context()); !errors.Is(err, license.ErrNoLease) ||
		!errors.Is(err, errDisk) || !strings.Contains(err.Error(), "no route to host") {
		t.Errorf("Check without store, memory and network = %v", err)
	}

	// The lease is saved as soon as the disk has room.
	disk.full, disk.gone = false, false
	wantState(t, c, false, license.Valid)
	wantState(t, clientOf(c, disk), false, license.Valid)
	disk.gone = true
	wantWarned(t, c, false)
	disk.gone = false

	// Offline with a lease, but the time seen cannot be saved.
	again := clientOf(c, disk)
	disk.full = true
	a.Clock.Advance(time.Hour)
	wantWarned(t, again, false)
	wire.cut = false
	wantWarned(t, again, true)

	if l, err := again.Deactivate(t.Context()); !errors.Is(err, license.ErrStore) || l.Status != "active" {
		t.Errorf("Deactivate with a full disk = %+v, %v; want the license and ErrStore", l, err)
	}
	if _, err := again.Offline(); !errors.Is(err, license.ErrNoLease) {
		t.Errorf("Offline after Deactivate = %v, want ErrNoLease", err)
	}
}

func TestASignedRefusalWinsOverAFailingStore(t *testing.T) {
	t.Parallel()
	a := vendor(t)
	for how, ask := range map[string]func(*license.Client) error{
		"Check":  func(c *license.Client) error { _, err := c.Check(t.Context()); return err },
		"Verify": func(c *license.Client) error { _, err := c.Verify(t.Context()); return err },
	} {
		c, wire := install(t, a)
		disk := &brittle{Store: c.Store}
		c.Store = disk
		mustActivate(t, c)
		wantState(t, c, true, license.Valid)
		if _, err := clientOf(c, nil).Deactivate(t.Context()); err != nil { // elsewhere
			t.Fatal(err)
		}
		disk.full = true
		want := func(err error) {
			t.Helper()
			var refused *license.Refused
			if !errors.As(err, &refused) || refused.Code != "not_activated" {
				t.Errorf("after a refusal to %s: %v, want refused: not_activated", how, err)
			}
		}
		want(ask(c))
		wire.cut = true
		_, err := c.Check(t.Context()) // the old lease is still in the store
		want(err)
		disk.full = false
		_, err = c.Offline()
		want(err)
		_, err = clientOf(c, disk).Offline()
		want(err)

		wire.cut = false // a new grant ends the refusal
		mustActivate(t, c)
		wantState(t, c, true, license.Valid)
		wire.cut = true
		wantState(t, c, false, license.Valid)
	}
}

func TestWithoutAStoreTheLeaseStaysInMemory(t *testing.T) {
	t.Parallel()
	a := vendor(t)
	c, wire := install(t, a)
	c.Store = nil
	mustActivate(t, c)
	wantState(t, c, true, license.Valid)
	wire.cut = true
	wantState(t, c, false, license.Valid)
}
