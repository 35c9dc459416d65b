package config_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/base/errs"
	"stoa/internal/extension/config"
	"stoa/internal/extension/manifest"
)

func TestSecretFields(t *testing.T) {
	t.Parallel()

	var faults errs.Issues
	o, ok := manifest.NewObject("", []byte(`{"configSchema":{"a":{"type":"secret"},"b":{"type":"text","secret":true},
		"c":{"type":"text","sensitive":true},"d":{"type":"text","sensitive":false}}}`), &faults)
	schema := config.ParseSchema(o, "configSchema")
	if !ok || faults.Len() > 0 {
		t.Fatal(faults)
	}
	public, configured := config.Public([]byte(`{"a":"1","b":"2","c":"3","d":"4"}`), schema)
	if string(public) != `{"a":"","b":"","c":"","d":"4"}` || len(configured) != 3 || !configured["c"] {
		t.Errorf("public = %s, configured = %v", public, configured)
	}
}

// parse returns the schema of a manifest's configSchema, and "path code" of its faults.
func parse(tb testing.TB, schema string) (config.Schema, []string) {
	tb.Helper()
	var faults errs.Issues
	o, ok := manifest.NewObject("", []byte(`{"configSchema":`+schema+`}`), &faults)
	if !ok {
		tb.Fatal("not an object")
	}
	return config.ParseSchema(o, "configSchema"), codes(faults)
}

func codes(faults errs.Issues) (list []string) {
	for _, f := range faults.List() {
		list = append(list, strings.TrimPrefix(f.Path, "configSchema.")+" "+f.Code)
	}
	return list
}

func TestSchemaOfValues(t *testing.T) {
	t.Parallel()

	tests := []struct {
		name, schema string
		want         []string
	}{
		{"values of a text", `{"a":{"type":"string","enum":["x","y"],"default":"y"}}`, nil},
		{"values of a number", `{"a":{"type":"number","enum":[1,2.5],"default":2.5}}`, nil},
		{"values of a type of the form's own", `{"a":{"type":"select","enum":["x",1,true],"default":["x"]}}`, []string{
			"a.default unknown_value",
		}},
		{"types of a plugin's own", `{"a":{"type":"mapping"},"b":{"type":"date"},"c":{"type":"list"},"d":{"type":"slug"}}`, nil},
		{"misspelled types", `{"a":{"type":"colour"},"b":{"type":"String"},"c":{"type":"intger","default":"x"}}`, []string{
			"a.type unknown_value", "b.type unknown_value", "c.type unknown_value",
		}},
		{"no list", `{"a":{"type":"string","enum":"x"}}`, []string{"a.enum wrong_type"}},
		{"empty list", `{"a":{"type":"string","enum":[]}}`, []string{"a.enum required"}},
		{
			"values of other types", `{"a":{"type":"string","enum":["x",1,null,[],{}]}}`,
			[]string{"a.enum[1] wrong_type", "a.enum[2] wrong_type", "a.enum[3] wrong_type", "a.enum[4] wrong_type"},
		},
		{"a value twice", `{"a":{"type":"string","enum":["x","y","x"]}}`, []string{"a.enum[2] duplicate"}},
		{"default that is no value", `{"a":{"type":"string","enum":["x"],"default":"y"}}`, []string{"a.default unknown_value"}},
		{"default of another type", `{"a":{"type":"number","default":"1"}}`, []string{"a.default wrong_type"}},
		{"false as default", `{"a":{"type":"boolean","default":false}}`, nil},
		{"no default", `{"a":{"type":"boolean","default":null}}`, nil},
		{"default of a secret", `{"a":{"type":"secret","default":"s3cret"}}`, []string{"a.default invalid"}},
		{"default of a flagged secret", `{"a":{"type":"text","sensitive":true,"default":"x"}}`, []string{"a.default invalid"}},
		{"empty default of a secret", `{"a":{"type":"secret","default":""}}`, nil},
		{
			"properties",
			`{"a":{"type":"object","properties":{"b":{"type":"object","properties":{"c":{"type":"number"}}}}}}`, nil,
		},
		{"properties of a type that has none", `{"a":{"type":"string","properties":7}}`, nil},
		{
			"properties with faults", `{"a":{"type":"object","properties":{"b":{},"c":7,"d":{"type":"password"}}}}`,
			[]string{
				"a.properties.b.type required", "a.properties.c wrong_type", "a.properties.d.type invalid",
			},
		},
		{
			"secret below the top", `{"a":{"type":"object","properties":{"b":{"type":"secret"},"c":{"type":"text","secret":true}}}}`,
			[]string{"a.properties.b.type invalid", "a.properties.c.type invalid"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()

			_, got := parse(t, tt.schema)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("faults (-want +got):\n%s", diff)
			}
		})
	}
}

func TestConfigFitsValuesAndProperties(t *testing.T) {
	t.Parallel()

	schema, faults := parse(t, `{"mode":{"type":"string","enum":["live","test"]},"size":{"type":"number","enum":[1,2.5]},
		"key":{"type":"secret","enum":["a","b"]},
		"address":{"type":"object","properties":{
			"city":{"type":"string","required":true},"country":{"type":"string","enum":["DE","FR"]},
			"geo":{"type":"object","properties":{"lat":{"type":"number","required":true}}}}}}`)
	if faults != nil {
		t.Fatal(faults)
	}
	tests := []struct {
		name, config  string
		want, missing []string
	}{
		{"nothing", `{}`, nil, nil},
		{
			"everything",
			`{"mode":"live","size":2.5,"key":"b","address":{"city":"Ulm","country":"DE","geo":{"lat":48.4},"more":1}}`, nil, nil,
		},
		{
			"other values", `{"mode":"prod","size":3,"key":"c","address":{"city":"Ulm","country":"XX"}}`,
			[]string{
				"config.address.country unknown_value", "config.key unknown_value", "config.mode unknown_value",
				"config.size unknown_value",
			},
			nil,
		},
		{
			"other types", `{"mode":1,"address":{"city":[],"geo":{"lat":"48"}}}`,
			[]string{"config.address.city wrong_type", "config.address.geo.lat wrong_type", "config.mode wrong_type"},
			nil,
		},
		{"an object of another type", `{"address":"Ulm"}`, []string{"config.address wrong_type"}, nil},
		{"fields left empty", `{"mode":"","key":"","address":null}`, nil, nil},
		{"without what an object needs", `{"address":{"geo":{}}}`, nil, []string{"address.city", "address.geo.lat"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()

			values, ok := config.Decode([]byte(tt.config))
			if !ok {
				t.Fatal("not a config")
			}
			var faults errs.Issues
			values.Check("config", schema, &faults)
			if diff := cmp.Diff(tt.want, codes(faults)); diff != "" {
				t.Errorf("faults (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.missing, values.Missing(schema)); diff != "" {
				t.Errorf("missing (-want +got):\n%s", diff)
			}
		})
	}
}
