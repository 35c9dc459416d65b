package store_test

import (
	"fmt"
	"strconv"
	"sync"
	"testing"

	"stoa/internal/data/database"
	"stoa/internal/store"
)

func testSettings(t *testing.T, open Open) {
	t.Run("Once gives every caller the first value", func(t *testing.T) {
		t.Parallel()

		s := store.NewSettings(open(t))
		var (
			wg  sync.WaitGroup
			got [8]string
		)
		for i := range got {
			wg.Go(func() {
				var err error
				if got[i], err = s.Once(t.Context(), "platform_id", fmt.Sprint(i)); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		for _, v := range got {
			if v != got[0] || v == "" {
				t.Fatalf("Once = %q, want one value for all", got)
			}
		}
	})

	t.Run("Find returns what Put set last", func(t *testing.T) {
		t.Parallel()

		s := store.NewSettings(open(t))
		if v, found, err := s.Find(t.Context(), "note"); v != "" || found || err != nil {
			t.Errorf("Find before Put = %q, %v, %v; want none", v, found, err)
		}
		for _, want := range []string{"one", "two"} {
			if err := s.Put(t.Context(), "note", want); err != nil {
				t.Fatal(err)
			}
			if v, found, err := s.Find(t.Context(), "note"); v != want || !found || err != nil {
				t.Errorf("Find = %q, %v, %v; want %q", v, found, err, want)
			}
		}
	})

	t.Run("FindLocked makes others wait for the transaction", func(t *testing.T) {
		t.Parallel()

		db := open(t)
		if err := store.NewSettings(db).Put(t.Context(), "count", "0"); err != nil {
			t.Fatal(err)
		}
		const callers = 8
		var wg sync.WaitGroup
		for range callers {
			wg.Go(func() {
				err := db.Conn().InTx(t.Context(), func(tx database.Conn) error {
					s := &store.Settings{Conn: tx}
					if _, found, err := s.FindLocked(t.Context(), "absent"); found || err != nil {
						t.Errorf("FindLocked of nothing = %v, %v", found, err)
					}
					v, _, err := s.FindLocked(t.Context(), "count")
					if err != nil {
						return err
					}
					n, err := strconv.Atoi(v)
					if err != nil {
						return err
					}
					return s.Put(t.Context(), "count", strconv.Itoa(n+1))
				})
				if err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if v, _, err := store.NewSettings(db).Find(t.Context(), "count"); v != strconv.Itoa(callers) || err != nil {
			t.Errorf("%d callers counted to %s, %v", callers, v, err)
		}
	})
}
