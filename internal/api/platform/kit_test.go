package platform_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"stoa/internal/testkit"
)

// holder is a plugin with the token of one of its installations.
type holder struct {
	*testkit.Echo
	token string
}

// grantedTo installs the plugin echo with permissions that are declared and granted,
// and others that are only declared.
func grantedTo(t *testing.T, a *testkit.App, granted ...string) holder {
	t.Helper()
	e := a.InstallEcho(t, map[string]any{"permissions": append([]string{"secrets:all"}, granted...)})
	return holder{e, tokenOf(t, e, e.ID)}
}

// tokenOf returns the platform token of an installation.
func tokenOf(t *testing.T, e *testkit.Echo, id string) string {
	t.Helper()
	e.Do(t, testkit.Request{
		Method: http.MethodGet, Path: testkit.EchoPath + "/api/x", Header: http.Header{"X-Installation-ID": {id}},
	})
	return e.Reached().Header.Get("X-Platform-Token")
}

// get asks the platform API.
func (h holder) get(t *testing.T, path string) testkit.Response {
	t.Helper()
	return h.Do(t, testkit.Get(h.token, "/api/v1/platform/"+path))
}

// key sends a request about a stored value.
func (h holder) key(t *testing.T, method, key, body string, headers ...string) testkit.Response {
	t.Helper()
	req := testkit.Request{
		Method: method, Path: "/api/v1/platform/storage/" + encoded(key), Token: h.token, Header: http.Header{},
	}
	if body != "" {
		req.Body = body
	}
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	return h.Do(t, req)
}

// encoded returns a key with every byte percent-encoded: a client of its own mind may.
func encoded(key string) string {
	var b strings.Builder
	for _, c := range []byte(key) {
		fmt.Fprintf(&b, "%%%02X", c)
	}
	return b.String()
}

// change changes an instance.
func change(t *testing.T, e *testkit.Echo, id string, to map[string]any) {
	t.Helper()
	res := e.Do(t, testkit.Patch(e.Admin.Access, "/api/v1/admin/plugins/echo/instances/"+id, to))
	if res.Status != http.StatusOK {
		t.Fatalf("change of the instance: %d %s", res.Status, res.Body)
	}
}
