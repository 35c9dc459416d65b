package account

import (
	"testing"
	"time"
)

func TestRotate(t *testing.T) {
	t.Parallel()

	at := time.Date(2030, time.March, 1, 12, 0, 0, 0, time.UTC)
	next := Refresh{ID: "next"}
	session := func() Session {
		return Session{
			Refresh: Refresh{ID: "due"},
			Replaced: []Replaced{
				{Refresh: Refresh{ID: "first"}, At: at},
				{Refresh: Refresh{ID: "second"}, At: at.Add(time.Second)},
			},
		}
	}
	for name, tt := range map[string]struct {
		id      string
		now     time.Time
		want    string // id of the successor; none means the session must end
		changed bool
		kept    int // replaced tokens that are still known
	}{
		"the one that is due":                       {"due", at.Add(time.Second), "next", true, 3},
		"the one that is due, when others are done": {"due", at.Add(RefreshGrace + time.Second), "next", true, 2},
		"the one that is due, long after":           {"due", at.Add(time.Hour), "next", true, 1},
		"replaced, at the last moment of its grace": {"first", at.Add(RefreshGrace), "second", false, 2},
		"replaced, a moment later":                  {"first", at.Add(RefreshGrace + time.Millisecond), "", false, 2},
		"replaced last, at the end of its grace":    {"second", at.Add(time.Second + RefreshGrace), "due", false, 2},
		"replaced last, a moment later": {
			"second", at.Add(time.Second + RefreshGrace + time.Millisecond), "",
			false, 2,
		},
		"unknown: replaced so long ago it was dropped": {"zeroth", at, "", false, 2},
	} {
		s := session()
		got, changed, ok := s.rotate(tt.id, next, tt.now)
		if got.ID != tt.want || changed != tt.changed || ok != (tt.want != "") || len(s.Replaced) != tt.kept {
			t.Errorf("%s: successor %q, changed %v, ok %v, %d kept; want %q, %v, %d kept", name, got.ID, changed, ok,
				len(s.Replaced), tt.want, tt.changed, tt.kept)
		}
	}
}
