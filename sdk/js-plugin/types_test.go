package jsplugin_test

import (
	"encoding/json"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"stoa/api"
)

// schema is what openapi.yaml says about an object.
type schema struct {
	Ref        string `json:"$ref"`
	AllOf      []schema
	Properties map[string]any
}

// fields returns the names of an object's fields, sorted.
func fields(all map[string]schema, s schema) []string {
	if s.Ref != "" {
		s = all[strings.TrimPrefix(s.Ref, "#/components/schemas/")]
	}
	names := slices.Collect(maps.Keys(s.Properties))
	for _, part := range s.AllOf {
		names = append(names, fields(all, part)...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// The declarations have the fields of the API: a new one must be added to both.
func TestTheTypesAreThoseOfTheAPI(t *testing.T) {
	t.Parallel()

	doc, err := api.JSON()
	if err != nil {
		t.Fatal(err)
	}
	var document struct {
		Components struct{ Schemas map[string]schema }
	}
	if err := json.Unmarshal(doc, &document); err != nil {
		t.Fatal(err)
	}
	shop, err := os.ReadFile("src/shop.d.ts")
	if err != nil {
		t.Fatal(err)
	}
	storage, err := os.ReadFile("src/platform.d.ts")
	if err != nil {
		t.Fatal(err)
	}
	all := document.Components.Schemas
	for name, of := range map[string]string{
		"Product": "ProductItem", "ProductDetail": "ProductDetail", "PricingTier": "PricingTier", "Pricing": "Pricing",
		"Order": "PlatformOrder", "License": "PlatformLicense", "User": "PlatformUser", "Pagination": "Pagination",
		"Stored": "StoredKey",
	} {
		want := fields(all, all[of])
		if name == "ProductDetail" { // it extends Product
			want = slices.DeleteFunc(want, func(f string) bool {
				return slices.Contains(fields(all, all["ProductItem"]), f)
			})
		}
		if got := declared(t, string(shop)+string(storage), name); !slices.Equal(got, want) {
			t.Errorf("%s has\n%q, want\n%q", name, got, want)
		}
	}
}

// declared returns the names of an interface's fields, sorted.
func declared(t *testing.T, source, name string) []string {
	t.Helper()
	body := regexp.MustCompile(`(?ms)^export interface ` + name + `\b[^{]*\{\n(.*?)^\}`).FindStringSubmatch(source)
	if body == nil {
		t.Errorf("%s is not declared", name)
		return nil
	}
	var names []string
	for _, field := range regexp.MustCompile(`(?m)^  readonly (\w+)\??:`).FindAllStringSubmatch(body[1], -1) {
		names = append(names, field[1])
	}
	slices.Sort(names)
	return names
}
