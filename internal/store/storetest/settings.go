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
}
