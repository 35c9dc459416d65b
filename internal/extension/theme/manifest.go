package theme

import (
	"encoding/json"
	"fmt"
	"path"
	"strings"

	"stoa/internal/base/errs"
	"stoa/internal/extension"
	"stoa/internal/extension/config"
	"stoa/internal/extension/manifest"
)

// Manifest is the content of theme.json or theme-app.json (contract 4.16 and 4.17). Unknown fields
// are kept in Raw.
type Manifest struct {
	SchemaVersion int
	Slug          string
	Name          string
	Version       string
	MinPlatform   string // the lowest version of stoa on which it works; empty: any
	Author        string
	AuthorURL     string
	Description   string

	Entry   Entry   // of a pack
	Program Program // of an app

	// DefaultConfig is the config of a theme that is activated without one: a JSON
	// object, or nil.
	DefaultConfig json.RawMessage
	ConfigSchema  config.Schema

	// Raw is the manifest as it was in the archive.
	Raw json.RawMessage
}

// Entry says what a pack consists of: a stylesheet, or any of the others. Paths are
// clean and below the pack's folder; those of folders end in a slash.
type Entry struct {
	Stylesheet string

	TokensCSS      string
	TemplatesDir   string
	AssetsDir      string
	SettingsSchema string
	RuntimeJS      string
}

// parts are the fields of an entry that is an object, with the type of file each is.
func (e *Entry) parts() []entryPart {
	return []entryPart{
		{"tokensCSS", ".css", &e.TokensCSS},
		{"templatesDir", "/", &e.TemplatesDir},
		{"assetsDir", "/", &e.AssetsDir},
		{"settingsSchema", ".json", &e.SettingsSchema},
		{"runtimeJS", ".js", &e.RuntimeJS},
	}
}

type entryPart struct {
	name, suffix string // the suffix of a folder is a slash
	path         *string
}

// MarshalJSON returns the entry as manifests have it.
func (e Entry) MarshalJSON() ([]byte, error) {
	if e.Stylesheet != "" {
		return json.Marshal(e.Stylesheet)
	}
	fields := make(map[string]string)
	for _, part := range e.parts() {
		if *part.path != "" {
			fields[part.name] = *part.path
		}
	}
	return json.Marshal(fields)
}

// manifestName returns the usual name of the file that holds a manifest.
func manifestName(kind extension.Kind) string {
	if IsApp(kind) {
		return "theme-app.json"
	}
	return "theme.json"
}

// ParseManifest reads the manifest of a theme of that kind and checks every rule of
// contract 4.16 and 4.17. has reports whether the package holds a file of that name, which is a
// clean slash-separated path, or if it ends in a slash, a folder with files in it.
//
// The error is an errs.Invalid with code INVALID_MANIFEST that names every fault at
// once.
func ParseManifest(kind extension.Kind, raw []byte, has func(name string) bool) (Manifest, error) {
	var faults errs.Issues
	o, ok := manifest.Open(manifestName(kind), raw, &faults)
	if !ok {
		return Manifest{}, manifest.Invalid(faults)
	}
	m := Manifest{
		SchemaVersion: o.SchemaVersion(), Slug: o.Slug(), Version: o.Version("version", true),
		MinPlatform: o.Version("minPlatform", false), ConfigSchema: config.ParseSchema(o, "configSchema"), Raw: raw,
	}
	m.Name, _ = o.Require("name")
	m.Author, _ = o.Text("author")
	m.AuthorURL, _ = o.Text("authorUrl")
	m.Description, _ = o.Text("description")
	if target, ok := o.Text("target"); ok && target != string(targets[kind]) {
		o.Fault("target", errs.CodeUnknownValue, "must be %s in an extension of the kind %s.", targets[kind], kind)
	}
	if IsApp(kind) {
		m.Program = parseProgram(o, has)
	} else {
		m.Entry = parseEntry(o, has)
	}
	m.DefaultConfig = parseDefaultConfig(o, m.ConfigSchema, &faults)
	return m, manifest.Invalid(faults)
}

func parseEntry(o manifest.Object, has func(name string) bool) (entry Entry) {
	raw, ok := o.Get("entry")
	if !ok {
		o.Fault("entry", errs.CodeRequired, "is required: the path of a stylesheet, or an object of paths.")
		return entry
	}
	if !manifest.IsObject(raw) {
		entryPart{"entry", ".css", &entry.Stylesheet}.parse(o, has)
		return entry
	}
	fields, _ := o.Child("entry")
	empty := true
	for _, part := range entry.parts() {
		if _, ok := fields.Get(part.name); ok {
			part.parse(fields, has)
			empty = false
		}
	}
	if empty {
		o.Fault("entry", errs.CodeRequired, "must have at least one of tokensCSS, templatesDir, assetsDir, "+
			"settingsSchema and runtimeJS.")
	}
	return entry
}

// parse reads the field of a part.
func (part entryPart) parse(o manifest.Object, has func(name string) bool) {
	name, ok := o.Require(part.name)
	if !ok {
		return
	}
	clean, inside := manifest.CleanPath(name)
	folder := part.suffix == "/"
	if folder {
		clean += "/"
	}
	switch {
	case !inside || clean == "." || clean == "./":
		o.Fault(part.name, errs.CodeInvalid, "must be a path inside the package.")
	case !folder && strings.ToLower(path.Ext(clean)) != part.suffix:
		o.Fault(part.name, errs.CodeInvalid, "must be a %s file.", part.suffix)
	case !has(clean) && folder:
		o.Fault(part.name, errs.CodeInvalid, "names a folder that is not in the package.")
	case !has(clean):
		o.Fault(part.name, errs.CodeInvalid, "names a file that is not in the package.")
	default:
		*part.path = clean
	}
}

func parseDefaultConfig(o manifest.Object, schema config.Schema, faults *errs.Issues) json.RawMessage {
	const at = "defaultConfig"
	raw, ok := o.Get(at)
	if !ok {
		return nil
	}
	values, ok := config.Decode(raw)
	if !ok {
		faults.Append(config.NotObject(at))
		return nil
	}
	values.Check(at, schema, faults)
	return values.Encode()
}

// DecodeManifest reads a manifest from the database, which ParseManifest accepted when
// it was installed. Its faults are ignored: rules may have become stricter since.
func DecodeManifest(kind extension.Kind, raw []byte) (Manifest, error) {
	m, err := ParseManifest(kind, raw, func(string) bool { return true })
	if m.Raw == nil {
		return Manifest{}, fmt.Errorf("theme: stored manifest: %w", err)
	}
	return m, nil
}
