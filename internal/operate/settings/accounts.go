package settings

import (
	"cmp"
	"errors"
	"fmt"
	"time"
)

// Accounts are the flags about sign-in and sessions. Those that AuthPolicy sets are empty unless they are set by
// themselves.
type Accounts struct {
	AuthPolicy        string
	Registration      string
	SessionMax        string
	AdminReauth       string
	StaffSecondFactor string
	NewSignInMail     string
	EmailSignIn       string
}

// AccountRules are what the flags about accounts mean together.
type AccountRules struct {
	PasswordPolicy, Registration string
	BreachedPasswords            string
	StaffSecondFactor            string
	SessionMax, StaffSessionMax  time.Duration // 0: off
	AdminReauth                  time.Duration // 0: off
	ReauthSessions               bool

	// Own are the flags, as "--name=value", that were set by themselves although AuthPolicy sets them.
	Own []string
}

// What --auth-policy=asvs sets.
const (
	asvs                = "asvs"
	asvsSessionMax      = 30 * 24 * time.Hour
	asvsStaffSessionMax = 12 * time.Hour
	asvsAdminReauth     = 30 * time.Minute
)

// off is how operators turn off what is a duration.
const off = "off"

func sessionMaxBounds() Bounds { return durations(time.Hour, 365*24*time.Hour) }

func adminReauthBounds() Bounds { return durations(time.Minute, 24*time.Hour) }

// AccountRules returns what the flags about accounts mean, or every value that is out of range. What is set by
// itself wins over AuthPolicy.
func (s Serve) AccountRules() (AccountRules, error) {
	var r AccountRules
	if s.AuthPolicy == asvs {
		r = AccountRules{
			PasswordPolicy: asvs, BreachedPasswords: "builtin", Registration: "mail-first", StaffSecondFactor: "required",
			SessionMax: asvsSessionMax, StaffSessionMax: asvsStaffSessionMax, AdminReauth: asvsAdminReauth,
			ReauthSessions: true,
		}
		for _, own := range []struct{ flag, value string }{
			{"password-policy", s.PasswordPolicy}, {"breached-passwords", s.BreachedPasswords}, {"registration", s.Registration},
			{"staff-second-factor", s.StaffSecondFactor}, {"session-max", s.SessionMax}, {"admin-reauth", s.AdminReauth},
		} {
			if own.value != "" {
				r.Own = append(r.Own, "--"+own.flag+"="+own.value)
			}
		}
	}
	r.PasswordPolicy = cmp.Or(s.PasswordPolicy, r.PasswordPolicy, "standard")
	r.BreachedPasswords = cmp.Or(s.BreachedPasswords, r.BreachedPasswords, off)
	r.Registration = cmp.Or(s.Registration, r.Registration, "open")
	suggested := "encourage"
	if s.Demo { // which is for looking around
		suggested = off
	}
	r.StaffSecondFactor = cmp.Or(s.StaffSecondFactor, r.StaffSecondFactor, suggested)
	var faults [4]error
	if s.SessionMax != "" {
		r.SessionMax, faults[0] = orOff("--session-max", s.SessionMax, sessionMaxBounds())
		r.StaffSessionMax = r.SessionMax
	}
	if s.AdminReauth != "" {
		r.AdminReauth, faults[1] = orOff("--admin-reauth", s.AdminReauth, adminReauthBounds())
	}
	if r.Registration == "mail-first" && s.SMTPURL == "" && s.Mail != "log" && !s.Demo {
		by := "--registration=mail-first"
		if s.Registration == "" {
			by = "--auth-policy=asvs, which means --registration=mail-first unless that is set,"
		}
		faults[2] = errors.New(by + " needs --smtp-url: the link that makes an account is mailed")
	}
	if s.Demo && (r.StaffSecondFactor == "required" || r.StaffSecondFactor == "passkey") {
		faults[3] = fmt.Errorf("--demo has an administrator with a password alone, who may do nothing with "+
			"--staff-second-factor=%s: set that to off for a demo", r.StaffSecondFactor)
	}
	return r, errors.Join(faults[:]...)
}

// orOff reads a duration, or off, which is 0.
func orOff(flag, value string, bounds Bounds) (time.Duration, error) {
	if value == off {
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
