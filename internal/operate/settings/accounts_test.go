package settings

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

const day = 24 * time.Hour

// asvsRules are what --auth-policy=asvs means.
func asvsRules() AccountRules {
	return AccountRules{
		PasswordPolicy: "asvs", BreachedPasswords: "builtin", Registration: "mail-first", StaffSecondFactor: "required",
		SessionMax: 30 * day, StaffSessionMax: 12 * time.Hour, AdminReauth: 30 * time.Minute, ReauthSessions: true,
		NewSignInMail: true, Impersonation: "notify",
	}
}

func TestOnePolicySetsWhatIsNotSetByItself(t *testing.T) {
	t.Parallel()

	standard := AccountRules{PasswordPolicy: "standard", BreachedPasswords: "off", Registration: "open", StaffSecondFactor: "encourage", NewSignInMail: true, Impersonation: "notify"}
	with := func(r AccountRules, change func(r *AccountRules)) AccountRules {
		change(&r)
		return r
	}
	for _, tt := range []struct {
		name  string
		flags Serve
		want  AccountRules
	}{
		{"nothing is set", Serve{Accounts: Accounts{AuthPolicy: "standard"}}, standard},
		{"a demo", Serve{Demo: true}, with(standard, func(r *AccountRules) { r.StaffSecondFactor = "off" })},
		{"each by itself", Serve{
			Passwords: Passwords{PasswordPolicy: "asvs", BreachedPasswords: "builtin"},
			Accounts: Accounts{
				AuthPolicy: "standard", Registration: "closed", SessionMax: "1h", AdminReauth: "1m", StaffSecondFactor: "passkey",
				EmailSignIn: "on", NewSignInMail: "off", Impersonation: "account",
			},
		}, AccountRules{
			PasswordPolicy: "asvs", BreachedPasswords: "builtin", Registration: "closed", StaffSecondFactor: "passkey",
			SessionMax: time.Hour, StaffSessionMax: time.Hour, AdminReauth: time.Minute, EmailSignIn: true,
			Impersonation: "account",
		}},
		{"asvs", Serve{
			Accounts: Accounts{AuthPolicy: "asvs"}, Mailing: Mailing{SMTPURL: "smtp://mail"},
		}, asvsRules()},
		{"asvs, and everything by itself", Serve{
			Passwords: Passwords{PasswordPolicy: "standard", BreachedPasswords: "off"},
			Accounts: Accounts{
				AuthPolicy: "asvs", Registration: "open", SessionMax: "off", AdminReauth: "off", StaffSecondFactor: "off",
			},
		}, AccountRules{
			PasswordPolicy: "standard", BreachedPasswords: "off", Registration: "open", StaffSecondFactor: "off",
			ReauthSessions: true, NewSignInMail: true, Impersonation: "notify",
			Own: []string{
				"--password-policy=standard", "--breached-passwords=off", "--registration=open", "--staff-second-factor=off", "--session-max=off",
				"--admin-reauth=off",
			},
		}},
		{"asvs with longer sessions", Serve{
			Accounts: Accounts{AuthPolicy: "asvs", SessionMax: "8760h"}, Mailing: Mailing{SMTPURL: "smtp://mail"},
		}, with(asvsRules(), func(r *AccountRules) {
			r.SessionMax, r.StaffSessionMax, r.Own = 365*day, 365*day, []string{"--session-max=8760h"}
		})},
	} {
		got, err := tt.flags.AccountRules()
		if diff := cmp.Diff(tt.want, got); err != nil || diff != "" {
			t.Errorf("%s: %v (-want +got)\n%s", tt.name, err, diff)
		}
	}
}

func TestValuesOfAccountsThatAreOutOfRangeAreNamed(t *testing.T) {
	t.Parallel()

	for flag, want := range map[string]string{
		"--session-max=59m59s":            "--session-max is 59m59s: it must be from 1h to 8760h, or off",
		"--session-max=8760h1s":           "--session-max is 8760h0m1s: it must be from 1h to 8760h, or off",
		"--session-max=30d":               `--session-max must be a duration such as 12h or 720h, or off, not "30d"`,
		"--session-max=0s":                "--session-max is 0s: it must be",
		"--admin-reauth=59s":              "--admin-reauth is 59s: it must be from 1m to 24h, or off",
		"--admin-reauth=24h1s":            "--admin-reauth is 24h0m1s: it must be from 1m to 24h, or off",
		"--admin-reauth=-5m":              "--admin-reauth is -5m: it must be",
		"--staff-second-factor=sometimes": "--staff-second-factor must be one of",
		"--auth-policy=strict":            "--auth-policy must be one of",
		"--auth-policy=asvs":              "--auth-policy=asvs, which means --registration=mail-first unless that is set, needs --smtp-url",
	} {
		if _, err := parse(t, "serve", flag); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", flag, err)
		}
	}
	for _, flags := range [][]string{
		{"--session-max=1h"},
		{"--session-max=8760h"},
		{"--session-max=off"},
		{"--admin-reauth=1m"},
		{"--admin-reauth=24h"},
		{"--auth-policy=asvs", "--registration=open"},
		{"--auth-policy=asvs", "--mail=log"},
		{"--demo", "--auth-policy=asvs", "--staff-second-factor=off"},
	} {
		if _, err := parse(t, append([]string{"serve"}, flags...)...); err != nil {
			t.Errorf("%s: %v", flags, err)
		}
	}
	for _, policy := range []string{"--auth-policy=asvs", "--staff-second-factor=passkey"} {
		if _, err := parse(t, "serve", "--demo", policy); err == nil || !strings.Contains(err.Error(), "--demo has an administrator with a password alone") {
			t.Errorf("a demo with %s: %v", policy, err)
		}
	}
}
