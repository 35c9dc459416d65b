package plugin

import (
	"encoding/json"
	"io/fs"
	"maps"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"stoa/internal/errs"
	"stoa/internal/netperm"
)

// CodeInvalidManifest is the code of a manifest that breaks a rule (CONTRACT 4).
const CodeInvalidManifest = "INVALID_MANIFEST"

// Lengths of texts, in characters. Spec B allows a version of any length, but it
// becomes part of a folder's name.
const (
	minSlug       = 2
	maxSlug       = 32
	maxKey        = 32
	maxVersion    = 64
	maxPermission = 128
)

var (
	slugRE       = regexp.MustCompile(`^[a-z][a-z0-9-]{0,30}[a-z0-9]$`)
	versionRE    = regexp.MustCompile(`^\d+\.\d+\.\d+$`)
	permissionRE = regexp.MustCompile(`^[!-+\--~]{1,128}$`) // visible ASCII without the comma: it travels in a header

	hookNames = []string{"onInstall", "onEnable", "onDisable", "onUninstall", "onUpgrade"}
	positions = []string{"head-end", "body-end"}

	// reserved are the names of the platform's own routes, which no slug may have.
	reserved = []string{
		"admin", "api", "assets", "auth", "console", "docs", "extensions", "health", "hooks", "install", "instances",
		"livez", "marketplace", "media", "metrics", "openapi", "platform", "plugins", "readyz", "shop", "stoa",
		"theme-app", "theme-extensions", "themes", "well-known",
	}
)

// ParseManifest reads a package's manifest.json and checks every rule of spec B
// and CONTRACT 4. has reports whether the package holds a file of that name,
// which is a clean slash-separated path.
//
// The error is an errs.Invalid with code INVALID_MANIFEST that names every fault at
// once.
func ParseManifest(raw []byte, has func(name string) bool) (Manifest, error) {
	var faults errs.Issues
	invalid := func() error { return errs.WithIssues(errs.Invalid, CodeInvalidManifest, faults) }
	whole := func(code, message string) error {
		faults.Add("", code, "%s", message)
		return invalid()
	}
	switch {
	case !utf8.Valid(raw):
		return Manifest{}, whole(errs.CodeNotUnicode, "manifest.json is not UTF-8 text.")
	case !json.Valid(raw):
		return Manifest{}, whole(errs.CodeMalformed, "manifest.json is not valid JSON.")
	}
	checkDuplicates(raw, &faults)
	o, ok := newObject("", raw, &faults)
	if !ok {
		return Manifest{}, whole(errs.CodeWrongType, "manifest.json must hold a JSON object.")
	}
	m := Manifest{
		SchemaVersion:    parseSchemaVersion(o),
		Slug:             parseSlug(o),
		Version:          parseVersion(o, "version", true),
		SDKVersion:       parseVersion(o, "sdkVersion", false),
		Permissions:      parsePermissions(o),
		Capabilities:     o.texts("capabilities"),
		Lifecycle:        parseLifecycle(o),
		ConfigSchema:     parseConfigSchema(o),
		ThemeExtensions:  parseThemeExtensions(o),
		RoutePermissions: nil, // below: it needs the permissions
		Raw:              raw,
	}
	m.Name, _ = o.require("name")
	m.Author, _ = o.text("author")
	m.AuthorURL, _ = o.text("authorUrl")
	m.Description, _ = o.text("description")
	m.Category, _ = o.text("category")
	m.RoutePermissions = parseRoutePermissions(o, m.Permissions)
	parseRuntime(o, &m, has)
	return m, invalid()
}

func parseSchemaVersion(o object) int {
	raw, ok := o.get("schemaVersion")
	if !ok {
		o.fault("schemaVersion", errs.CodeRequired, "is required.")
		return 0
	}
	// 1.0 and 1e0 are the number 1 too.
	if n, err := strconv.ParseFloat(string(raw), 64); err != nil {
		o.fault("schemaVersion", errs.CodeWrongType, "must be a number.")
	} else if n != 1 {
		o.fault("schemaVersion", errs.CodeUnknownValue, "must be 1.")
	}
	return 1
}

func parseSlug(o object) string {
	slug, ok := o.require("slug")
	switch {
	case !ok:
	case !slugRE.MatchString(slug):
		o.fault("slug", patternCode(slug, minSlug, maxSlug), "must match %s (2 to 32 characters).", slugRE)
	case slices.Contains(reserved, slug):
		o.fault("slug", errs.CodeReserved, "%q is reserved for the platform.", slug)
	}
	return slug
}

func parseVersion(o object, name string, required bool) string {
	read := o.text
	if required {
		read = o.require
	}
	version, ok := read(name)
	if ok && (!versionRE.MatchString(version) || len(version) > maxVersion) {
		o.fault(name, patternCode(version, 1, maxVersion),
			"must be MAJOR.MINOR.PATCH with digits only, at most %d characters.", maxVersion)
	}
	return version
}

func parsePermissions(o object) []string {
	var permissions []string
	o.eachText("permissions", func(i int, p string) {
		switch {
		case !permissionRE.MatchString(p):
			o.fault(item("permissions", i), patternCode(p, 1, maxPermission),
				"must be 1 to 128 visible ASCII characters without spaces or commas.")
		case slices.Contains(permissions, p):
			o.fault(item("permissions", i), errs.CodeDuplicate, "%q appears twice.", p)
		case strings.HasPrefix(p, netperm.Prefix):
			if _, _, ok := netperm.Parse(p); !ok {
				o.fault(item("permissions", i), errs.CodeInvalid,
					"must be %[1]s<host> or %[1]s<host>:<port>, with an exact name or address.", netperm.Prefix)
			}
		}
		permissions = append(permissions, p)
	})
	return permissions
}

func parseLifecycle(o object) map[string]bool {
	c, ok := o.child("lifecycle")
	if !ok {
		return nil
	}
	hooks := make(map[string]bool, len(c.fields))
	for _, name := range slices.Sorted(maps.Keys(c.fields)) {
		if !slices.Contains(hookNames, name) {
			c.fault(name, errs.CodeUnknownValue,
				"is not a lifecycle hook. The hooks are %s.", strings.Join(hookNames, ", "))
			continue
		}
		hooks[name] = c.flag(name)
	}
	return hooks
}

func parseConfigSchema(o object) map[string]ConfigField {
	c, ok := o.child("configSchema")
	if !ok {
		return nil
	}
	schema := make(map[string]ConfigField, len(c.fields))
	for _, name := range slices.Sorted(maps.Keys(c.fields)) {
		f, ok := c.nested(name, c.fields[name])
		if !ok {
			continue
		}
		field := ConfigField{Required: f.flag("required"), Secret: f.flag("secret")}
		field.Label, _ = f.text("label")
		field.Description, _ = f.text("description")
		if field.Type, ok = f.require("type"); ok && field.Type == "password" {
			f.fault("type", errs.CodeInvalid, `must be "secret" for a secret field; "password" is not accepted.`)
		}
		schema[name] = field
	}
	return schema
}

func parseThemeExtensions(o object) ThemeExtensions {
	c, ok := o.child("themeExtensions")
	if !ok {
		return ThemeExtensions{}
	}
	ext := ThemeExtensions{Blocks: c.list("blocks"), Embeds: c.list("embeds")}
	for i, raw := range ext.Blocks {
		c.nested(item("blocks", i), raw)
	}
	for i, raw := range ext.Embeds {
		e, ok := c.nested(item("embeds", i), raw)
		if !ok {
			continue
		}
		if at, ok := e.require("targetPosition"); ok && !slices.Contains(positions, at) {
			e.fault("targetPosition", errs.CodeUnknownValue, "must be head-end or body-end.")
		}
	}
	return ext
}

func parseRoutePermissions(o object, declared []string) []RoutePermission {
	var routes []RoutePermission
	for i, raw := range o.list("routePermissions") {
		r, ok := o.nested(item("routePermissions", i), raw)
		if !ok {
			continue
		}
		var rp RoutePermission
		rp.Method, _ = r.require("method")
		if rp.Path, ok = r.require("path"); ok && !strings.HasPrefix(rp.Path, "/") {
			r.fault("path", errs.CodeInvalid, "must begin with a slash.")
		}
		if rp.Permission, ok = r.require("permission"); ok && !slices.Contains(declared, rp.Permission) {
			r.fault("permission", errs.CodeUnknownValue, "must be one of the permissions that the manifest declares.")
		}
		routes = append(routes, rp)
	}
	return routes
}

func parseRuntime(o object, m *Manifest, has func(string) bool) {
	name, ok := o.require("runtimeType")
	m.RuntimeType = RuntimeType(name)
	var base, entry bool
	switch {
	case !ok:
	case m.RuntimeType == External:
		if _, base = o.get("externalBaseUrl"); !base {
			o.fault("externalBaseUrl", errs.CodeRequired, "is required for %s.", External)
		}
	case m.RuntimeType == Internal:
		if _, entry = o.get("entryModule"); !entry {
			o.fault("entryModule", errs.CodeRequired, "is required for %s.", Internal)
		}
	default:
		o.fault("runtimeType", errs.CodeUnknownValue, "must be %s or %s.", External, Internal)
	}
	if m.ExternalBaseURL, ok = o.text("externalBaseUrl"); ok {
		checkBaseURL(o, m.ExternalBaseURL)
	}
	if m.EntryModule, ok = o.text("entryModule"); ok && entry {
		checkEntryModule(o, m.EntryModule, has)
	}
}

func checkBaseURL(o object, text string) {
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.Opaque != "":
		o.fault("externalBaseUrl", errs.CodeInvalid, "must be an absolute http or https URL.")
	case u.User != nil:
		o.fault("externalBaseUrl", errs.CodeInvalid, "must not contain credentials.")
	case u.RawQuery != "" || u.ForceQuery || u.Fragment != "" || strings.Contains(text, "#"):
		o.fault("externalBaseUrl", errs.CodeInvalid, "must not have a query or a fragment.")
	}
}

// checkEntryModule accepts "./dist/index.js" too, as package.json does.
func checkEntryModule(o object, name string, has func(string) bool) {
	clean := path.Clean(name)
	switch {
	case !fs.ValidPath(clean) || strings.HasPrefix(name, "/") || strings.ContainsAny(name, `\:`):
		o.fault("entryModule", errs.CodeInvalid, "must be a path inside the package.")
	case !strings.HasSuffix(clean, ".js"):
		o.fault("entryModule", errs.CodeInvalid, "must be a .js file.")
	case !has(clean):
		o.fault("entryModule", errs.CodeInvalid, "names a file that is not in the package.")
	}
}
