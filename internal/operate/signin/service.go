package signin

import (
	"context"
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"stoa/internal/base/errs"
	"stoa/internal/operate/settings"
	"stoa/internal/trust/audit"
)

// Service shows and changes the settings. All fields are required. It is safe for concurrent use.
type Service struct {
	Store Store
	Book  *Book
	Now   func() time.Time
	// Settle waits until no replica has the rules from before a change (live.Memory).
	Settle func(ctx context.Context)
	// Mail says that mails are sent, Passkeys that browsers make passkeys here. Without them, not every value can be had.
	Mail, Passkeys bool
}

// Get returns the settings, in the order of the page, and their version.
func (s *Service) Get(ctx context.Context) ([]Row, Stored, error) {
	set, err := s.Store.SignIn(ctx)
	if err != nil {
		return nil, set, err
	}
	rows, err := s.rows(set.Values)
	return rows, set, err
}

func (s *Service) rows(stored settings.SignIn) ([]Row, error) {
	in := s.Book.over(stored)
	now, err := in.Rules(s.Book.demo)
	if err != nil {
		return nil, err
	}
	strict := in
	strict.AuthPolicy = "asvs"
	asvs, err := strict.Rules(s.Book.demo)
	if err != nil {
		return nil, err
	}
	none, _ := settings.SignIn{}.Rules(s.Book.demo)
	rows := make([]Row, 0, len(specs()))
	for _, at := range specs() {
		without := in
		*at.Of(&without) = ""
		inherited, err := without.Rules(s.Book.demo)
		if err != nil {
			return nil, err
		}
		row := Row{
			Name: at.Name, Variable: at.Env, Value: at.show(in, now), Default: at.show(without, inherited),
			ASVS: at.show(strict, asvs), Source: FromDefault,
		}
		switch {
		case *at.Of(&s.Book.fixed) != "":
			row.Source = FromEnvironment
		case *at.Of(&in) != "":
			row.Source = FromSetting
		case row.Value == at.show(settings.SignIn{}, none):
		case at.Name == "staffSessionMax" && now.StaffSessionMax == now.SessionMax: // that of everybody
		default:
			row.Source = FromPolicy
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// Change sets those of the settings that raw names, and takes those that are null back to what holds without them.
// faults are what the caller found wrong with raw. match, unless it is nil, reports whether the present version is the
// one that the change is about. It returns when the change holds on every replica. The error is VALIDATION_ERROR with
// everything that is wrong, or ErrStale.
func (s *Service) Change(
	ctx context.Context, raw map[string]json.RawMessage, faults errs.Issues, match func(version int64) bool,
) error {
	texts := s.read(raw, &faults)
	due := false
	err := s.Store.InTx(ctx, func(tx Store) error {
		set, err := tx.SignIn(ctx)
		if err != nil {
			return err
		}
		before, wrong := set.Values, errs.Issues{}
		wrong.Merge(faults)
		changed := apply(&set.Values, texts)
		if err := s.refuse(before, set.Values, raw, &wrong); err != nil {
			return err
		}
		if err := wrong.Err(); err != nil {
			return err
		}
		due = true // also for what is so already: whoever changed it may have been killed before it settled
		if match != nil && !match(set.Version) {
			return ErrStale
		}
		if len(changed) == 0 {
			return nil
		}
		set.Version++
		set.UpdatedAt = s.Now().UTC().Truncate(time.Millisecond)
		if err := tx.PutSignIn(ctx, set); err != nil {
			return err
		}
		values := audit.Details{}
		for _, name := range changed {
			values[name] = raw[name]
		}
		return tx.Record(ctx, audit.New(ctx, s.Now(), audit.SignInSettings, audit.Target{Type: "settings"}, values))
	})
	if due { // also after an error: a commit whose answer was lost may have happened
		s.Settle(ctx)
	}
	return err
}

// apply sets texts, and returns the names of those that differ now, sorted.
func apply(to *settings.SignIn, texts map[string]string) (changed []string) {
	for _, at := range specs() {
		text, named := texts[at.Name]
		if now := at.Of(to); named && *now != text {
			*now = text
			changed = append(changed, at.Name)
		}
	}
	slices.Sort(changed)
	return changed
}

// read returns the texts of settings by name, "" for null, and adds what is wrong with them.
func (s *Service) read(raw map[string]json.RawMessage, faults *errs.Issues) map[string]string {
	texts := make(map[string]string)
	all := specs()
	for _, name := range slices.Sorted(maps.Keys(raw)) {
		i := slices.IndexFunc(all, func(at spec) bool { return at.Name == name })
		if i < 0 {
			continue // the caller knows which fields there are
		}
		if *all[i].Of(&s.Book.fixed) != "" {
			faults.Add(name, errs.CodeReadOnly, "%s cannot be changed: the operator has set %s, which wins.", name, all[i].Env)
			continue
		}
		if text, ok := all[i].read(raw[name], faults); ok {
			texts[name] = text
		}
	}
	return texts
}

// read returns the text of a value, "" for null, unless something is wrong with it.
func (s spec) read(raw json.RawMessage, faults *errs.Issues) (text string, ok bool) {
	if string(raw) == "null" {
		return "", true
	}
	switch s.kind {
	case ofSeconds:
		return s.seconds(raw, faults)
	case ofSwitch:
		var on bool
		if json.Unmarshal(raw, &on) != nil {
			faults.Add(s.Name, errs.CodeWrongType, "%s must be true or false, or null.", s.Name)
			return "", false
		}
		if on {
			return "on", true
		}
		return "off", true
	}
	if json.Unmarshal(raw, &text) != nil {
		faults.Add(s.Name, errs.CodeWrongType, "%s must be a string, or null.", s.Name)
		return "", false
	}
	if !slices.Contains(s.values, text) {
		faults.Add(s.Name, errs.CodeUnknownValue, "%s must be one of %s.", s.Name, strings.Join(s.values, ", "))
		return "", false
	}
	return text, true
}

func (s spec) seconds(raw json.RawMessage, faults *errs.Issues) (text string, ok bool) {
	var n float64
	if json.Unmarshal(raw, &n) != nil || n != math.Trunc(n) {
		faults.Add(s.Name, errs.CodeWrongType, "%s must be a whole number of seconds, or null.", s.Name)
		return "", false
	}
	least, most := s.least.Seconds(), s.most.Seconds()
	switch {
	case n == 0:
		return "off", true
	case n < least || n > most:
		faults.Add(s.Name, errs.CodeOutOfRange, "%s must be from %.0f to %.0f seconds, or 0 for off.", s.Name, least, most)
		return "", false
	}
	return (time.Duration(n) * time.Second).String(), true
}

// refuse adds what this stoa cannot have, and did not have before.
func (s *Service) refuse(before, after settings.SignIn, raw map[string]json.RawMessage, faults *errs.Issues) error {
	was, err := s.Book.over(before).Rules(s.Book.demo)
	if err != nil {
		return err
	}
	is, err := s.Book.over(after).Rules(s.Book.demo)
	if err != nil {
		return err
	}
	// by is the field that a client sent: the setting itself, or the policy.
	by := func(name string) string {
		if _, named := raw[name]; named {
			return name
		}
		return "authPolicy"
	}
	if is.Registration == "mail-first" && was.Registration != is.Registration && !s.Mail {
		faults.Add(by("registration"), errs.CodeInvalid, "%s cannot be had without mail (STOA_SMTP_URL): with the "+
			"registration mail-first, the link that makes an account is mailed.", by("registration"))
	}
	staff := is.StaffSecondFactor
	if staff == was.StaffSecondFactor {
		return nil
	}
	switch at := by("staffSecondFactor"); {
	case s.Book.demo && (staff == "required" || staff == "passkey"):
		faults.Add(at, errs.CodeInvalid, "%s cannot be had in a demo: its administrator has a password alone.", at)
	case staff == "passkey" && !s.Passkeys:
		faults.Add(at, errs.CodeInvalid,
			"%s cannot be had: browsers make no passkeys at this address, so nobody could manage this stoa.", at)
	}
	return nil
}
