package settings

import (
	"errors"
	"fmt"
	"time"
)

// Accounts are the flags about sign-in and sessions.
type Accounts struct {
	Registration string
	SessionMax   string
	AdminReauth  string

	StaffSecondFactor string
}

// AccountRules are what the flags about accounts mean together.
type AccountRules struct {
	PasswordPolicy, Registration string
	SessionMax, StaffSessionMax  time.Duration // 0: off
	AdminReauth                  time.Duration // 0: off
	StaffSecondFactor            string
}

// off is how operators turn off what is a duration.
const off = "off"

func sessionMaxBounds() Bounds { return durations(time.Hour, 365*24*time.Hour) }

func adminReauthBounds() Bounds { return durations(time.Minute, 24*time.Hour) }

// AccountRules returns what the flags about accounts mean, or every value that is out of range.
func (s Serve) AccountRules() (AccountRules, error) {
	r := AccountRules{PasswordPolicy: s.PasswordPolicy, Registration: s.Registration, StaffSecondFactor: s.StaffSecondFactor}
	var faults [2]error
	r.SessionMax, faults[0] = orOff("--session-max", s.SessionMax, sessionMaxBounds())
	r.StaffSessionMax = r.SessionMax
	r.AdminReauth, faults[1] = orOff("--admin-reauth", s.AdminReauth, adminReauthBounds())
	return r, errors.Join(faults[:]...)
}

// orOff reads a duration, or off, which is 0.
func orOff(flag, value string, bounds Bounds) (time.Duration, error) {
	if value == off || value == "" {
		return 0, nil
	}
	d, err := time.ParseDuration(value)
	if err != nil {
		return 0, fmt.Errorf("%s must be a duration such as 12h or 720h, or off, not %q", flag, value)
	}
	if err := bounds.check(flag, int64(d)); err != nil {
		return 0, fmt.Errorf("%w, or off", err)
	}
	return d, nil
}
