package js_test

import (
	"bytes"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"stoa/internal/testkit"
	"stoa/internal/testkit/needtest"
)

// The README's example, in a project of its own that installs this folder, and
// one that installs the archive made of it.
func TestTheExampleOfTheREADMERunsInAnotherProject(t *testing.T) {
	t.Parallel()

	node, npm := needtest.Program(t, "node", ""), needtest.Program(t, "npm", "")
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, example, _ := strings.Cut(string(readme), "```js\n")
	example, _, _ = strings.Cut(example, "```")
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	a := shop(t)
	keys := a.Do(t, testkit.Request{Method: http.MethodGet, Path: "/api/marketplace/license-keys"}).Body
	for name, install := range map[string][][]string{
		"folder":  {{"install", here}},
		"archive": {{"pack", here}, {"install", "./stoa-license-1.0.0.tgz"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			dir := t.TempDir()
			for file, data := range map[string]string{"package.json": `{"private":true,"type":"module"}`, "app.js": example, "license-keys.json": string(keys)} {
				if err := os.WriteFile(filepath.Join(dir, file), []byte(data), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			env := append(os.Environ(), "SHOP_URL="+a.URL, "LICENSE_KEY="+a.BuyMailPack(t), "NODE_NO_WARNINGS=1")
			for _, args := range install {
				cmd := exec.CommandContext(t.Context(), npm, append(args, "--offline", "--no-audit", "--no-fund", "--cache="+filepath.Join(dir, "cache"))...)
				cmd.Dir, cmd.Env = dir, env
				if out, err := cmd.CombinedOutput(); err != nil {
					t.Fatalf("npm %q: %v\n%s", args, err, out)
				}
			}
			cmd := exec.CommandContext(t.Context(), node, "app.js")
			cmd.Dir, cmd.Env = dir, env
			var stderr bytes.Buffer
			cmd.Stderr = &stderr
			out, err := cmd.Output()
			if err != nil || string(out) != "valid true [ 'templates' ]\n" || stderr.Len() > 0 {
				t.Errorf("%v\n%s%s", err, out, &stderr)
			}
		})
	}
}
