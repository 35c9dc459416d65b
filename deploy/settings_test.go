package deploy

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
	"go.yaml.in/yaml/v4"

	"stoa/internal/operate/settings"
)

// check reports a setting that stoa does not have, and a value with which stoa serve would not start.
// An empty value is one that the operator must give.
func check(t *testing.T, where, name, value string) {
	t.Helper()
	if !strings.HasPrefix(name, "STOA_") {
		return
	}
	s, ok := settings.ByVariable(name)
	if !ok {
		t.Errorf("%s: stoa has no setting %s", where, name)
	}
	if s.Flag == "" || name != s.Env || value == "" || strings.Contains(value, "${") {
		return
	}
	parser, err := settings.NewParser(new(struct {
		Serve settings.Serve `cmd:""`
	}), kong.Name("stoa"))
	if err != nil {
		t.Fatal(err)
	}
	args := []string{"serve", "--" + s.Flag + "=" + value}
	if s.Flag != "public-url" {
		args = append(args, "--public-url=https://shop.example.com")
	}
	if _, err := parser.Parse(args); err != nil {
		t.Errorf("%s: %s=%s: %v", where, name, value, err)
	}
}

// fromValue is a variable that the chart makes of one of its values.
var fromValue = regexp.MustCompile(`\{name: (STOA_\w+), value: \{\{.*?\.Values\.([\w.]+)`)

// The chart sets what stoa has, to what stoa accepts: by itself, and whatever its schema allows.
func TestTheChartMakesSettingsThatStoaHas(t *testing.T) {
	t.Parallel()

	var values, schema map[string]any
	if err := yaml.Unmarshal([]byte(read(t, "helm/stoa/values.yaml")), &values); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(read(t, "helm/stoa/values.schema.json")), &schema); err != nil {
		t.Fatal(err)
	}
	made := fromValue.FindAllStringSubmatch(read(t, "helm/stoa/templates/deployment.yaml"), -1)
	if len(made) < 7 {
		t.Fatalf("the chart makes %d settings of its values", len(made))
	}
	for _, m := range made {
		name, path := m[1], strings.Split(m[2], ".")
		if value := at(values, path); value != true && value != false { // which switches between two values
			check(t, "values.yaml, "+m[2], name, fmt.Sprint(value))
		}
		allowed, ok := at(schema, append([]string{"properties"}, strings.Split(strings.Join(path, ".properties."), ".")...)).(map[string]any)
		if !ok || allowed["enum"] == nil {
			continue
		}
		var got []string
		for _, v := range allowed["enum"].([]any) {
			if v != "" {
				got = append(got, v.(string))
			}
		}
		s, _ := settings.ByVariable(name)
		if want := strings.Split(s.Values, ","); !slices.Equal(slices.Sorted(slices.Values(got)), slices.Sorted(slices.Values(want))) {
			t.Errorf("values.schema.json allows %q for %s, and stoa %q", got, m[2], want)
		}
	}
	for name, value := range at(values, []string{"env"}).(map[string]any) {
		check(t, "values.yaml, env", name, value.(string))
	}
	for _, name := range setting.FindAllString(read(t, "helm/stoa/values.yaml"), -1) {
		check(t, "values.yaml", name, "")
	}
}

// at returns what is at a path in a document.
func at(document any, path []string) any {
	for _, name := range path {
		fields, _ := document.(map[string]any)
		document = fields[name]
	}
	return document
}

var setting = regexp.MustCompile(`\bSTOA_[A-Z_]*[A-Z]\b`)

// stoa has every setting that the compose file, its secrets and the image make, and takes the value.
func TestTheComposeFileMakesSettingsThatStoaHas(t *testing.T) {
	t.Parallel()

	services, _, _ := composeServices(t)
	for name, s := range services {
		for key, value := range s.Environment {
			check(t, name, key, value)
		}
	}
	var inSecrets int
	for _, line := range strings.Split(read(t, composeFolder(t)+"/secrets/stoa.env"), "\n") {
		if name, value, found := strings.Cut(line, "="); found {
			inSecrets++
			check(t, "secrets/stoa.env", name, value)
		}
	}
	if inSecrets < 3 {
		t.Errorf("secrets/stoa.env has %d settings", inSecrets)
	}
	for word := range strings.FieldsSeq(read(t, "image/Containerfile")) {
		if name, value, found := strings.Cut(word, "="); found {
			check(t, "image/Containerfile", name, value)
		}
	}
}

// So it is with the environment file of the systemd unit, also where a setting is a comment.
func TestTheUnitMakesSettingsThatStoaHas(t *testing.T) {
	t.Parallel()

	found := 0
	for line := range strings.Lines(read(t, "systemd/stoa.env")) {
		if name, value, ok := strings.Cut(strings.TrimPrefix(strings.TrimSpace(line), "#"), "="); ok &&
			setting.MatchString(name) && !strings.Contains(name, " ") {
			found++
			check(t, "stoa.env", name, strings.Trim(value, `"`))
		}
	}
	if found < 10 {
		t.Errorf("stoa.env has %d settings", found)
	}
}
