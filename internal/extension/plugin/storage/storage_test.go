package storage_test

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/base/errs"
	"stoa/internal/extension/plugin"
	"stoa/internal/extension/plugin/storage"
	"stoa/internal/store"
	"stoa/internal/testkit/clocktest"
	"stoa/internal/testkit/dbtest"
)

// opened is the time at which these tests begin.
var opened = time.Date(2030, time.March, 1, 12, 0, 0, 0, time.UTC)

// shelf is the storage of the installations "one" and "two".
type shelf struct {
	*storage.Service

	clock *clocktest.Clock
}

func open(t *testing.T) *shelf { return openAt(t, dbtest.SQLite(t)) }

func openAt(t *testing.T, url string) *shelf {
	t.Helper()
	db := dbtest.Open(t, url)
	plugins := store.NewPlugin(db)
	m, err := plugin.DecodeManifest([]byte(`{"schemaVersion":1,"slug":"echo","name":"Echo","version":"1.0.0",` +
		`"runtimeType":"external-http","externalBaseUrl":"https://echo.example"}`))
	if err != nil {
		t.Fatal(err)
	}
	err = plugins.CreatePackage(t.Context(), plugin.Package{
		ID: "p", Source: plugin.SourceLocalZip, Manifest: m, ZipHash: "hash", InstalledAt: opened, UpdatedAt: opened,
	})
	for _, id := range []string{"one", "two"} {
		err = errors.Join(err, plugins.CreateInstance(t.Context(), plugin.StoredInstance{Instance: plugin.Instance{
			ID: id, Slug: "echo", Key: id, Version: 1, CreatedAt: opened, UpdatedAt: opened,
		}}))
	}
	if err != nil {
		t.Fatal(err)
	}
	s := &shelf{clock: clocktest.New(opened)}
	s.Service = &storage.Service{Store: store.NewPluginStorage(db), Now: s.clock.Now}
	return s
}

// put stores a text under a key of the installation "one".
func (s *shelf) put(t *testing.T, key, text string) storage.Entry {
	t.Helper()
	e, _, err := s.Put(t.Context(), "one", storage.Entry{Key: key, Data: []byte(text)}, 0, storage.Condition{})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func (s *shelf) text(t *testing.T, installation, key string) string {
	t.Helper()
	e, err := s.Get(t.Context(), installation, key)
	if errors.Is(err, storage.ErrNoKey) {
		return "nothing"
	} else if err != nil {
		t.Fatal(err)
	}
	return string(e.Data)
}

func TestKeys(t *testing.T) {
	t.Parallel()

	for key, want := range map[string]string{
		"k": "", "": "out_of_range", "\x00": "", "..": "", "a//b": "", "😀": "", "\xff": "not_unicode",
		strings.Repeat("k", 512): "", strings.Repeat("k", 513): "out_of_range", strings.Repeat("€", 171): "out_of_range",
	} {
		var faults errs.Issues
		storage.CheckKey(key, &faults)
		got := ""
		for _, is := range faults.List() {
			got += is.Code
		}
		if got != want {
			t.Errorf("%.10q (%d bytes): %q, want %q", key, len(key), got, want)
		}
	}
}

func TestValuesComeBackByteForByte(t *testing.T) {
	t.Parallel()

	dbtest.OnBoth(t, func(t *testing.T, url string) {
		s, ctx := openAt(t, url), t.Context()
		for _, key := range []string{"k", "a/b", "ä/€/😀", "%2F", "\x00", "..", "a//b", strings.Repeat("k", storage.MaxKey)} {
			want := storage.Entry{Key: key, ContentType: "text/x-test; a=1", Size: 5, Data: []byte("\x00\xff é")}
			stored, created, err := s.Put(ctx, "one", want, 0, storage.Condition{})
			if err != nil || !created || stored.ETag == "" {
				t.Fatalf("%q: %+v, %v, %v", key, stored, created, err)
			}
			want.ETag = stored.ETag
			got, err := s.Get(ctx, "one", key)
			if diff := cmp.Diff(want, got); diff != "" || err != nil {
				t.Errorf("%q: %v (-want +got):\n%s", key, err, diff)
			}
		}
		s.put(t, "empty", "")
		largest := bytes.Repeat([]byte{0xAB}, storage.MaxValue)
		s.put(t, "largest", string(largest))
		if s.text(t, "one", "empty") != "" || s.text(t, "one", "largest") != string(largest) {
			t.Error("the empty or the largest value came back as another")
		}
		for range 2 { // absent is as good as removed
			if err := s.Delete(ctx, "one", "empty", storage.Condition{}); err != nil {
				t.Error(err)
			}
		}
		if got := s.text(t, "one", "empty"); got != "nothing" {
			t.Errorf("what was removed is %q", got)
		}
	})
}

func TestNoInstallationSeesAnothersValues(t *testing.T) {
	t.Parallel()

	s, ctx := open(t), t.Context()
	s.put(t, "k", "one")
	if got := s.text(t, "two", "k"); got != "nothing" {
		t.Errorf("another reads %q", got)
	}
	if err := s.Delete(ctx, "two", "k", storage.Condition{}); err != nil {
		t.Error(err)
	}
	_, created, err := s.Put(ctx, "two", storage.Entry{Key: "k", Data: []byte("two")}, 0, storage.Condition{Absent: true})
	if !created || err != nil {
		t.Errorf("another writes: created %v, %v", created, err)
	}
	if got := s.text(t, "one", "k"); got != "one" {
		t.Errorf("the first has %q", got)
	}
	_, _, err = s.Put(ctx, "three", storage.Entry{Key: "k"}, 0, storage.Condition{})
	if errs.KindOf(err) != errs.NotFound {
		t.Errorf("an unknown installation writes: %v", err)
	}
}

func TestConditionalChanges(t *testing.T) {
	t.Parallel()

	s, ctx := open(t), t.Context()
	is := func(want string) func(string) bool { return func(etag string) bool { return etag == want } }
	anything := func(string) bool { return true }
	put := func(what, text string, c storage.Condition, want error) string {
		t.Helper()
		e, _, err := s.Put(ctx, "one", storage.Entry{Key: "k", Data: []byte(text)}, 0, c)
		if !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", what, err, want)
		}
		return e.ETag
	}
	remove := func(what string, c storage.Condition, want error) {
		t.Helper()
		if err := s.Delete(ctx, "one", "k", c); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", what, err, want)
		}
	}
	put("a change of nothing", "0", storage.Condition{Match: anything}, storage.ErrStale)
	remove("a removal of nothing in particular", storage.Condition{Match: anything}, storage.ErrStale)
	first := put("the first", "1", storage.Condition{Absent: true}, nil)
	put("another first", "2", storage.Condition{Absent: true}, storage.ErrStale)
	second := put("the same bytes again", "1", storage.Condition{Match: is(first)}, nil)
	if second == first {
		t.Error("the same bytes written again have the same ETag")
	}
	put("a change of what is gone", "3", storage.Condition{Match: is(first)}, storage.ErrStale)
	if got := s.text(t, "one", "k"); got != "1" {
		t.Errorf("after refusals: %q", got)
	}
	remove("a removal of what is gone", storage.Condition{Match: is(first)}, storage.ErrStale)
	remove("a removal", storage.Condition{Match: is(second)}, nil)
}

func TestExpiredValuesAreGone(t *testing.T) {
	t.Parallel()

	s, ctx := open(t), t.Context()
	stored, _, err := s.Put(ctx, "one", storage.Entry{Key: "k", Data: []byte("x")}, time.Minute, storage.Condition{})
	if err != nil || !stored.ExpiresAt.Equal(opened.Add(time.Minute)) {
		t.Fatalf("it expires at %s, %v", stored.ExpiresAt, err)
	}
	s.clock.Advance(time.Minute - time.Millisecond)
	if got := s.text(t, "one", "k"); got != "x" {
		t.Errorf("before the end: %q", got)
	}
	s.clock.Advance(time.Millisecond)
	if got := s.text(t, "one", "k"); got != "nothing" {
		t.Errorf("at the end: %q", got)
	}
	if list, more, err := s.List(ctx, "one", "", "", 10); len(list) != 0 || more || err != nil {
		t.Errorf("listed: %+v, %v, %v", list, more, err)
	}
	_, created, err := s.Put(ctx, "one", storage.Entry{Key: "k", Data: []byte("y")}, 0, storage.Condition{Absent: true})
	if !created || err != nil {
		t.Errorf("a new value: created %v, %v", created, err)
	}
	s.clock.Advance(storage.MaxTTL)
	if got := s.text(t, "one", "k"); got != "y" {
		t.Errorf("without an end: %q", got)
	}
}

func TestKeysAreListedByPrefixAndPage(t *testing.T) {
	t.Parallel()

	dbtest.OnBoth(t, func(t *testing.T, url string) {
		s := openAt(t, url)
		for _, key := range []string{"b", "a/2", "a/10", "a0", "a", "a/ä", "Z", "a/\xf4\x8f\xbf\xbf", "c"} {
			s.put(t, key, key)
		}
		all := []string{"Z", "a", "a/10", "a/2", "a/ä", "a/\xf4\x8f\xbf\xbf", "a0", "b", "c"}
		for prefix, want := range map[string][]string{"": all, "a": all[1:7], "a/": all[2:6], "a/1": all[2:3], "x": nil} {
			for limit := 1; limit <= len(all); limit++ {
				var got []string
				for after, more := "", true; more; {
					list, next, err := s.List(t.Context(), "one", prefix, after, limit)
					if err != nil || len(list) > limit || next && len(list) < limit {
						t.Fatalf("%q: %d entries of %d, more: %v, %v", prefix, len(list), limit, next, err)
					}
					for _, e := range list {
						got, after = append(got, e.Key), e.Key
						if e.Data != nil || e.Size != int64(len(e.Key)) {
							t.Errorf("listed: %+v", e)
						}
					}
					more = next
				}
				if !slices.Equal(got, want) {
					t.Errorf("%q, %d at a time: %q, want %q", prefix, limit, got, want)
				}
			}
		}
	})
}

func TestOneOfManyParallelCreationsWins(t *testing.T) {
	t.Parallel()

	dbtest.OnBoth(t, func(t *testing.T, url string) {
		s := openAt(t, url)
		var won atomic.Int32
		var running sync.WaitGroup
		for range 16 {
			running.Go(func() {
				_, created, err := s.Put(t.Context(), "one", storage.Entry{Key: "lock", Data: []byte("x")}, 0, storage.Condition{Absent: true})
				switch {
				case created && err == nil:
					won.Add(1)
				case !errors.Is(err, storage.ErrStale):
					t.Errorf("created %v, %v", created, err)
				}
			})
		}
		running.Wait()
		if got := won.Load(); got != 1 {
			t.Errorf("%d creations won", got)
		}
	})
}
