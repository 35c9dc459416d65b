package storetest

import (
	"fmt"
	"sync"
	"testing"

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
}
