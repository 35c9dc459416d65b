package permission

import (
	"regexp"
	"slices"
	"strings"
)

// The roles that code knows by name; what others may is data.
const (
	user  = "USER"  // nobody of the staff
	admin = "ADMIN" // everything, also what later releases add
)

// letters are those of the other built-in roles in catalog.
var letters = []struct{ role, letter string }{
	{"OPERATOR", "O"}, {"CATALOG", "C"}, {"SUPPORT", "S"}, {"FINANCE", "F"}, {"ANALYST", "N"},
}

// builtIn has what the built-in roles may, USER too.
var builtIn = func() map[string]Set {
	roles := map[string]Set{user: {}, admin: All()}
	for _, one := range letters {
		var names []Name
		for _, p := range catalog {
			if strings.Contains(p.roles, one.letter) {
				names = append(names, p.name)
			}
		}
		roles[one.role] = Of(names...)
	}
	return roles
}()

// StaffRoles returns the names of the built-in roles of staff, the mightiest first.
func StaffRoles() []string {
	roles := []string{admin}
	for _, one := range letters {
		roles = append(roles, one.role)
	}
	return roles
}

// BuiltIn returns what a built-in role may. ok is false for other names.
func BuiltIn(role string) (s Set, ok bool) {
	s, ok = builtIn[role]
	return s, ok
}

// IsBuiltIn reports whether a name is that of a built-in role of staff, or USER.
func IsBuiltIn(role string) bool {
	_, ok := builtIn[role]
	return ok
}

// OfRole returns what somebody with that role may. own has the permissions of a role that is not built in, as they are
// kept; it is empty for a role that does not exist.
func OfRole(role, own string) Set {
	if s, ok := builtIn[role]; ok {
		return s
	}
	return Parse(own)
}

// roleName is the form of an own role's name.
var roleName = regexp.MustCompile(`^[A-Z][A-Z0-9_]{2,31}$`)

// IsRoleName reports whether a role may have that name.
func IsRoleName(name string) bool { return roleName.MatchString(name) }

// Sorted returns names in the order of the catalog, each once, those of single plugins last. It does not add what they
// include.
func Sorted(names []Name) []Name {
	sorted := []Name{}
	for _, p := range catalog {
		if slices.Contains(names, p.name) {
			sorted = append(sorted, p.name)
		}
	}
	var plugins []Name
	for _, name := range names {
		if bits[name] == 0 {
			plugins = append(plugins, name)
		}
	}
	slices.Sort(plugins)
	return append(sorted, slices.Compact(plugins)...)
}
