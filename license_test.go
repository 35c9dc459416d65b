package stoa

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The license has one name, its SPDX identifier, wherever a person or a tool looks for it.
func TestTheLicenseIsNamedEverywhere(t *testing.T) {
	t.Parallel()

	const identifier = "Apache-2.0"
	for file, want := range map[string]string{
		"LICENSE.txt":      "SPDX-License-Identifier: " + identifier + "\n",
		"README.md":        "`" + identifier + "`",
		"api/openapi.yaml": "    identifier: " + identifier + "\n",
		"go.mod":           "// SPDX-License-Identifier: " + identifier + "\n",
		"sdk/go/go.mod":    "// SPDX-License-Identifier: " + identifier + "\n",
	} {
		if text, err := os.ReadFile(file); err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%s lacks %q (%v)", file, want, err)
		}
	}
	packages, err := filepath.Glob("*/package.json")
	if err != nil || len(packages) < 3 {
		t.Fatalf("Glob = %q, %v; want the packages of Node.js", packages, err)
	}
	for _, file := range append(packages, "sdk/js/package.json", "sdk/js-plugin/package.json", "api/tools/package.json") {
		var manifest struct{ License string }
		text, err := os.ReadFile(file)
		if err == nil {
			err = json.Unmarshal(text, &manifest)
		}
		if err != nil || manifest.License != identifier {
			t.Errorf("%s names the license %q, want %s (%v)", file, manifest.License, identifier, err)
		}
	}
	for _, file := range []string{"sdk/go/LICENSE.txt", "sdk/js/LICENSE", "sdk/js-plugin/LICENSE"} {
		if text, err := os.ReadFile(file); err != nil || !strings.Contains(string(text), "Apache License") {
			t.Errorf("%s is not the license (%v)", file, err)
		}
	}
}
