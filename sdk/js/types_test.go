package js_test

import (
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"testing"

	"stoa/api"
)

// enum is where a list of values is in the API document.
type enum struct {
	Enum []string `json:"enum"`
}

// document is what openapi.yaml says about licenses.
type document struct {
	Components struct {
		Headers struct {
			LicenseCode struct {
				Schema enum `json:"schema"`
			} `json:"LicenseCode"`
		} `json:"headers"`
		Schemas struct {
			LicenseFields struct {
				Properties struct {
					Type   enum `json:"type"`
					Status enum `json:"status"`
				} `json:"properties"`
			} `json:"LicenseFields"`
		} `json:"schemas"`
	} `json:"components"`
}

// The declarations list the values of the API: a new one must be added to both.
func TestTheUnionsAreThoseOfTheAPI(t *testing.T) {
	t.Parallel()

	doc, err := api.JSON()
	if err != nil {
		t.Fatal(err)
	}
	var c document
	if err := json.Unmarshal(doc, &c); err != nil {
		t.Fatal(err)
	}
	license := c.Components.Schemas.LicenseFields.Properties
	for _, tt := range []struct {
		file, union string
		want        []string
	}{
		{"src/index.d.ts", "LicenseType", license.Type.Enum},
		{"src/index.d.ts", "LicenseStatus", license.Status.Enum},
		{"src/error.d.ts", "RefusalReason", c.Components.Headers.LicenseCode.Schema.Enum},
	} {
		source, err := os.ReadFile(tt.file)
		if err != nil {
			t.Fatal(err)
		}
		declaration := regexp.MustCompile(`type ` + tt.union + ` = ([^;]*);`).FindSubmatch(source)
		if declaration == nil {
			t.Errorf("%s does not declare %s", tt.file, tt.union)
			continue
		}
		var got []string
		for _, value := range regexp.MustCompile(`'(\w+)'`).FindAllSubmatch(declaration[1], -1) {
			got = append(got, string(value[1]))
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s is %q, want %q", tt.union, got, tt.want)
		}
	}
}
