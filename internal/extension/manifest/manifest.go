// Package manifest reads the manifests of extensions: JSON documents of strangers,
// in which every fault is found at once. It has the rules that all kinds share, such
// as those for slugs and versions; what else a manifest says is the kind's.
package manifest

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"stoa/internal/base/errs"
	"stoa/internal/base/jsontext"
)

// CodeInvalid is the code of a manifest that breaks a rule (contract 4.3).
const CodeInvalid = "INVALID_MANIFEST"

// Lengths of texts, in characters. A version is bounded because it
// becomes part of a folder's name.
const (
	minSlug    = 2
	maxSlug    = 32
	maxVersion = 64
)

var (
	slugRE    = regexp.MustCompile(`^[a-z][a-z0-9-]{0,30}[a-z0-9]$`)
	versionRE = regexp.MustCompile(`^\d+\.\d+\.\d+$`)

	// reserved are the names of the platform's own routes, which no slug may have.
	reserved = []string{
		"admin", "api", "assets", "auth", "console", "docs", "extensions", "health", "hooks", "install", "instances",
		"livez", "marketplace", "media", "metrics", "openapi", "platform", "plugins", "readyz", "shop", "stoa",
		"theme-app", "theme-extensions", "themes", "well-known",
	}
)

// IsSlug reports whether a text has the form of a slug.
func IsSlug(s string) bool { return slugRE.MatchString(s) }

// IsVersion reports whether a text has the form of a version.
func IsVersion(s string) bool { return versionRE.MatchString(s) && len(s) <= maxVersion }

// Invalid returns INVALID_MANIFEST with every fault, or nil if there is none.
func Invalid(faults errs.Issues) error { return errs.WithIssues(errs.Invalid, CodeInvalid, faults) }

// maxDepth is how many objects and arrays of a manifest may be around a value.
const maxDepth = 64

// Open returns a reader of a manifest, the content of the file name. It adds to faults
// what is wrong with the document as a whole; if ok is false, nothing in it can be
// read.
func Open(name string, raw []byte, faults *errs.Issues) (o Object, ok bool) {
	switch {
	case bytes.HasPrefix(raw, []byte("\ufeff")):
		faults.Add("", errs.CodeMalformed, "%s begins with a byte order mark, which JSON does not have. "+
			"Save it as UTF-8 without one.", name)
		return o, false
	case !utf8.Valid(raw):
		faults.Add("", errs.CodeNotUnicode, "%s is not UTF-8 text.", name)
		return o, false
	case !json.Valid(raw):
		faults.Add("", errs.CodeMalformed, "%s is not valid JSON: %s.", name, jsontext.Fault(raw))
		return o, false
	}
	// The rest can be read all the same: what was installed before a rule was added must be.
	switch {
	case !jsontext.Unicode(raw):
		faults.Add("", errs.CodeNotUnicode, "%s escapes half a character.", name)
	case depth(raw) > maxDepth:
		faults.Add("", errs.CodeTooDeep, "%s has more than %d layers.", name, maxDepth)
	default:
		checkDuplicates(raw, faults)
	}
	if o, ok = NewObject("", raw, faults); !ok {
		faults.Add("", errs.CodeWrongType, "%s must hold a JSON object.", name)
	}
	return o, ok
}

// depth returns how many objects and arrays are around a value, at most.
func depth(raw []byte) (most int) {
	layers, quoted := 0, false
	for i := 0; i < len(raw); i++ {
		switch c := raw[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{', c == '[':
			layers++
			most = max(most, layers)
		case c == '}', c == ']':
			layers--
		}
	}
	return most
}

// SchemaVersion reads the field schemaVersion, which must be 1.
func (o Object) SchemaVersion() int {
	raw, ok := o.Get("schemaVersion")
	if !ok {
		o.Fault("schemaVersion", errs.CodeRequired, "is required.")
		return 0
	}
	// 1.0 and 1e0 are the number 1 too.
	if n, err := strconv.ParseFloat(string(raw), 64); err != nil {
		o.Fault("schemaVersion", errs.CodeWrongType, "must be a number.")
	} else if n != 1 {
		o.Fault("schemaVersion", errs.CodeUnknownValue, "must be 1.")
	}
	return 1
}

// Slug reads the field slug.
func (o Object) Slug() string {
	slug, ok := o.Require("slug")
	switch {
	case !ok:
	case !slugRE.MatchString(slug):
		o.Fault("slug", PatternCode(slug, minSlug, maxSlug), "must match %s (2 to 32 characters).", slugRE)
	case slices.Contains(reserved, slug):
		o.Fault("slug", errs.CodeReserved, "%q is reserved for the platform.", slug)
	}
	return slug
}

// Version reads a field that holds a version.
func (o Object) Version(name string, required bool) string {
	read := o.Text
	if required {
		read = o.Require
	}
	version, ok := read(name)
	if ok && !IsVersion(version) {
		o.Fault(name, PatternCode(version, 1, maxVersion),
			"must be MAJOR.MINOR.PATCH with digits only, at most %d characters.", maxVersion)
	}
	return version
}

// CleanPath returns the clean form of a path in a package, which may begin with "./" as
// in package.json. ok is false if it leads out of the package.
func CleanPath(name string) (clean string, ok bool) {
	clean = path.Clean(name)
	return clean, fs.ValidPath(clean) && !strings.HasPrefix(name, "/") && !strings.ContainsAny(name, `\:`)
}
