package theme

import (
	"encoding/json"
	"maps"
	"slices"
	"time"

	"stoa/internal/extension"
	"stoa/internal/extension/manifest"
)

// Target is what a theme is for.
type Target string

// The targets.
const (
	Shop  Target = "shop"
	Admin Target = "admin"
)

// ParseTarget reads a target, or returns ErrTarget.
func ParseTarget(text string) (Target, error) {
	if t := Target(text); t == Shop || t == Admin {
		return t, nil
	}
	return "", ErrTarget
}

// targets are the kinds of themes, and what each is for.
var targets = map[extension.Kind]Target{
	extension.ThemeShop: Shop, extension.ThemeAdmin: Admin,
	extension.ThemeAppShop: Shop, extension.ThemeAppAdmin: Admin,
}

// Kinds returns the kinds of extensions that are themes, in no order.
func Kinds() []extension.Kind { return slices.Collect(maps.Keys(targets)) }

// IsKind reports whether extensions of a kind are themes: packs or apps.
func IsKind(k extension.Kind) bool { return targets[k] != "" }

// IsApp reports whether extensions of a kind are theme apps.
func IsApp(k extension.Kind) bool { return k == extension.ThemeAppShop || k == extension.ThemeAppAdmin }

// Version is an installed version of a theme. A slug names one theme of a target, and
// its versions stand side by side.
type Version struct {
	ID   string
	Kind extension.Kind
	extension.Files

	Manifest Manifest

	// Replaced is true if this version was installed before with other contents. Then
	// files have changed that clients may keep forever.
	Replaced bool

	InstalledAt time.Time
	UpdatedAt   time.Time
	DeletedAt   time.Time // zero unless uninstalled
}

// Target returns what the theme is for.
func (v Version) Target() Target { return targets[v.Kind] }

// BaseURL returns the address of the pack's files, or of the app, relative to that of
// stoa. It ends in a slash.
func (v Version) BaseURL() string {
	if IsApp(v.Kind) {
		return BasePath(v.Target(), v.Manifest.Slug) + "/"
	}
	return "/themes/" + string(v.Target()) + "/" + v.Manifest.Slug + "/" + v.Manifest.Version + "/"
}

// Entry returns what the theme consists of, as its manifest has it: an Entry of a pack, a
// Program of an app.
func (v Version) Entry() any {
	if IsApp(v.Kind) {
		return v.Manifest.Program
	}
	return v.Manifest.Entry
}

// Theme is an installed theme: all versions of one slug.
type Theme struct {
	Versions []Version // the highest first; at least one
	Active   string    // the version that its target shows; empty if it shows another theme
}

// newTheme returns the theme with those versions, in any order.
func newTheme(versions []Version, now State) Theme {
	slices.SortFunc(versions, func(a, b Version) int {
		return manifest.CompareVersions(b.Manifest.Version, a.Manifest.Version)
	})
	t := Theme{Versions: versions}
	if now.Active.Slug == versions[0].Manifest.Slug {
		t.Active = now.Active.Version
	}
	return t
}

// Version returns the installed version with that number, or the highest if it is
// empty; ok is false if there is none.
func (t Theme) Version(number string) (v Version, ok bool) {
	for _, v := range t.Versions {
		if number == "" || v.Manifest.Version == number {
			return v, true
		}
	}
	return Version{}, false
}

// Installed is what an install came to.
type Installed struct {
	Theme

	Version Version // the one that the archive has
	First   bool    // it is the only one of its theme, and new
}

// RequestID implements extension.Record.
func (in Installed) RequestID() string { return in.Version.PackageID }

// Choice is a version of a theme with its config, as the database has it. The zero
// value is the built-in theme.
type Choice struct {
	Slug    string
	Version string
	Sealed  string // the config, encrypted; empty without one
}

// State is what a target shows: the built-in theme if Active is the zero Choice.
type State struct {
	Active   Choice
	Previous Choice // what a rollback returns to; the zero Choice if there is nothing
}

// Applied is a version of a theme that a target shows, or showed.
type Applied struct {
	Version Version

	// Config is a JSON object with the values of secret fields in the clear, or nil.
	// Never log it; answer PublicConfig.
	Config json.RawMessage
}

// Status is what a target shows, and what a rollback returns to. nil is the built-in
// theme, and nothing.
type Status struct {
	Target           Target
	Active, Previous *Applied
}
