package bundle

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"

	"stoa/internal/base/errs"
	"stoa/internal/extension"
	"stoa/internal/extension/install"
	"stoa/internal/extension/manifest"
)

// manifestName is the usual name of the file that holds a manifest.
const manifestName = "bundle.json"

// Limits of a bundle. Each item has a file open while the bundle is installed.
const (
	MaxItems     = 100
	MaxInstances = 1000 // of one item
)

// Manifest is the content of bundle.json (contract 4.18). Unknown fields are kept in Raw.
type Manifest struct {
	Slug        string
	Name        string
	Version     string
	MinPlatform string // the lowest version of stoa on which it works; empty: any
	Author      string
	AuthorURL   string
	Description string

	// Items are those without a fault; ItemFaults are the faults of the others.
	Items      []install.Item
	ItemFaults errs.Issues

	// Raw is the manifest as it was in the archive. What is kept of it in the database has
	// no values of secret fields.
	Raw json.RawMessage
}

// ParseManifest reads the manifest of a bundle. has reports whether the bundle holds a file of
// that name, which is a clean slash-separated path.
//
// The error is an errs.Invalid that names every fault: with the code INVALID_MANIFEST, or
// INVALID_BUNDLE if there are faults of items, too. Faults of items alone are no error; see
// Manifest.
func ParseManifest(raw []byte, has func(name string) bool) (Manifest, error) {
	var faults errs.Issues
	o, ok := manifest.Open(manifestName, raw, &faults)
	if !ok {
		return Manifest{}, manifest.Invalid(faults)
	}
	o.SchemaVersion()
	m := Manifest{
		Slug: o.Slug(), Version: o.Version("version", true), MinPlatform: o.Version("minPlatform", false), Raw: raw,
	}
	m.Name, _ = o.Require("name")
	m.Author, _ = o.Text("author")
	m.AuthorURL, _ = o.Text("authorUrl")
	m.Description, _ = o.Text("description")
	m.parseItems(o, has)
	if faults.Len() == 0 {
		return m, nil
	}
	if m.ItemFaults.Len() > 0 {
		faults.Append(m.ItemFaults.List()...)
		return m, install.InvalidBundle(faults)
	}
	return m, manifest.Invalid(faults)
}

func (m *Manifest) parseItems(o manifest.Object, has func(name string) bool) {
	if _, ok := o.Get("items"); !ok {
		o.Fault("items", errs.CodeRequired, "is required: the extensions in the bundle.")
		return
	}
	var list []json.RawMessage
	if !o.Into("items", "an array", &list) {
		return
	}
	switch {
	case len(list) == 0:
		o.Fault("items", errs.CodeRequired, "must have at least one item.")
	case len(list) > MaxItems:
		o.Fault("items", errs.CodeOutOfRange, "must have at most %d items.", MaxItems)
		return
	}
	paths := make(map[string]bool)
	for i, raw := range list {
		at := manifest.Item("items", i)
		var own errs.Issues
		fields, ok := manifest.Object{Faults: &own}.Nested(at, raw)
		if ok {
			item := parseItem(fields, has)
			item.At = at
			if paths[item.Path] && item.Path != "" {
				fields.Fault("path", errs.CodeDuplicate, "names an archive that another item has.")
			}
			paths[item.Path] = true
			if own.Len() == 0 {
				m.Items = append(m.Items, item)
			}
		}
		m.ItemFaults.Append(own.List()...)
	}
}

func parseItem(o manifest.Object, has func(name string) bool) (item install.Item) {
	if kind, ok := o.Require("kind"); ok {
		item.Kind = extension.Kind(kind)
		switch {
		case item.Kind == extension.Bundle:
			o.Fault("kind", errs.CodeUnsupported, "must not be bundle: bundles hold no bundles.")
		case !item.Kind.Known():
			o.Fault("kind", errs.CodeUnknownValue, "is not a kind of extension: %.100q.", kind)
		}
	}
	if name, ok := o.Require("path"); ok {
		clean, inside := manifest.CleanPath(name)
		switch {
		case !inside || clean == ".":
			o.Fault("path", errs.CodeInvalid, "must be a path inside the bundle.")
		case !has(clean):
			o.Fault("path", errs.CodeInvalid, "names a file that is not in the bundle: %.200q.", clean)
		default:
			item.Path = clean
		}
	}
	item.Setup = extension.Setup{Instances: parseInstances(o), Activate: o.Flag("activate")}
	return item
}

// parseInstances reads the instances of an item. What their fields may be depends on the
// item.
func parseInstances(o manifest.Object) []extension.Instance {
	list := o.List("instances")
	if len(list) > MaxInstances {
		o.Fault("instances", errs.CodeOutOfRange, "must have at most %d instances.", MaxInstances)
		return nil
	}
	var all []extension.Instance
	for i, raw := range list {
		fields, ok := o.Nested(manifest.Item("instances", i), raw)
		if !ok {
			continue
		}
		all = append(all, extension.Instance{
			Key: fields.Fields["instanceKey"], Enabled: fields.Fields["enabled"],
			Config: fields.Fields["config"], Granted: fields.Fields["grantedPermissions"],
		})
	}
	return all
}

// masked returns the manifest with every config as configs has it, which are those of the
// items' instances without the values of secret fields.
func (m Manifest) masked(added []install.ItemAdded) json.RawMessage {
	type replacement struct{ config, public json.RawMessage }
	var list []replacement
	for i, item := range m.Items {
		for j, in := range item.Setup.Instances {
			if public := added[i].Configs[j]; !manifest.Absent(in.Config) && !sameJSON(in.Config, public) {
				list = append(list, replacement{in.Config, public})
			}
		}
	}
	// The longest first, because a config may be part of another one. The text of an object is
	// not part of a string or of a number, so every place where it is found has these secrets.
	slices.SortStableFunc(list, func(a, b replacement) int { return cmp.Compare(len(b.config), len(a.config)) })
	raw := m.Raw
	for _, r := range list {
		raw = bytes.ReplaceAll(raw, r.config, r.public)
	}
	return raw
}

func sameJSON(a, b json.RawMessage) bool {
	var x, y bytes.Buffer
	return json.Compact(&x, a) == nil && json.Compact(&y, b) == nil && bytes.Equal(x.Bytes(), y.Bytes())
}

// DecodeManifest reads a manifest from the database, which ParseManifest accepted when it
// was installed. Its faults are ignored: rules may have become stricter since.
func DecodeManifest(raw []byte) (Manifest, error) {
	m, err := ParseManifest(raw, func(string) bool { return true })
	if m.Raw == nil {
		return Manifest{}, fmt.Errorf("bundle: stored manifest: %w", err)
	}
	return m, nil
}
