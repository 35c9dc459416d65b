package apikey

import (
	"slices"
	"strings"

	"stoa/internal/base/errs"
	"stoa/internal/base/permission"
)

// What personal keys may have besides permissions: to stand for their user where no permission is asked for.
const (
	SelfRead  permission.Name = "self:read"  // GET and HEAD
	SelfWrite permission.Name = "self:write" // everything else
)

// unscopable are the permissions of routes that no key may call: they let people in, or decide what they may do.
var unscopable = []permission.Name{
	permission.SecureUsers, permission.Impersonate, permission.ImpersonateToWrite, permission.EraseUsers,
	permission.ExportUsers, permission.ReadStaff, permission.WriteStaff, permission.AdminKeys, permission.WriteSignIn,
	permission.WriteMarkets,
}

// IsScope reports whether a key may have a permission.
func IsScope(name permission.Name) bool {
	return permission.Known(name) && !slices.Contains(unscopable, name)
}

// Scopes are what a key is for.
type Scopes struct {
	Rights      permission.Set
	Read, Write bool // SelfRead, SelfWrite
}

// scopesOf returns the scopes with these names.
func scopesOf(names []permission.Name) Scopes {
	return Scopes{
		Rights: permission.Of(names...),
		Read:   slices.Contains(names, SelfRead), Write: slices.Contains(names, SelfWrite),
	}
}

// ParseScopes returns what String returned.
func ParseScopes(text string) Scopes {
	var names []permission.Name
	for name := range strings.FieldsSeq(text) {
		names = append(names, permission.Name(name))
	}
	return scopesOf(names)
}

// Names returns the names of s, those about oneself first.
func (s Scopes) Names() []permission.Name {
	names := []permission.Name{}
	if s.Read {
		names = append(names, SelfRead)
	}
	if s.Write {
		names = append(names, SelfWrite)
	}
	return append(names, s.Rights.Names()...)
}

// String returns the names with spaces between them.
func (s Scopes) String() string {
	names := s.Names()
	texts := make([]string, len(names))
	for i, name := range names {
		texts[i] = string(name)
	}
	return strings.Join(texts, " ")
}

// maxScopes is how many names a form may have: all of the catalog, and plugins.
const maxScopes = 200

// scopeIssues adds what is wrong with the scopes of a form.
func scopeIssues(f *errs.Issues, names []permission.Name, kind Kind) {
	switch {
	case len(names) == 0:
		f.Add("scopes", errs.CodeRequired, "scopes must name what the key is for.")
	case len(names) > maxScopes:
		f.Add("scopes", errs.CodeOutOfRange, "scopes must have %d names or fewer.", maxScopes)
		return
	}
	for _, name := range names {
		self := name == SelfRead || name == SelfWrite
		switch {
		case self && kind == Service:
			f.Add("scopes", errs.CodeUnknownValue, "%s is for personal keys: a service account is nobody.", name)
		case !self && permission.Known(name) && !IsScope(name):
			f.Add("scopes", errs.CodeUnknownValue, "%s is for people who are signed in: no key can have it.", name)
		case !self && !permission.Known(name):
			f.Add("scopes", errs.CodeUnknownValue, "scopes has a name that is no permission.")
		}
	}
}
