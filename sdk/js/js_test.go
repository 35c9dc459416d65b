// Package js_test runs the tests of the JavaScript SDK, against a real stoa, with
// the tests of everything else.
package js_test

import (
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"testing"
	"testing/fstest"

	"stoa/internal/testkit"
)

const catalog = `
products:
  - slug: mail-pack
    name: Mail Pack
    description: Templates.
    shortDescription: Templates.
    category: marketing
    icon: https://cdn.example/mail.svg
    pricingTiers:
      - {id: monthly, name: Monthly, description: A month., price: 9, currency: EUR, billingPeriod: monthly, features: [templates], maxInstances: 1}
`

// tool returns the path of a program, which only a laptop may lack.
func tool(t *testing.T, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil && os.Getenv("CI") != "" {
		t.Fatal(err)
	}
	if err != nil {
		t.Skip(name + " is not installed")
	}
	return path
}

// shop is a stoa that sells mail-pack.
func shop(t *testing.T) *testkit.App {
	t.Helper()
	a := testkit.New(t)
	if _, err := a.Market.Import(t.Context(), fstest.MapFS{"c.yaml": {Data: []byte(catalog)}}, "c.yaml"); err != nil {
		t.Fatal(err)
	}
	return a
}

// buy returns the key of a new licence.
func buy(t *testing.T, a *testkit.App) string {
	t.Helper()
	bought := a.Do(t, testkit.Request{Method: http.MethodPost, Path: "/api/marketplace/products/mail-pack/purchase", Body: `{"tierId":"monthly","paymentMethod":"card"}`})
	return bought.Text(t, "licenseKey")
}

func TestJavaScript(t *testing.T) {
	t.Parallel()

	node := tool(t, "node")
	a := shop(t)
	cmd := exec.CommandContext(t.Context(), node, "--test", "--test-reporter=spec")
	cmd.Env = append(os.Environ(), "STOA_URL="+a.URL, "STOA_LICENSE_KEY="+buy(t, a),
		"STOA_NOW="+strconv.FormatInt(a.Clock.Now().UnixMilli(), 10), "NODE_NO_WARNINGS=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Logf("%s", out)
}
