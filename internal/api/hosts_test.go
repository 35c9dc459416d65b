package httpapi_test

import (
	"net/http"
	"strings"
	"testing"

	"stoa/internal/app"
	"stoa/internal/testkit"
)

// A web page whose name was made to resolve to this machine reads nothing and
// does nothing, whatever it knows (DNS rebinding).
func TestPagesOfOtherHostsAreRefusedDNSRebinding(t *testing.T) {
	t.Parallel()

	a := testkit.New(t).InstallEcho(t, nil)
	port := a.URL[strings.LastIndexByte(a.URL, ':'):]
	requests := []testkit.Request{
		testkit.Get("", "/"),
		testkit.Get("", "/docs"),
		testkit.Get("", "/api/marketplace/products"),
		testkit.Get(a.Admin.Access, "/api/v1/admin/extensions"),
		testkit.Post("", "/auth/login", map[string]string{"email": "root@example.com", "password": testkit.Password}),
		testkit.Post(a.Admin.Access, "/api/v1/admin/extensions/plugin/install", []byte("PK")),
		testkit.Get("", testkit.EchoPath+"/api/x"),
		testkit.Get("", "/api/marketplace/products/none/license/verify?licenseKey=x&instanceId=y"),
	}
	for _, host := range []string{
		"attacker.example", "attacker.example" + port, "127.0.0.1.attacker.example" + port,
		"0.0.0.0" + port, "10.9.8.7" + port,
	} {
		for _, req := range requests {
			req.Host = host
			res := a.Do(t, req)
			if res.Status != http.StatusMisdirectedRequest || !strings.Contains(string(res.Body), "MISDIRECTED_REQUEST") {
				t.Errorf("%s %s for %s = %d, want 421: %s", req.Method, req.Path, host, res.Status, res.Body)
			}
		}
		for path, also := range map[string]int{"/livez": http.StatusOK, "/readyz": http.StatusServiceUnavailable} {
			res := a.Do(t, testkit.Request{Method: http.MethodGet, Path: path, Host: host})
			if res.Status != http.StatusOK && res.Status != also { // a stoa that is not ready answers 503, whatever the host
				t.Errorf("GET %s for %s = %d: %s", path, host, res.Status, res.Body)
			}
		}
	}
}

func TestHostsThatAreAnswered(t *testing.T) {
	t.Parallel()

	a := testkit.New(t, func(_ testing.TB, cfg *app.Config) { cfg.AllowedHosts = []string{"stoa.internal", "10.9.8.7"} })
	for host, want := range map[string]int{
		"": http.StatusOK, "localhost": http.StatusOK, "LOCALHOST.:1": http.StatusOK, "[::1]:8080": http.StatusOK,
		"stoa.internal:8080": http.StatusOK, "10.9.8.7": http.StatusOK, "internal": http.StatusMisdirectedRequest,
	} {
		if res := a.Do(t, testkit.Request{Method: http.MethodGet, Path: "/docs", Host: host}); res.Status != want {
			t.Errorf("Host %q = %d, want %d", host, res.Status, want)
		}
	}
}
