package plugin

import (
	"maps"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"

	"stoa/internal/base/errs"
	"stoa/internal/base/netperm"
	"stoa/internal/extension/config"
	"stoa/internal/extension/manifest"
)

// CodeInvalidManifest is the code of a manifest that breaks a rule (contract 4.3).
const CodeInvalidManifest = manifest.CodeInvalid

// Lengths of texts, in characters.
const (
	maxKey        = 32
	maxPermission = 128
)

var (
	permissionRE = regexp.MustCompile(`^[!-+\--~]{1,128}$`) // visible ASCII without the comma: it travels in a header

	hookNames = []string{OnInstall, OnEnable, OnDisable, OnUninstall, OnUpgrade}
)

// ParseManifest reads a package's manifest.json and checks every rule of
// contract 4.3. has reports whether the package holds a file of that name,
// which is a clean slash-separated path.
//
// The error is an errs.Invalid with code INVALID_MANIFEST that names every fault at
// once.
func ParseManifest(raw []byte, has func(name string) bool) (Manifest, error) {
	var faults errs.Issues
	o, ok := manifest.Open("manifest.json", raw, &faults)
	if !ok {
		return Manifest{}, manifest.Invalid(faults)
	}
	m := Manifest{
		SchemaVersion:    o.SchemaVersion(),
		Slug:             o.Slug(),
		Version:          o.Version("version", true),
		SDKVersion:       o.Version("sdkVersion", false),
		MinPlatform:      o.Version("minPlatform", false),
		Permissions:      parsePermissions(o),
		Capabilities:     o.Texts("capabilities"),
		Lifecycle:        parseLifecycle(o),
		ConfigSchema:     config.ParseSchema(o, "configSchema"),
		ThemeExtensions:  parseThemeExtensions(o),
		RoutePermissions: nil, // below: it needs the permissions
		Export:           o.Flag("export"),
		Raw:              raw,
	}
	m.Name, _ = o.Require("name")
	m.Author, _ = o.Text("author")
	m.AuthorURL, _ = o.Text("authorUrl")
	m.Description, _ = o.Text("description")
	m.Category, _ = o.Text("category")
	m.RoutePermissions = parseRoutePermissions(o, m.Permissions)
	m.Events = parseEvents(o, m.Permissions)
	parseRuntime(o, &m, has)
	checkAdminUI(o)
	return m, manifest.Invalid(faults)
}

// checkAdminUI checks the path of the page for administrators. The console reads it, and the
// label of an object, in the manifest.
//
// Manifests that were written before the console showed pages have an object whose path may be
// anywhere in the plugin. They are accepted: the console shows only what is at or below /admin.
func checkAdminUI(o manifest.Object) {
	raw, ok := o.Get("adminUi")
	if !ok {
		return
	}
	if !manifest.IsObject(raw) {
		var text string
		if o.Into("adminUi", "the path of a page, or an object with entryPath", &text) && !isAdminPage(text) {
			o.Fault("adminUi", errs.CodeInvalid, "must be /admin or a path below it.")
		}
		return
	}
	c, _ := o.Child("adminUi")
	for _, name := range []string{"entryPath", "path"} {
		if text, ok := c.Text(name); ok && !isOwnPath(text) {
			c.Fault(name, errs.CodeInvalid, "must be a path of the plugin, such as /admin.")
		}
	}
	if label, _ := c.Get("label"); strings.HasPrefix(string(label), `"`) { // some manifests have one for each language
		c.Text("label")
	}
}

// isOwnPath reports whether a text is a path of the plugin, with a query if it has one.
func isOwnPath(text string) bool {
	u, err := url.Parse(text)
	return err == nil && !u.IsAbs() && u.Host == "" && strings.HasPrefix(text, "/") && !strings.HasPrefix(text, "//") &&
		!strings.ContainsAny(text, "\\\t\r\n")
}

func isAdminPage(text string) bool {
	const page = "/admin"
	u, err := url.Parse(text)
	return err == nil && isOwnPath(text) && (u.EscapedPath() == page || strings.HasPrefix(text, page+"/")) &&
		strings.HasPrefix(path.Clean(u.Path)+"/", page+"/")
}

func parsePermissions(o manifest.Object) []string {
	var permissions []string
	o.EachText("permissions", func(i int, p string) {
		switch {
		case !permissionRE.MatchString(p):
			o.Fault(manifest.Item("permissions", i), manifest.PatternCode(p, 1, maxPermission),
				"must be 1 to 128 visible ASCII characters without spaces or commas.")
		case slices.Contains(permissions, p):
			o.Fault(manifest.Item("permissions", i), errs.CodeDuplicate, "%q appears twice.", p)
		case strings.HasPrefix(p, netperm.Prefix):
			if _, _, ok := netperm.Parse(p); !ok {
				o.Fault(manifest.Item("permissions", i), errs.CodeInvalid,
					"must be %[1]s<host> or %[1]s<host>:<port>, with an exact name or address.", netperm.Prefix)
			}
		}
		permissions = append(permissions, p)
	})
	return permissions
}

func parseLifecycle(o manifest.Object) map[string]bool {
	c, ok := o.Child("lifecycle")
	if !ok {
		return nil
	}
	hooks := make(map[string]bool, len(c.Fields))
	for _, name := range slices.Sorted(maps.Keys(c.Fields)) {
		if !slices.Contains(hookNames, name) {
			c.Fault(name, errs.CodeUnknownValue,
				"is not a lifecycle hook. The hooks are %s.", strings.Join(hookNames, ", "))
			continue
		}
		hooks[name] = c.Flag(name)
	}
	return hooks
}

func parseRoutePermissions(o manifest.Object, declared []string) []RoutePermission {
	var routes []RoutePermission
	for i, raw := range o.List("routePermissions") {
		r, ok := o.Nested(manifest.Item("routePermissions", i), raw)
		if !ok {
			continue
		}
		var rp RoutePermission
		rp.Method, _ = r.Require("method")
		if rp.Path, ok = r.Require("path"); ok && !strings.HasPrefix(rp.Path, "/") {
			r.Fault("path", errs.CodeInvalid, "must begin with a slash.")
		}
		if rp.Permission, ok = r.Require("permission"); ok && !slices.Contains(declared, rp.Permission) {
			r.Fault("permission", errs.CodeUnknownValue, "must be one of the permissions that the manifest declares.")
		}
		routes = append(routes, rp)
	}
	return routes
}

func parseRuntime(o manifest.Object, m *Manifest, has func(string) bool) {
	name, ok := o.Require("runtimeType")
	m.RuntimeType = RuntimeType(name)
	var base, entry bool
	switch {
	case !ok:
	case m.RuntimeType == External:
		if _, base = o.Get("externalBaseUrl"); !base {
			o.Fault("externalBaseUrl", errs.CodeRequired, "is required for %s.", External)
		}
	case m.RuntimeType == Internal:
		if _, entry = o.Get("entryModule"); !entry {
			o.Fault("entryModule", errs.CodeRequired, "is required for %s.", Internal)
		}
	default:
		o.Fault("runtimeType", errs.CodeUnknownValue, "must be %s or %s.", External, Internal)
	}
	if m.ExternalBaseURL, ok = o.Text("externalBaseUrl"); ok {
		checkBaseURL(o, m.ExternalBaseURL)
	}
	if m.EntryModule, ok = o.Text("entryModule"); ok && entry {
		checkEntryModule(o, m.EntryModule, has)
	}
}

func checkBaseURL(o manifest.Object, text string) {
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.Opaque != "":
		o.Fault("externalBaseUrl", errs.CodeInvalid, "must be an absolute http or https URL.")
	case u.User != nil:
		o.Fault("externalBaseUrl", errs.CodeInvalid, "must not contain credentials.")
	case u.RawQuery != "" || u.ForceQuery || u.Fragment != "" || strings.Contains(text, "#"):
		o.Fault("externalBaseUrl", errs.CodeInvalid, "must not have a query or a fragment.")
	}
}

// checkEntryModule accepts "./dist/index.js" too, as package.json does.
func checkEntryModule(o manifest.Object, name string, has func(string) bool) {
	clean, inside := manifest.CleanPath(name)
	switch {
	case !inside:
		o.Fault("entryModule", errs.CodeInvalid, "must be a path inside the package.")
	case !strings.HasSuffix(clean, ".js"):
		o.Fault("entryModule", errs.CodeInvalid, "must be a .js file.")
	case !has(clean):
		o.Fault("entryModule", errs.CodeInvalid, "names a file that is not in the package.")
	}
}
