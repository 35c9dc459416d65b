package plugincall_test

import (
	"bufio"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"stoa/examples/plugins"
	"stoa/internal/app"
	"stoa/internal/testkit"
)

// The gateway's signature convinces an implementation that shares no code with
// it: the example plugin in JavaScript, which answers 401 to everything else.
func TestNodePluginBelievesTheGateway(t *testing.T) {
	t.Parallel()
	a := testkit.New(t, func(_ testing.TB, cfg *app.Config) { cfg.Now = time.Now }) // the plugin's clock is real
	admin, user := a.Admin(t, "root"), a.Register(t, "ada")

	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ln.Close() })
	archive, err := plugins.Archive("loyalty-points", map[string]any{"externalBaseUrl": "http://" + ln.Addr().String()})
	if err != nil {
		t.Fatal(err)
	}
	if res := a.Install(t, admin.Access, "plugin", archive); res.Status != http.StatusCreated {
		t.Fatalf("install: %d %s", res.Status, res.Body)
	}
	secret := func() string {
		res := a.Do(t, testkit.Get(admin.Access, "/api/v1/admin/plugins/loyalty-points/secret"))
		return res.Text(t, "data.secret")
	}
	go relay(ln, startNode(t, secret())) // its address had to be known before its secret was

	call := func(method, path, token string, body any, header http.Header) testkit.Response {
		t.Helper()
		return a.Do(t, testkit.Request{
			Method: method, Path: "/api/v1/shop/plugins/loyalty-points" + path,
			Token: token, Body: body, Header: header,
		})
	}
	want := func(res testkit.Response, status int) {
		t.Helper()
		if res.Status != status {
			t.Fatalf("status %d, want %d: %s", res.Status, status, res.Body)
		}
	}
	want(call("GET", "/health", "", nil, nil), 200)
	want(call("GET", "/api/rules?a=%20b&installation=default&c=%C3%A9+", "", nil, nil), 200)
	// A guest who claims to be a user is still a guest.
	want(call("GET", "/api/balance", "", nil, http.Header{
		"x_user_id": {user.UserID}, "X-User-Id": {user.UserID}, "X-User-Role": {"admin"},
	}), 401)
	earn := map[string]any{"userId": user.UserID, "orderId": "o1", "amount": 12.5}
	want(call("POST", "/api/earn", user.Access, earn, http.Header{"X-User-Role": {"admin"}}), 403)
	want(call("POST", "/api/earn", admin.Access, earn, nil), 201)
	res := call("GET", "/api/balance", user.Access, nil, http.Header{"Accept-Language": {"de-CH,de;q=0.9"}})
	if want(res, 200); res.Get(t, "points") != 125.0 {
		t.Errorf("points = %v, want 125", res.Get(t, "points"))
	}
	// Bodies are signed up to 1 MiB and streamed above: the plugin believes
	// both, and refuses their content.
	for _, size := range []int{1 << 20, 1<<20 + 1} {
		want(call("POST", "/api/earn", admin.Access, `{"x":"`+strings.Repeat("x", size-8)+`"}`, nil), 400)
	}
	// After a rotation, the plugin's previous secret signs too.
	old := secret()
	want(a.Do(t, testkit.Post(admin.Access, "/api/v1/admin/plugins/loyalty-points/secret/rotate", nil)), 200)
	if secret() == old {
		t.Fatal("the secret was not rotated")
	}
	want(call("GET", "/api/rules", "", nil, nil), 200)
}

// startNode starts the example service and returns its address.
func startNode(t *testing.T, secret string) string {
	t.Helper()
	source, err := plugins.Source("loyalty-points")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "service.js")
	if err := os.WriteFile(file, source, 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("node", file)
	cmd.Env = []string{"PORT=0", "STOA_PLUGIN_SECRET=" + secret, "EXIT_WITH_STDIN=1"}
	cmd.Stderr = t.Output()
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		stdin.Close() // the service ends by itself
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	var line struct{ URL string }
	if err := json.NewDecoder(bufio.NewReader(stdout)).Decode(&line); err != nil {
		t.Fatal(err)
	}
	u, err := url.Parse(line.URL)
	if err != nil {
		t.Fatal(err)
	}
	return u.Host
}

// relay passes the bytes of every connection on to addr, until ln is closed.
func relay(ln net.Listener, addr string) {
	for {
		in, err := ln.Accept()
		if err != nil {
			return
		}
		go func() {
			defer in.Close()
			out, err := net.Dial("tcp", addr)
			if err != nil {
				return
			}
			defer out.Close()
			go func() {
				_, _ = io.Copy(out, in)
				out.Close()
			}()
			_, _ = io.Copy(in, out)
		}()
	}
}
