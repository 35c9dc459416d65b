package js_test

import (
	"net/http"
	"os"
	"strings"
	"testing"

	"stoa/internal/testkit"
	"stoa/internal/testkit/needtest"
	"stoa/internal/testkit/npmtest"
)

// The README's program, in a new project that installs the package.
func TestTheREADMEWorksForANewUser(t *testing.T) {
	t.Parallel()

	node := needtest.Program(t, "node", "")
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, example, _ := strings.Cut(string(readme), "```js\n")
	example, _, _ = strings.Cut(example, "```")
	if !strings.Contains(string(readme), pkg.Tarball) {
		t.Errorf("the README does not install %s", pkg.Tarball)
	}
	a, dir := shop(t), pkg.Project(t, "module")
	npmtest.Write(t, dir, "app.js", example)
	keys := a.Do(t, testkit.Request{Method: http.MethodGet, Path: "/api/marketplace/license-keys"})
	npmtest.Write(t, dir, "license-keys.json", string(keys.Body))
	out, warnings := npmtest.Run(t, dir, []string{"SHOP_URL=" + a.URL, "LICENSE_KEY=" + a.BuyMailPack(t)}, node, "app.js")
	if out != "valid true [ 'templates' ]\n" || warnings != "" {
		t.Errorf("the program prints\n%s%s", out, warnings)
	}
}

// The README's function for refusals, on errors of the package in both formats.
func TestTheREADMEHandlesRefusals(t *testing.T) {
	t.Parallel()

	node := needtest.Program(t, "node", "")
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, example, _ := strings.Cut(string(readme), "## Handling refusals")
	_, example, _ = strings.Cut(example, "```js\n")
	example, _, _ = strings.Cut(example, "```")
	a, dir := shop(t), pkg.Project(t, "module")
	npmtest.Write(t, dir, "explain.js", example)
	copyTestdata(t, dir, map[string]string{"refusals.js": "refusals.js"})
	keys := a.Do(t, testkit.Request{Method: http.MethodGet, Path: "/api/marketplace/license-keys"})
	npmtest.Write(t, dir, "license-keys.json", string(keys.Body))
	revoked, taken := a.BuyMailPack(t), a.BuyMailPack(t)
	a.Activate(t, taken, "other.example")
	l, err := a.Licenses.GetByKey(t.Context(), revoked)
	if err == nil {
		_, err = a.Licenses.Revoke(t.Context(), l.License.ID, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	out, warnings := npmtest.Run(t, dir, []string{"SHOP_URL=" + a.URL, "REVOKED=" + revoked, "TAKEN=" + taken}, node,
		"refusals.js")
	const want = `unknown: There is no such license key. Is it typed correctly?
revoked: This license was withdrawn. Ask the vendor why.
taken: This installation has lost its seat. Activate it again.
no seat: The shop says
offline: Connect to the network
`
	if out != want || warnings != "" {
		t.Errorf("the errors are explained as\n%s%swant\n%s", out, warnings, want)
	}
}
