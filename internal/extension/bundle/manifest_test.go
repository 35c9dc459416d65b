package bundle_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"stoa/internal/base/errs"
	"stoa/internal/extension/bundle"
)

type object = map[string]any

// item is a good item of a bundle.
func item(changes object) object {
	o := object{"kind": "plugin", "path": "pay.zip"}
	maps.Copy(o, changes)
	return o
}

// parse reads a manifest of a bundle with the files pay.zip and mail.zip, and returns what is wrong
// with it as "code: path code, path code".
func parse(t *testing.T, changes object) (bundle.Manifest, string) {
	t.Helper()
	o := object{
		"schemaVersion": 1, "slug": "starter", "name": "Starter", "version": "1.0.0", "items": []any{item(nil)},
	}
	maps.Copy(o, changes)
	maps.DeleteFunc(o, func(_ string, v any) bool { return v == nil })
	raw, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	m, err := bundle.ParseManifest(raw, func(name string) bool { return name == "pay.zip" || name == "mail.zip" })
	faulty := m.ItemFaults.List()
	var code string
	if e, ok := errors.AsType[*errs.Error](err); ok {
		code, faulty = e.Code, e.Details["issues"].([]errs.Issue)
	} else if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, is := range faulty {
		list = append(list, is.Path+" "+is.Code)
	}
	return m, strings.TrimSpace(code + " " + strings.Join(list, ", "))
}

func TestFaultsOfAManifest(t *testing.T) {
	t.Parallel()

	instances := func(n int) object { return item(object{"instances": slices.Repeat([]object{{}}, n)}) }
	paths := func(n int) (list []any) {
		for i := range n {
			list = append(list, item(object{"path": fmt.Sprint(i)}))
		}
		return list
	}
	for _, tt := range []struct {
		name    string
		changes object
		want    string
	}{
		{"nothing", nil, ""},
		{"two items", object{"items": []any{item(nil), item(object{"path": "./mail.zip", "activate": true})}}, ""},
		{"no items", object{"items": nil}, "INVALID_MANIFEST items required"},
		{"an empty list of items", object{"items": []any{}}, "INVALID_MANIFEST items required"},
		{"items as a text", object{"items": "pay.zip"}, "INVALID_MANIFEST items wrong_type"},
		{"too many items", object{"items": paths(101)}, "INVALID_MANIFEST items out_of_range"},
		{"another schema", object{"schemaVersion": 2}, "INVALID_MANIFEST schemaVersion unknown_value"},
		{"a bad slug", object{"slug": "S"}, "INVALID_MANIFEST slug out_of_range"},
		{"a bad version", object{"version": "v1"}, "INVALID_MANIFEST version invalid"},
		{"no name", object{"name": nil}, "INVALID_MANIFEST name required"},
		{"an item that is a text", object{"items": []any{"pay.zip"}}, "items[0] wrong_type"},
		{"both kinds of faults", object{"slug": "S", "items": []any{"pay.zip"}}, "INVALID_BUNDLE slug out_of_range, items[0] wrong_type"},
		{"the same archive twice", object{"items": []any{item(nil), item(object{"path": "./pay.zip"})}}, "items[1].path duplicate"},
		{"a bundle", object{"items": []any{item(object{"kind": "bundle"})}}, "items[0].kind unsupported"},
		{"another kind", object{"items": []any{item(object{"kind": "thing"})}}, "items[0].kind unknown_value"},
		{"no kind and no path", object{"items": []any{object{}}}, "items[0].kind required, items[0].path required"},
		{"a path out of the bundle", object{"items": []any{item(object{"path": "../pay.zip"})}}, "items[0].path invalid"},
		{"the bundle itself", object{"items": []any{item(object{"path": "."})}}, "items[0].path invalid"},
		{"a missing file", object{"items": []any{item(object{"path": "chat.zip"})}}, "items[0].path invalid"},
		{"an instance as a text", object{"items": []any{item(object{"instances": []any{"x"}})}}, "items[0].instances[0] wrong_type"},
		{"1000 instances", object{"items": []any{instances(1000)}}, ""},
		{"1001 instances", object{"items": []any{instances(1001)}}, "items[0].instances out_of_range"},
		{"a flag as a text", object{"items": []any{item(object{"activate": "yes"})}}, "items[0].activate wrong_type"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()

			if _, got := parse(t, tt.changes); got != tt.want {
				t.Errorf("faults: %s\nwant:   %s", got, tt.want)
			}
		})
	}
}

// Items without a fault are kept beside those with one: their archives are checked, too, and everything is
// reported at once.
func TestItemsBesideFaultyOnes(t *testing.T) {
	t.Parallel()

	m, faults := parse(t, object{"items": []any{
		"pay.zip", item(object{"path": "mail.zip", "activate": true, "instances": []object{{"instanceKey": "eu", "enabled": 1}}}),
	}})
	if faults != "items[0] wrong_type" || len(m.Items) != 1 {
		t.Fatalf("faults %q, items %+v", faults, m.Items)
	}
	got := m.Items[0]
	if got.At != "items[1]" || got.Path != "mail.zip" || !got.Setup.Activate || len(got.Setup.Instances) != 1 ||
		string(got.Setup.Instances[0].Key) != `"eu"` || string(got.Setup.Instances[0].Enabled) != "1" {
		t.Errorf("item = %+v", got)
	}
}

// Rules may become stricter: what is installed stays readable.
func TestAStoredManifestIsReadWithItsFaults(t *testing.T) {
	t.Parallel()

	m, err := bundle.DecodeManifest([]byte(`{"schemaVersion":1,"slug":"starter","version":"1.0.0","items":[{"kind":"thing"}]}`))
	if err != nil || m.Slug != "starter" || m.Version != "1.0.0" {
		t.Errorf("manifest = %+v, %v", m, err)
	}
	if _, err := bundle.DecodeManifest([]byte(`[]`)); err == nil {
		t.Error("a list is read as a manifest")
	}
}
