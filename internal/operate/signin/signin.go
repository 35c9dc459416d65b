// Package signin owns what administrators decide about signing in: which settings there are, what fixes them, and what
// they mean together. They are in the database, and hold at once on every replica.
package signin

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"stoa/internal/account"
	"stoa/internal/base/errs"
	"stoa/internal/operate/settings"
	"stoa/internal/trust/audit"
)

// Stored is what administrators decided.
type Stored struct {
	Values    settings.SignIn
	Version   int64     // rises with each change
	UpdatedAt time.Time // zero before the first change
	// Unknown is what a later release stored, and this one does not know. It stays.
	Unknown map[string]json.RawMessage
}

// State is another text after each change, also where an older state was restored and changed.
func (s Stored) State() string {
	at := int64(0)
	if !s.UpdatedAt.IsZero() {
		at = s.UpdatedAt.UnixMilli()
	}
	return strconv.FormatInt(s.Version, 10) + "@" + strconv.FormatInt(at, 10)
}

// Text returns Values and Unknown, as JSON.
func (s Stored) Text() ([]byte, error) {
	all := make(map[string]any, len(s.Unknown))
	for name, value := range s.Unknown {
		all[name] = value
	}
	for _, row := range settings.SignInRows() {
		if value := *row.Of(&s.Values); value != "" {
			all[row.Name] = value
		}
	}
	return json.Marshal(all)
}

// Read sets what Text returned.
func (s *Stored) Read(text []byte) error {
	if err := json.Unmarshal(text, &s.Unknown); err != nil {
		return err
	}
	for _, row := range settings.SignInRows() {
		value, known := s.Unknown[row.Name]
		if !known {
			continue
		}
		if err := json.Unmarshal(value, row.Of(&s.Values)); err != nil {
			return err
		}
		delete(s.Unknown, row.Name)
	}
	if len(s.Unknown) == 0 {
		s.Unknown = nil
	}
	return nil
}

// Store is where it lives. Package store implements it for SQLite and PostgreSQL; its tests hold every sentence here to
// it.
type Store interface {
	// InTx runs fn in a transaction. It commits if fn returns nil.
	InTx(ctx context.Context, fn func(Store) error) error

	// SignIn returns what is stored, which exists in every database. Inside InTx it stays locked until the end.
	SignIn(ctx context.Context) (Stored, error)

	// PutSignIn replaces what is stored, and leaves a row that names RowName for all who remember it (live.Log).
	PutSignIn(ctx context.Context, set Stored) error

	// Record adds an entry to the audit log (audit.Store).
	Record(ctx context.Context, e audit.Entry) error
}

// RowName is what rows about these settings name in place of a user.
const RowName = "sign-in settings"

// ErrStale is returned for a change of settings that somebody else has changed meanwhile.
var ErrStale = errs.New(errs.Stale, "PRECONDITION_FAILED", "The settings have been changed meanwhile. Read them again.")

// Source says why a setting has its value.
type Source string

// The sources, from the weakest to the strongest.
const (
	FromDefault     Source = "default"
	FromPolicy      Source = "policy"  // authPolicy
	FromSetting     Source = "setting" // an administrator's
	FromEnvironment Source = "environment"
)

// Row is a setting as administrators see it. Values are texts, seconds (0: off), or true and false.
type Row struct {
	Name     string
	Value    any
	Source   Source
	Variable string // that fixes it, or would
	Default  any    // what holds while it is not set by itself
	ASVS     any    // what would hold with the policy asvs
}

// Changeable reports whether administrators may set it.
func (r Row) Changeable() bool { return r.Source != FromEnvironment }

// Kinds of values.
const (
	ofChoice = iota
	ofSeconds
	ofSwitch
)

// spec is what values a setting may have.
type spec struct {
	settings.SignInRow

	kind        int
	values      []string
	least, most time.Duration
}

// specs are those of all settings, as the table of settings has them.
func specs() []spec {
	rows := settings.SignInRows()
	all := make([]spec, len(rows))
	for i, row := range rows {
		at := spec{SignInRow: row}
		of, _ := settings.ByVariable(row.Env)
		least, most := of.Bounds.Range()
		switch {
		case most > 0:
			at.kind, at.least, at.most = ofSeconds, time.Duration(least), time.Duration(most)
		case of.Values == "on,off":
			at.kind = ofSwitch
		case of.Values == "": // the path of a file is the operator's matter
			at.values = []string{"off", "builtin"}
		default:
			at.values = strings.Split(of.Values, ",")
		}
		all[i] = at
	}
	return all
}

// takes reports whether a text is a value of the setting. A release that knows more of them may have stored another.
func (s spec) takes(text string) bool {
	switch s.kind {
	case ofSeconds:
		d, err := time.ParseDuration(text)
		return text == "off" || err == nil && s.least <= d && d <= s.most
	case ofSwitch:
		return text == "on" || text == "off"
	}
	return slices.Contains(s.values, text)
}

// show returns the value that a setting has by the rules that hold.
func (s spec) show(in settings.SignIn, r settings.AccountRules) any {
	seconds := func(d time.Duration) int64 { return int64(d / time.Second) }
	switch s.Name {
	case "authPolicy":
		return cmp.Or(in.AuthPolicy, "standard")
	case "passwordPolicy":
		return r.PasswordPolicy
	case "breachedPasswords":
		if r.BreachedPasswords != "off" && r.BreachedPasswords != "builtin" {
			return "file"
		}
		return r.BreachedPasswords
	case "registration":
		return r.Registration
	case "staffSecondFactor":
		return r.StaffSecondFactor
	case "sessionMax":
		return seconds(r.SessionMax)
	case "staffSessionMax":
		return seconds(r.StaffSessionMax)
	case "adminReauth":
		return seconds(r.AdminReauth)
	case "emailSignIn":
		return r.EmailSignIn
	case "impersonation":
		return r.Impersonation
	}
	return r.NewSignInMail
}

// AccountRules returns the rules for accounts that settings mean. The error says which value is not known.
func AccountRules(in settings.SignIn, demo bool) (rules account.Rules, err error) {
	r, err := in.Rules(demo)
	if err != nil {
		return rules, err
	}
	if rules.Policy, err = account.ParsePolicy(r.PasswordPolicy); err != nil {
		return rules, err
	}
	if rules.Registration, err = account.ParseRegistration(r.Registration); err != nil {
		return rules, err
	}
	staff, err := account.ParseStaffFactor(r.StaffSecondFactor)
	rules.RefuseBreached = r.BreachedPasswords != "off"
	rules.Impersonation = account.ImpersonationMode(r.Impersonation)
	rules.TellSignIns, rules.MailedSignIn = r.NewSignInMail, r.EmailSignIn
	rules.Safeguards = account.Safeguards{
		SessionMax: r.SessionMax, StaffSessionMax: r.StaffSessionMax, AdminReauth: r.AdminReauth,
		ReauthSessions: r.ReauthSessions, StaffFactor: staff,
	}
	return rules, err
}
