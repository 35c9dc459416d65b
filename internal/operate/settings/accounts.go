package settings

import (
	"cmp"
	"errors"
	"fmt"
	"time"
)

// Accounts are the flags about sign-in and sessions. Each is empty unless it is set.
type Accounts struct {
	AuthPolicy        string
	Registration      string
	SessionMax        string
	AdminReauth       string
	StaffSecondFactor string
	NewSignInMail     string
	EmailSignIn       string
	Impersonation     string
}

// Leaving are the flags about accounts that are deleted.
type Leaving struct {
	AccountDeletionDays int
	RetainBilling       time.Duration
}

// SignIn are the settings about sign-in that administrators change as well (contract 2.27), as texts that the flags
// take. Each is empty unless it is set.
type SignIn struct {
	AuthPolicy        string
	PasswordPolicy    string
	BreachedPasswords string
	Registration      string
	StaffSecondFactor string
	SessionMax        string
	StaffSessionMax   string
	AdminReauth       string
	EmailSignIn       string
	NewSignInMail     string
	Impersonation     string
}

// SignInRow is one of SignIn: its name in the API, the variable that fixes it, and where it is.
type SignInRow struct {
	Name, Env string
	Of        func(*SignIn) *string
}

// SignInRows returns a row for each field of SignIn. --session-max makes two of them.
func SignInRows() []SignInRow {
	return []SignInRow{
		{"authPolicy", "STOA_AUTH_POLICY", func(s *SignIn) *string { return &s.AuthPolicy }},
		{"passwordPolicy", "STOA_PASSWORD_POLICY", func(s *SignIn) *string { return &s.PasswordPolicy }},
		{"breachedPasswords", "STOA_BREACHED_PASSWORDS", func(s *SignIn) *string { return &s.BreachedPasswords }},
		{"registration", "STOA_REGISTRATION", func(s *SignIn) *string { return &s.Registration }},
		{"staffSecondFactor", "STOA_STAFF_SECOND_FACTOR", func(s *SignIn) *string { return &s.StaffSecondFactor }},
		{"sessionMax", "STOA_SESSION_MAX", func(s *SignIn) *string { return &s.SessionMax }},
		{"staffSessionMax", "STOA_SESSION_MAX", func(s *SignIn) *string { return &s.StaffSessionMax }},
		{"adminReauth", "STOA_ADMIN_REAUTH", func(s *SignIn) *string { return &s.AdminReauth }},
		{"emailSignIn", "STOA_EMAIL_SIGN_IN", func(s *SignIn) *string { return &s.EmailSignIn }},
		{"newSignInMail", "STOA_NEW_SIGN_IN_MAIL", func(s *SignIn) *string { return &s.NewSignInMail }},
		{"impersonation", "STOA_IMPERSONATION", func(s *SignIn) *string { return &s.Impersonation }},
	}
}

// Over returns s with what is not set taken from other.
func (s SignIn) Over(other SignIn) SignIn {
	for _, row := range SignInRows() {
		at := row.Of(&s)
		*at = cmp.Or(*at, *row.Of(&other))
	}
	return s
}

// AccountRules are what the settings about accounts mean together.
type AccountRules struct {
	PasswordPolicy, Registration string
	BreachedPasswords            string
	StaffSecondFactor            string
	SessionMax, StaffSessionMax  time.Duration // 0: off
	AdminReauth                  time.Duration // 0: off
	ReauthSessions               bool
	EmailSignIn, NewSignInMail   bool
	Impersonation                string

	// Own are the flags, as "--name=value", that were set by themselves although AuthPolicy sets them.
	Own []string
}

// What the policy asvs sets.
const (
	asvs                = "asvs"
	asvsSessionMax      = 30 * 24 * time.Hour
	asvsStaffSessionMax = 12 * time.Hour
	asvsAdminReauth     = 30 * time.Minute
)

// off is how operators turn off what is a duration.
const off = "off"

// SignIn returns the flags about sign-in.
func (s Serve) SignIn() SignIn {
	return SignIn{
		AuthPolicy: s.AuthPolicy, PasswordPolicy: s.PasswordPolicy, BreachedPasswords: s.BreachedPasswords,
		Registration: s.Registration, StaffSecondFactor: s.StaffSecondFactor, SessionMax: s.SessionMax,
		StaffSessionMax: s.SessionMax, AdminReauth: s.AdminReauth, EmailSignIn: s.EmailSignIn, NewSignInMail: s.NewSignInMail,
		Impersonation: s.Impersonation,
	}
}

// Rules returns what settings mean, or every duration that is out of range. What is set by itself wins over AuthPolicy.
// A demo, which is for looking around, suggests no second factor.
func (s SignIn) Rules(demo bool) (AccountRules, error) {
	var r AccountRules
	if s.AuthPolicy == asvs {
		r = AccountRules{
			PasswordPolicy: asvs, BreachedPasswords: "builtin", Registration: "mail-first", StaffSecondFactor: "required",
			SessionMax: asvsSessionMax, StaffSessionMax: asvsStaffSessionMax, AdminReauth: asvsAdminReauth,
			ReauthSessions: true,
		}
	}
	r.PasswordPolicy = cmp.Or(s.PasswordPolicy, r.PasswordPolicy, "standard")
	r.BreachedPasswords = cmp.Or(s.BreachedPasswords, r.BreachedPasswords, off)
	r.Registration = cmp.Or(s.Registration, r.Registration, "open")
	suggested := "encourage"
	if demo {
		suggested = off
	}
	r.StaffSecondFactor = cmp.Or(s.StaffSecondFactor, r.StaffSecondFactor, suggested)
	r.EmailSignIn, r.NewSignInMail = s.EmailSignIn == "on", s.NewSignInMail != off
	r.Impersonation = cmp.Or(s.Impersonation, "notify")
	var faults [3]error
	if s.SessionMax != "" {
		r.SessionMax, faults[0] = orOff("session-max", s.SessionMax)
	}
	switch s.StaffSessionMax {
	case "":
		r.StaffSessionMax = sooner(r.StaffSessionMax, r.SessionMax)
	case s.SessionMax: // which is not refused twice
		r.StaffSessionMax = r.SessionMax
	default:
		r.StaffSessionMax, faults[1] = orOff("session-max", s.StaffSessionMax)
	}
	if s.AdminReauth != "" {
		r.AdminReauth, faults[2] = orOff("admin-reauth", s.AdminReauth)
	}
	return r, errors.Join(faults[:]...)
}

// sooner returns the shorter of two times, of which 0 is none.
func sooner(a, b time.Duration) time.Duration {
	if a == 0 || b == 0 {
		return max(a, b)
	}
	return min(a, b)
}

// AccountRules returns what the flags about accounts mean, or every value that is out of range or that this stoa cannot
// have.
func (s Serve) AccountRules() (AccountRules, error) {
	in := s.SignIn()
	r, err := in.Rules(s.Demo)
	faults := [3]error{err}
	if s.AuthPolicy == asvs {
		r.Own = s.own()
	}
	if r.Registration == "mail-first" && s.SMTPURL == "" && s.Mail != "log" && !s.Demo {
		by := "--registration=mail-first"
		if s.Registration == "" {
			by = "--auth-policy=asvs, which means --registration=mail-first unless that is set,"
		}
		faults[1] = errors.New(by + " needs --smtp-url: the link that makes an account is mailed")
	}
	if s.Demo && (r.StaffSecondFactor == "required" || r.StaffSecondFactor == "passkey") {
		faults[2] = fmt.Errorf("--demo has an administrator with a password alone, who may do nothing with "+
			"--staff-second-factor=%s: set that to off for a demo", r.StaffSecondFactor)
	}
	return r, errors.Join(faults[:]...)
}

// own returns the flags that are set by themselves although AuthPolicy sets them.
func (s Serve) own() (flags []string) {
	for _, own := range []struct{ flag, value string }{
		{"password-policy", s.PasswordPolicy},
		{"breached-passwords", s.BreachedPasswords},
		{"registration", s.Registration},
		{"staff-second-factor", s.StaffSecondFactor},
		{"session-max", s.SessionMax},
		{"admin-reauth", s.AdminReauth},
	} {
		if own.value != "" {
			flags = append(flags, "--"+own.flag+"="+own.value)
		}
	}
	return flags
}

// orOff reads a duration of a flag of stoa serve, or off, which is 0.
func orOff(flag, value string) (time.Duration, error) {
	if value == off {
		return 0, nil
	}
	name := "--" + flag
	d, err := time.ParseDuration(value)
	if err != nil {
		return 0, fmt.Errorf("%s must be a duration such as 12h or 720h, or off, not %q", name, value)
	}
	row, _ := find(serveRows, "", flag)
	if err := row.Bounds.check(name, int64(d)); err != nil {
		return 0, fmt.Errorf("%w, or off", err)
	}
	return d, nil
}
