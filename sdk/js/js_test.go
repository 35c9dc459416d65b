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

func TestJavaScript(t *testing.T) {
	t.Parallel()

	node, err := exec.LookPath("node")
	if err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal(err)
		}
		t.Skip("Node.js is not installed")
	}
	a := testkit.New(t)
	if _, err := a.Market.Import(t.Context(), fstest.MapFS{"c.yaml": {Data: []byte(catalog)}}, "c.yaml"); err != nil {
		t.Fatal(err)
	}
	bought := a.Do(t, testkit.Request{Method: http.MethodPost, Path: "/api/marketplace/products/mail-pack/purchase", Body: `{"tierId":"monthly","paymentMethod":"card"}`})
	cmd := exec.CommandContext(t.Context(), node, "--test", "--test-reporter=spec")
	cmd.Env = append(os.Environ(), "STOA_URL="+a.URL, "STOA_LICENSE_KEY="+bought.Text(t, "licenseKey"),
		"STOA_NOW="+strconv.FormatInt(a.Clock.Now().UnixMilli(), 10), "NODE_NO_WARNINGS=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Logf("%s", out)
}
