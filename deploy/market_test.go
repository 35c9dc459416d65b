package deploy

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"stoa/internal/extension/sign"
	"stoa/internal/testkit"
	"stoa/internal/testkit/needtest"
	"stoa/internal/testkit/porttest"
	"stoa/internal/testkit/waittest"
)

// A market behind nginx, with TLS: another stoa adds it, and installs a plugin from it.
func TestAMarketBehindNginxWithTLS(t *testing.T) {
	t.Parallel()
	needtest.Long(t, "it starts two stoas behind nginx")
	needtest.Program(t, "nginx", "run scripts/test-deps")

	const acme = testkit.Publisher("acme")
	addr, dir := porttest.Free(t), t.TempDir()
	env := []string{
		"STOA_DATABASE_URL=" + filepath.Join(dir, "market.db"), "STOA_MASTER_KEY=" + testkit.MasterKey,
		"STOA_MARKET=on", "STOA_PUBLIC_URL=https://" + addr, "STOA_PAYMENTS=test",
		"STOA_TRUSTED_PROXIES=127.0.0.1/32", "STOA_TRUSTED_KEYS=acme=" + sign.EncodePublic(acme.Public()),
	}
	run := func(args ...string) string {
		path, err := program()
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.CommandContext(t.Context(), path, append(args, "--data="+dir)...)
		cmd.Env = append(os.Environ(), env...)
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("stoa %v: %v", args, err)
		}
		return string(out)
	}
	file := filepath.Join(dir, "catalog.yaml")
	write(t, file, `{currency: EUR, products: [{slug: hello, name: Hello, category: other, shortDescription: A., description: A.,
		icon: /i.svg, pricingTiers: [{id: free, name: Free, price: 0}]}]}`)
	run("migrate")
	_, said, _ := strings.Cut(run("market", "init", "--root="+filepath.Join(dir, "root.pem")), "fingerprint: ")
	fingerprint, _, _ := strings.Cut(said, "\n")
	run("catalog", "import", file)
	market := serve(t, env...)
	s := newSite(t, market.URL)
	s.addr = addr
	startNginx(t, s)
	archive := acme.Sign(t, testkit.PluginArchive(t, testkit.InternalManifest("hello", "index.js"), map[string]string{
		"index.js": `module.exports = async (app) => { app.get('/api/hello', async () => ({ hello: 'world' })) }`,
	}))
	market.do(t, http.StatusCreated, http.MethodPut, "/api/v1/admin/products/hello/package", market.admin(t), archive,
		"application/zip")

	buyer := serve(t, "STOA_MARKET_ALLOW=127.0.0.1/32", "SSL_CERT_FILE="+s.cert)
	admin := buyer.admin(t)
	post := func(want int, path, body string, into any) {
		t.Helper()
		answer := buyer.do(t, want, http.MethodPost, path, admin, []byte(body), "application/json")
		if err := json.Unmarshal(answer, into); err != nil {
			t.Fatal(err)
		}
	}
	var added struct{ Data struct{ Market, URL string } }
	post(http.StatusCreated, "/api/v1/admin/markets",
		fmt.Sprintf(`{"url":"https://%s","rootFingerprint":"%s"}`, addr, fingerprint), &added)
	if added.Data.URL != "https://"+addr {
		t.Errorf("added %+v", added)
	}
	var started struct{ Data struct{ OperationID string } }
	post(http.StatusAccepted, "/api/v1/admin/markets/"+added.Data.Market+"/products/hello/install", `{"grants":[]}`, &started)
	var state struct{ Data struct{ State, Step string } }
	waittest.Until(t, "the installed plugin", func() error {
		answer := buyer.do(t, http.StatusOK, http.MethodGet, "/api/v1/admin/market-operations/"+started.Data.OperationID, admin,
			nil, "")
		if err := json.Unmarshal(answer, &state); err != nil {
			return err
		}
		if state.Data.State != "done" {
			return fmt.Errorf("the operation is %+v", state.Data)
		}
		return nil
	})
	got := buyer.do(t, http.StatusOK, http.MethodGet, "/api/v1/shop/plugins/hello/api/hello", "", nil, "")
	if string(got) != `{"hello":"world"}` {
		t.Errorf("the plugin says %s", got)
	}
}
