package account

import (
	"time"

	"stoa/internal/base/reqctx"
)

// Safeguards are what an operator asks of sessions beyond what holds everywhere. The zero value asks for
// nothing.
type Safeguards struct {
	// SessionMax ends a session so long after its sign-in, whatever is refreshed (contract 2.6);
	// StaffSessionMax is the same for staff. 0: no such end.
	SessionMax, StaffSessionMax time.Duration

	// AdminReauth is how long a proof to be there counts for changes by administrators that the list of routes
	// marks (contract 2.13). 0: nobody is asked.
	AdminReauth time.Duration
}

// sessionMax returns after what time a session ends of somebody with that role; 0: it goes on.
func (g Safeguards) sessionMax(role reqctx.Role) time.Duration {
	if role != reqctx.RoleUser {
		return g.StaffSessionMax
	}
	return g.SessionMax
}

// sessionEnd returns when a session of somebody with that role ends, whatever is refreshed; zero: never. It is
// worked out, not stored: so it holds for sessions from before the setting and for those of somebody who becomes
// staff, and a longer one holds at once.
func (s *Service) sessionEnd(role reqctx.Role, authenticated time.Time) time.Time {
	most := s.Safeguards.sessionMax(role)
	if most == 0 {
		return time.Time{}
	}
	return authenticated.Add(most)
}

// over reports whether a session has ended at now by its age.
func over(end, now time.Time) bool { return !end.IsZero() && !now.Before(end) }
