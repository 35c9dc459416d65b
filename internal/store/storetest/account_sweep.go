package storetest

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func testSweep(t *testing.T, open Open) {
	t.Run("UsersWithExpired returns each user once, a page at a time", func(t *testing.T) {
		t.Parallel()

		s := withUsers(t, open)
		mustCreateUser(t, s, credentials("u3"))
		for _, id := range []string{"u1", "u2", "u3"} {
			mustCreateSession(t, s, session(id+"-a", id))
			mustCreateSession(t, s, session(id+"-b", id))
		}
		late := session("u2-late", "u2")
		late.Refresh.IssuedAt = T0.Add(time.Hour)
		mustCreateSession(t, s, late)
		over := session("", "").ExpiresAt()
		for _, tt := range []struct {
			now   time.Time
			after string
			limit int
			want  []string
		}{
			{over.Add(-time.Millisecond), "", 10, nil},
			{over, "", 10, []string{"u1", "u2", "u3"}},
			{over, "", 2, []string{"u1", "u2"}},
			{over, "u2", 2, []string{"u3"}},
			{over, "u3", 2, nil},
		} {
			got, err := s.UsersWithExpired(t.Context(), tt.now, tt.after, tt.limit)
			if diff := cmp.Diff(tt.want, got); err != nil || diff != "" {
				t.Errorf("at %s after %q, at most %d: %v (-want +got):\n%s", tt.now, tt.after, tt.limit, err, diff)
			}
		}
	})
}
