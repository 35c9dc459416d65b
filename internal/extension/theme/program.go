package theme

import (
	"encoding/json"
	"net/url"
	"path"
	"slices"
	"strings"

	"stoa/internal/base/errs"
	"stoa/internal/extension/manifest"
)

// Program says how a theme app runs.
type Program struct {
	// Entry is what Node.js runs: a clean path below the app's folder.
	Entry string

	// Health is the path, with query if any, that answers 2xx while the app is well.
	Health string
}

// programTypes are the types of files that Node.js runs as JavaScript.
var programTypes = []string{".js", ".mjs", ".cjs"}

// maxHealth is the length of the longest path of a health check, in bytes.
const maxHealth = 1024

func parseProgram(o manifest.Object, has func(name string) bool) Program {
	return Program{Entry: parseRuntime(o, has), Health: parseHealth(o)}
}

// parseRuntime reads runtime.entry, and returns "" if it has a fault.
func parseRuntime(o manifest.Object, has func(name string) bool) string {
	fields, ok := o.Child("runtime")
	if !ok {
		missing(o, "runtime", "runtime.entry")
		return ""
	}
	name, ok := fields.Require("entry")
	if !ok {
		return ""
	}
	clean, inside := manifest.CleanPath(name)
	switch {
	case !inside || clean == ".":
		fields.Fault("entry", errs.CodeInvalid, "must be a path inside the package.")
	case !slices.Contains(programTypes, strings.ToLower(path.Ext(clean))):
		fields.Fault("entry", errs.CodeInvalid, "must be a .js, .mjs or .cjs file.")
	case !has(clean):
		fields.Fault("entry", errs.CodeInvalid, "names a file that is not in the package.")
	default:
		return clean
	}
	return ""
}

// parseHealth reads healthCheck.path, and returns "" if it has a fault.
func parseHealth(o manifest.Object) string {
	fields, ok := o.Child("healthCheck")
	if !ok {
		missing(o, "healthCheck", "healthCheck.path")
		return ""
	}
	health, ok := fields.Require("path")
	if !ok {
		return ""
	}
	if !isHealthPath(health) {
		fields.Fault("path", errs.CodeInvalid,
			"must be a path of the app that begins with a slash, such as /health, of at most %d bytes.", maxHealth)
		return ""
	}
	return health
}

// isHealthPath reports whether a text can stand in a request line as it is.
func isHealthPath(s string) bool {
	u, err := url.ParseRequestURI(s)
	return err == nil && len(s) <= maxHealth && strings.HasPrefix(s, "/") && !strings.HasPrefix(s, "//") &&
		!strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r >= 0x7f || r == '#' || r == '\\' }) &&
		u.Host == ""
}

// missing adds the fault of an absent object, named by the field in it that is required.
// One that is there, but no object, has a fault already.
func missing(o manifest.Object, object, field string) {
	if _, there := o.Get(object); !there {
		o.Fault(field, errs.CodeRequired, "is required.")
	}
}

// MarshalJSON returns the program as manifests name it: by its path.
func (p Program) MarshalJSON() ([]byte, error) { return json.Marshal(p.Entry) }
