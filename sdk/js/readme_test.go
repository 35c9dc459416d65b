package js_test

import (
	"net/http"
	"os"
	"strings"
	"testing"

	"stoa/internal/testkit"
	"stoa/internal/testkit/needtest"
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
	if !strings.Contains(string(readme), tarball) {
		t.Errorf("the README does not install %s", tarball)
	}
	a, dir := shop(t), project(t, "module")
	write(t, dir, "app.js", []byte(example))
	keys := a.Do(t, testkit.Request{Method: http.MethodGet, Path: "/api/marketplace/license-keys"})
	write(t, dir, "license-keys.json", keys.Body)
	out, warnings := run(t, dir, []string{"SHOP_URL=" + a.URL, "LICENSE_KEY=" + a.BuyMailPack(t)}, node, "app.js")
	if out != "valid true [ 'templates' ]\n" || warnings != "" {
		t.Errorf("the program prints\n%s%s", out, warnings)
	}
}
