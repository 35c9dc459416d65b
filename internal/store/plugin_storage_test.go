package store_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"stoa/internal/base/errs"
	"stoa/internal/data/database"
	"stoa/internal/extension/plugin/storage"
	"stoa/internal/store"
)

// storing is the storage of the installations i1 and i2, at a time that tests change.
type storing struct {
	*storage.Service
	db  *store.PluginStorage
	now time.Time
}

func testPluginStorage(t *testing.T, open Open) {
	for name, test := range map[string]func(*testing.T, *storing){
		"Quota": testStorageQuota, "Parallel": testStorageParallel, "Sweep": testStorageSweep, "Unknown": testStorageUnknown,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db := open(t)
			seeded(t, func(testing.TB) *database.DB { return db })
			s := &storing{db: store.NewPluginStorage(db), now: T0}
			s.Service = &storage.Service{Store: s.db, Now: func() time.Time { return s.now }}
			test(t, s)
		})
	}
}

func (s *storing) put(t *testing.T, id, key string, size int, ttl time.Duration) error {
	t.Helper()
	_, _, err := s.Put(t.Context(), id, storage.Entry{Key: key, Data: bytes.Repeat([]byte("x"), size)}, ttl,
		storage.Condition{})
	return err
}

func (s *storing) use(t *testing.T, id string) (use storage.Use) {
	t.Helper()
	err := s.db.InTx(t.Context(), func(tx storage.Store) (err error) {
		use, err = tx.Lock(t.Context(), id)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return use
}

// fill makes an installation appear to store that much.
func (s *storing) fill(t *testing.T, id string, use storage.Use) {
	t.Helper()
	err := s.db.InTx(t.Context(), func(tx storage.Store) error {
		if _, err := tx.Lock(t.Context(), id); err != nil {
			return err
		}
		return tx.SaveUse(t.Context(), id, use)
	})
	if err != nil {
		t.Fatal(err)
	}
}

func testStorageQuota(t *testing.T, s *storing) {
	s.fill(t, "i1", storage.Use{Keys: 1, Bytes: storage.Quota - 10})
	if err := s.put(t, "i1", "a", 10, time.Minute); err != nil {
		t.Errorf("up to the quota: %v", err)
	}
	if err := s.put(t, "i1", "b", 1, 0); !errors.Is(err, storage.ErrQuota) {
		t.Errorf("a byte beyond the quota: %v", err)
	}
	if err := s.put(t, "i1", "a", 11, 0); !errors.Is(err, storage.ErrQuota) {
		t.Errorf("a value that grows beyond the quota: %v", err)
	}
	if e, err := s.Get(t.Context(), "i1", "a"); err != nil || e.Size != 10 {
		t.Errorf("after refusals: %+v, %v", e, err)
	}
	if err := s.put(t, "i2", "b", 1, 0); err != nil {
		t.Errorf("another installation: %v", err)
	}
	if err := s.put(t, "i1", "a", 9, time.Minute); err != nil {
		t.Errorf("a smaller value: %v", err)
	}
	if err := s.put(t, "i1", "b", 1, 0); err != nil {
		t.Errorf("into the room it left: %v", err)
	}
	s.now = T0.Add(time.Minute)
	if err := s.put(t, "i1", "c", 9, 0); err != nil {
		t.Errorf("into the room of what has expired: %v", err)
	}
	if err := s.Delete(t.Context(), "i1", "c", storage.Condition{}); err != nil {
		t.Error(err)
	}
	if got, want := s.use(t, "i1"), (storage.Use{Keys: 2, Bytes: storage.Quota - 9}); got != want {
		t.Errorf("in use: %+v, want %+v", got, want)
	}

	s.fill(t, "i1", storage.Use{Keys: storage.MaxKeys - 1})
	if err := s.put(t, "i1", "last", 0, 0); err != nil {
		t.Errorf("the last key: %v", err)
	}
	if err := s.put(t, "i1", "one more", 0, 0); !errors.Is(err, storage.ErrQuota) {
		t.Errorf("one key more: %v", err)
	}
	if err := s.put(t, "i1", "last", 1, 0); err != nil {
		t.Errorf("the last key again: %v", err)
	}
}

// However many write at once, the use is what is stored, and never beyond the quota.
func testStorageParallel(t *testing.T, s *storing) {
	const room = 5
	s.fill(t, "i1", storage.Use{Bytes: storage.Quota - room})
	var running sync.WaitGroup
	for i := range 12 {
		running.Go(func() {
			if err := s.put(t, "i1", fmt.Sprint(i), 1, 0); err != nil && !errors.Is(err, storage.ErrQuota) {
				t.Error(err)
			}
		})
	}
	running.Wait()
	found, more, err := s.List(t.Context(), "i1", "", "", 100)
	if len(found) != room || more || err != nil {
		t.Errorf("%d values are stored, want %d (%v)", len(found), room, err)
	}
	if got, want := s.use(t, "i1"), (storage.Use{Keys: room, Bytes: storage.Quota}); got != want {
		t.Errorf("in use: %+v, want %+v", got, want)
	}
}

func testStorageSweep(t *testing.T, s *storing) {
	for _, id := range []string{"i1", "i2"} {
		for key, ttl := range map[string]time.Duration{"a": time.Minute, "b": time.Hour, "c": 0} {
			if err := s.put(t, id, key, 3, ttl); err != nil {
				t.Fatal(err)
			}
		}
	}
	s.now = T0.Add(time.Minute)
	if err := s.Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"i1", "i2"} {
		if got, want := s.use(t, id), (storage.Use{Keys: 2, Bytes: 6}); got != want {
			t.Errorf("%s: in use %+v, want %+v", id, got, want)
		}
		_, err := s.db.Head(t.Context(), id, "a")
		mustBe(t, "what has expired", err, errs.NotFound)
	}
}

func testStorageUnknown(t *testing.T, s *storing) {
	mustBe(t, "Put", s.put(t, "i9", "k", 1, 0), errs.NotFound)
	mustBe(t, "Delete", s.Delete(t.Context(), "i9", "k", storage.Condition{}), errs.NotFound)
	_, err := s.Get(t.Context(), "i1", strings.Repeat("k", 10))
	mustBe(t, "Get", err, errs.NotFound)
}
