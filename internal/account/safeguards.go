package account

import (
	"fmt"
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

	// ReauthSessions asks whoever ends other sessions of their own for a recent proof to be there.
	ReauthSessions bool

	// StaffFactor is what staff need besides the password; StaffFactorEncourage if empty.
	StaffFactor StaffFactor
}

// StaffFactor says what staff need besides the password (contract 2.19).
type StaffFactor string

// What staff may need.
const (
	StaffFactorOff       StaffFactor = "off"
	StaffFactorEncourage StaffFactor = "encourage" // nothing, and the console suggests a second factor
	StaffFactorRequired  StaffFactor = "required"  // a second factor
	StaffFactorPasskey   StaffFactor = "passkey"   // one that withstands phishing
)

// ParseStaffFactor reads a name; the empty name is StaffFactorEncourage.
func ParseStaffFactor(name string) (StaffFactor, error) {
	switch f := StaffFactor(name); f {
	case "":
		return StaffFactorEncourage, nil
	case StaffFactorOff, StaffFactorEncourage, StaffFactorRequired, StaffFactorPasskey:
		return f, nil
	}
	return "", fmt.Errorf("what staff need besides the password is not known: %q; use %s, %s, %s or %s",
		name, StaffFactorOff, StaffFactorEncourage, StaffFactorRequired, StaffFactorPasskey)
}

// Wanted reports whether staff should have a second factor, asked for or suggested.
func (f StaffFactor) Wanted() bool { return f != StaffFactorOff }

// asks reports whether staff need a second factor.
func (f StaffFactor) asks() bool { return f == StaffFactorRequired || f == StaffFactorPasskey }

// due returns what a session lacks that its user needs, who is staff. Staff without any factor have sessions of
// level 1, as those have who left theirs out.
func (f StaffFactor) due(a Alive) reqctx.Factor {
	switch {
	case !a.User.isStaff():
		return ""
	case f == StaffFactorRequired && a.Level < 2:
		return reqctx.SecondFactor
	case f == StaffFactorPasskey && !a.PhishingResistant:
		return reqctx.Passkey
	}
	return ""
}

// sessionMax returns after what time a session ends of somebody with that role; 0: it goes on.
func (g Safeguards) sessionMax(role reqctx.Role) time.Duration {
	if role != reqctx.RoleUser {
		return g.StaffSessionMax
	}
	return g.SessionMax
}

// sessionEnd returns when a session of somebody with that role ends, whatever is refreshed, in whole seconds as the
// times of tokens are; zero: never. It is worked out, not stored: so it holds for sessions from before the setting and
// for those of somebody who becomes staff, and a longer one holds at once.
func (s *Service) sessionEnd(role reqctx.Role, authenticated time.Time) time.Time {
	most := s.LastRules().Safeguards.sessionMax(role)
	if most == 0 {
		return time.Time{}
	}
	return authenticated.Truncate(time.Second).Add(most)
}

// over reports whether a session has ended at now by its age.
func over(end, now time.Time) bool { return !end.IsZero() && !now.Before(end) }
