// Package js_test tests the SDK for JavaScript: in test/ against a real stoa, and as
// the package that npm makes of it.
package js_test

import (
	"os"
	"os/exec"
	"strconv"
	"testing"

	"stoa/internal/testkit"
	"stoa/internal/testkit/needtest"
)

// shop is a stoa that sells the product mail-pack.
func shop(t *testing.T) *testkit.App {
	t.Helper()
	a := testkit.New(t)
	a.SellMailPack(t)
	return a
}

func TestJavaScript(t *testing.T) {
	t.Parallel()

	node := needtest.Program(t, "node", "")
	a := shop(t)
	cmd := exec.CommandContext(t.Context(), node, "--test", "--test-reporter=spec")
	cmd.Env = append(os.Environ(), "STOA_URL="+a.URL, "STOA_LICENSE_KEY="+a.BuyMailPack(t),
		"STOA_NOW="+strconv.FormatInt(a.Clock.Now().UnixMilli(), 10), "NODE_NO_WARNINGS=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Logf("%s", out)
}
