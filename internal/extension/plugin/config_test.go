package plugin

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/base/errs"
	"stoa/internal/extension/config"
)

// nest returns inner inside n objects, or arrays for open "[".
func nest(n int, inner string) string {
	return strings.Repeat(`{"a":`, n) + inner + strings.Repeat("}", n)
}

func TestConfigRules(t *testing.T) {
	t.Parallel()

	sized := func(n int, key, fill string) string { // compact JSON of n bytes
		rest := n - len(`{"":""}`) - len(key)
		return fmt.Sprintf(`{%q:%q}`, key, strings.Repeat(fill, rest/len(fill)))
	}
	tests := []struct {
		name   string
		config string
		want   string // error.message; empty means valid
	}{
		{"nothing", ``, ""},
		{"null", `null`, ""},
		{"empty object", `{}`, ""},
		{"an array", `[]`, "Config must be an object"},
		{"a string", `"{}"`, "Config must be an object"},
		{"a number", `1`, "Config must be an object"},
		{"a boolean", `true`, "Config must be an object"},

		{"64 KB", sized(config.MaxSize, "k", "x"), ""},
		{"64 KB and a byte", sized(config.MaxSize+1, "k", "x"), "Config exceeds 64KB"},
		{"64 KB and a byte of white space", " " + sized(config.MaxSize, "k", "x"), ""},
		{"64 KB of characters that HTML escapes", sized(config.MaxSize, "k", "<"), ""},
		{"64 KB of two-byte characters", sized(config.MaxSize, "k", "é"), ""},
		{
			"64 KB of two-byte characters and a byte",
			strings.Replace(sized(config.MaxSize, "k", "é"), "é", "éx", 1),
			"Config exceeds 64KB",
		},
		{"64 KB of separators that JavaScript once minded", sized(config.MaxSize, "k", "\u2028"), ""},
		{
			"64 KB of separators and a byte",
			strings.Replace(sized(config.MaxSize, "k", "\u2029"), `\u2029`, `\u2029xxx`, 1),
			"Config exceeds 64KB",
		},
		{"short when it is not escaped", `{"k":"` + strings.Repeat(`\u0041`, 60000) + `"}`, ""},

		{"scalars in an object are 2 layers", nest(1, `1`), ""},
		{"10 layers", nest(9, `1`), ""},
		{"11 layers", nest(10, `1`), "Config nesting exceeds 10 layers"},
		{"10 layers that end in an empty object", nest(9, `{}`), ""},
		{"11 layers that end in an empty object", nest(10, `{}`), "Config nesting exceeds 10 layers"},
		{"10 layers of arrays", `{"a":` + strings.Repeat("[", 8) + `1` + strings.Repeat("]", 8) + `}`, ""},
		{
			"11 layers of arrays",
			`{"a":` + strings.Repeat("[", 9) + `1` + strings.Repeat("]", 9) + `}`,
			"Config nesting exceeds 10 layers",
		},
		{"null is a layer too", nest(10, `null`), "Config nesting exceeds 10 layers"},
		{"too deep in the last of many", `{"a":1,"b":[],"c":[{},` + nest(9, `1`) + `]}`, "Config nesting exceeds 10 layers"},
		{"9,000 layers", nest(9000, `1`), "Config nesting exceeds 10 layers"},
		{
			"too large and too deep",
			`{"b":"` + strings.Repeat("x", config.MaxSize) + `","a":` + nest(10, `1`) + `}`,
			"Config exceeds 64KB",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()

			var faults errs.Issues
			var in Instance
			Input{Config: json.RawMessage(tt.config)}.apply(Manifest{}, &in, &faults)
			err := config.Validation("config", faults)
			if tt.want == "" && err != nil {
				t.Fatalf("error = %v, want none", err)
			}
			if tt.want == "" {
				return
			}
			e, is := errors.AsType[*errs.Error](err)
			if !is || e.Code != errs.CodeValidation || e.Kind != errs.Invalid || e.Message != tt.want {
				t.Errorf("error = %v, want %s %q", err, errs.CodeValidation, tt.want)
			}
		})
	}
}

// B's message is the whole message, whatever else is wrong, and the rest is in
// the details.
func TestConfigMessageStandsAlone(t *testing.T) {
	t.Parallel()

	var faults errs.Issues
	Input{
		Config:  json.RawMessage(`[]`),
		Enabled: json.RawMessage(`"yes"`),
		Granted: json.RawMessage(`["a:b"]`),
	}.apply(Manifest{}, &Instance{}, &faults)
	e, _ := errors.AsType[*errs.Error](config.Validation("config", faults))
	if e == nil || e.Message != "Config must be an object" || len(e.Details["issues"].([]errs.Issue)) != 3 {
		t.Errorf("error = %+v, want the one message and three issues", e)
	}
}

var schema = config.Schema{
	"url":    {Type: "url", Required: true},
	"key":    {Type: "secret", Required: true},
	"pin":    {Type: "number", Secret: true},
	"count":  {Type: "number"},
	"on":     {Type: "boolean"},
	"choice": {Type: "select"},
}

func TestConfigSchema(t *testing.T) {
	t.Parallel()

	tests := []struct {
		name    string
		config  string
		enabled bool
		want    []string // "path code" of each issue
	}{
		{"complete", `{"url":"https://x.example","key":"k","pin":7,"count":1.5,"on":false,"choice":["any"]}`, true, nil},
		{"required only", `{"url":"u","key":"k"}`, true, nil},
		{"unknown keys", `{"url":"u","key":"k","other":{"a":1}}`, true, nil},
		{"optional null", `{"url":"u","key":"k","count":null}`, true, nil},
		{"wrong types", `{"url":1,"key":{},"pin":"7","count":"1","on":"true"}`, true, []string{
			"config.count wrong_type", "config.key wrong_type", "config.on wrong_type", "config.pin wrong_type",
			"config.url wrong_type",
		}},
		{"nothing", ``, true, []string{"config.key required", "config.url required"}},
		{
			"required are null and empty",
			`{"url":"","key":null}`,
			true,
			[]string{"config.key required", "config.url required"},
		},
		{"nothing, disabled", ``, false, nil},
		{"wrong types, disabled", `{"count":"1"}`, false, []string{"config.count wrong_type"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()

			var faults errs.Issues
			in := Instance{Enabled: tt.enabled}
			Input{Config: json.RawMessage(tt.config)}.apply(Manifest{ConfigSchema: schema}, &in, &faults)
			var got []string
			for _, f := range faults.List() {
				got = append(got, f.Path+" "+f.Code)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("issues (-want +got):\n%s", diff)
			}
		})
	}
}

func TestConfigSecretsAreWriteOnly(t *testing.T) {
	t.Parallel()

	m := Manifest{ConfigSchema: schema}
	in := Instance{Enabled: true}
	// A sequence: each step changes what the one before left.
	steps := []struct {
		name, patch, stored, public string
		key, pin                    bool // configured
	}{
		{
			"set",
			`{"url":"u","key":"k1","pin":7,"choice":"c"}`,
			`{"choice":"c","key":"k1","pin":7,"url":"u"}`,
			`{"choice":"c","key":"","pin":"","url":"u"}`,
			true,
			true,
		},
		{
			"empty in a field that is no secret",
			`{"url":"u","key":"","pin":"","choice":""}`,
			`{"choice":"","key":"k1","pin":7,"url":"u"}`,
			`{"choice":"","key":"","pin":"","url":"u"}`,
			true,
			true,
		},
		{
			"written back as read",
			`{"url":"u2","key":"","pin":""}`,
			`{"key":"k1","pin":7,"url":"u2"}`,
			`{"key":"","pin":"","url":"u2"}`,
			true,
			true,
		},
		{
			"replaced",
			`{"url":"u2","key":"k2","pin":""}`,
			`{"key":"k2","pin":7,"url":"u2"}`,
			`{"key":"","pin":"","url":"u2"}`,
			true,
			true,
		},
		{"left out", `{"url":"u2","key":""}`, `{"key":"k2","url":"u2"}`, `{"key":"","url":"u2"}`, true, false},
		{
			"empty and never set",
			`{"url":"u2","key":"","pin":""}`,
			`{"key":"k2","pin":"","url":"u2"}`,
			`{"key":"","pin":"","url":"u2"}`,
			true,
			false,
		},
	}
	for _, s := range steps {
		var faults errs.Issues
		Input{Config: json.RawMessage(s.patch)}.apply(m, &in, &faults)
		if faults.Len() > 0 {
			t.Fatalf("%s: %v", s.name, faults)
		}
		public, configured := Installed{Package: Package{Manifest: m}, Instance: in}.PublicConfig()
		got := []string{string(in.Config), string(public)}
		if diff := cmp.Diff([]string{s.stored, s.public}, got); diff != "" {
			t.Errorf("%s: stored and public (-want +got):\n%s", s.name, diff)
		}
		if diff := cmp.Diff(map[string]bool{"key": s.key, "pin": s.pin}, configured); diff != "" {
			t.Errorf("%s: configured (-want +got):\n%s", s.name, diff)
		}
	}

	var faults errs.Issues
	Input{Config: json.RawMessage(`{"url":"u","key":null}`)}.apply(m, &in, &faults)
	if faults.Len() != 1 || faults.List()[0].Path != "config.key" {
		t.Errorf("removing a required secret: %v, want one issue about it", faults)
	}
}

// No error quotes a config, whatever is wrong with it.
func TestConfigFaultsDoNotRepeatValues(t *testing.T) {
	t.Parallel()

	const secret = "hunter2-secret-value"
	for _, text := range []string{
		`"` + secret + `"`, `{"count":"` + secret + `"}`, `{"key":["` + secret + `"]}`,
		`{"a":"` + strings.Repeat(secret, 5000) + `"}`, nest(12, `"`+secret+`"`),
	} {
		var faults errs.Issues
		Input{Config: json.RawMessage(text)}.apply(Manifest{ConfigSchema: schema}, &Instance{}, &faults)
		err := config.Validation("config", faults)
		if err == nil {
			t.Errorf("%.40s: no fault", text)
		}
		if strings.Contains(fmt.Sprintf("%v %+v", err, faults), secret) {
			t.Errorf("%.40s: the error repeats the value", text)
		}
	}
}

func TestGrantedIsASubsetOfDeclared(t *testing.T) {
	t.Parallel()

	m := Manifest{Permissions: []string{"a:b", "c:d"}}
	tests := []struct {
		name, granted string
		want          []string
		wantIssues    int
	}{
		{"absent keeps what was", ``, []string{"a:b"}, 0},
		{"null keeps what was", `null`, []string{"a:b"}, 0},
		{"none", `[]`, []string{}, 0},
		{"all", `["c:d","a:b"]`, []string{"c:d", "a:b"}, 0},
		{"twice", `["a:b","a:b"]`, []string{"a:b"}, 0},
		{"not declared", `["a:b","x:y","z"]`, []string{"a:b"}, 2},
		{"no array", `"a:b"`, []string{}, 1},
		{"no string", `[1]`, []string{}, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()

			var faults errs.Issues
			in := Instance{Granted: []string{"a:b"}}
			Input{Granted: json.RawMessage(tt.granted)}.apply(m, &in, &faults)
			if diff := cmp.Diff(tt.want, in.Granted); diff != "" || faults.Len() != tt.wantIssues {
				t.Errorf("%d issues %v, want %d; granted (-want +got):\n%s", faults.Len(), faults, tt.wantIssues, diff)
			}
		})
	}
}

func TestInstanceKey(t *testing.T) {
	t.Parallel()

	for _, tt := range []struct {
		key  string
		want string // code of the issue
	}{
		{`"a"`, ""},
		{`"eu-store-1"`, ""},
		{`"-"`, ""},
		{`"` + strings.Repeat("a", 32) + `"`, ""},
		{`"` + strings.Repeat("a", 33) + `"`, errs.CodeOutOfRange},
		{`""`, errs.CodeRequired},
		{`"EU"`, errs.CodeInvalid},
		{`"a b"`, errs.CodeInvalid},
		{`"a\n"`, errs.CodeInvalid},
		{`"ä"`, errs.CodeInvalid},
		{`1`, errs.CodeWrongType},
		{`null`, errs.CodeRequired},
		{``, errs.CodeRequired},
	} {
		var faults errs.Issues
		Input{Key: json.RawMessage(tt.key)}.key(&faults)
		got := ""
		if faults.Len() > 0 {
			got = faults.List()[0].Code
		}
		if got != tt.want {
			t.Errorf("key %s: issue %q, want %q", tt.key, got, tt.want)
		}
	}
}

// An escape sequence that is part of a value stays text.
func TestConfigKeepsWhatLooksLikeASeparator(t *testing.T) {
	t.Parallel()

	var faults errs.Issues
	var in Instance
	Input{Config: json.RawMessage(`{"k":"\\u2028 \u2028 \\\u2029"}`)}.apply(Manifest{}, &in, &faults)
	if want := "{\"k\":\"\\\\u2028 \u2028 \\\\\u2029\"}"; faults.Len() > 0 || string(in.Config) != want {
		t.Errorf("config = %q, %v; want %q", in.Config, faults, want)
	}
}
