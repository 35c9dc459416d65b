package httpapi_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/testkit"
)

// issuesOf returns "path code" of every issue of a VALIDATION_ERROR of either
// family.
func issuesOf(t *testing.T, res testkit.Response) []string {
	t.Helper()
	code, list := res.Text(t, "error.code"), res.Get(t, "error.details.issues")
	if list == nil {
		code, list = res.Text(t, "error"), res.Get(t, "details.issues")
	}
	if res.Status != http.StatusBadRequest || code != "VALIDATION_ERROR" {
		t.Fatalf("answer = %d %s, want 400 VALIDATION_ERROR\n%s", res.Status, code, res.Body)
	}
	var got []string
	all, _ := list.([]any)
	for _, is := range all {
		m := is.(map[string]any)
		got = append(got, m["path"].(string)+" "+m["code"].(string))
	}
	return got
}

// A violating body has every fault of want, as "path code".
type violating struct {
	method, path, body string
	want               []string
}

// wantViolations fails unless every fault of each body is named: wrong types, missing fields and the
// rules of the domain together (contract 1.4).
func wantViolations(t *testing.T, a *testkit.App, token string, tests []violating) {
	t.Helper()
	for _, tt := range tests {
		t.Run(tt.path+" "+tt.body, func(t *testing.T) {
			t.Parallel()

			res := a.Do(t, testkit.Request{Method: tt.method, Path: tt.path, Body: tt.body, Token: token})
			if diff := cmp.Diff(tt.want, issuesOf(t, res)); diff != "" {
				t.Errorf("issues (-want +got):\n%s", diff)
			}
		})
	}
}

func TestEveryViolationAboutAnAccountIsNamed(t *testing.T) {
	t.Parallel()

	a := testkit.New(t)
	admin := a.Admin(t, "root")
	user := "/api/v1/admin/users/" + admin.UserID
	wantViolations(t, a, admin.Access, []violating{
		{
			"POST", "/auth/register", `{"email":1,"username":"ab","password":"1"}`,
			[]string{"email wrong_type", "username out_of_range", "password out_of_range"},
		},
		{
			"POST", "/auth/register", `{"email":"no","username":[],"referralCode":{}}`,
			[]string{"username wrong_type", "referralCode wrong_type", "email invalid", "password required"},
		},
		{
			"POST", "/auth/register", `{"EMAIL":"a@example.com","Username":"ada","passWord":"secret"}`,
			[]string{"email required", "username required", "password required"},
		},
		{"POST", "/auth/login", `{"email":1}`, []string{"email wrong_type", "password required"}},
		{"POST", "/auth/login", `{"Email":"a@example.com","password":"secret"}`, []string{"email required"}},
		{"POST", "/auth/refresh", `{"refresh_token":true}`, []string{"refresh_token wrong_type"}},
		{"POST", "/auth/refresh", `{"refreshToken":"x"}`, []string{"refresh_token required"}},
		{
			"POST", "/auth/change-password", `{"currentPassword":1}`,
			[]string{"currentPassword wrong_type", "newPassword required"},
		},
		{
			"POST", "/auth/change-password", `{"newPassword":"short"}`,
			[]string{"currentPassword required", "newPassword out_of_range"},
		},
		{"POST", "/auth/forgot-password", `{"email":[]}`, []string{"email wrong_type"}},
		{"POST", "/auth/forgot-password", `{"email":"nobody"}`, []string{"email invalid"}},
		{
			"POST", "/auth/reset-password", `{"token":1,"newPassword":"short"}`,
			[]string{"token wrong_type", "newPassword out_of_range"},
		},
		{
			"POST", "/auth/setup", `{"token":1,"email":"no","username":"ab","password":false}`,
			[]string{"token wrong_type", "password wrong_type", "email invalid", "username out_of_range"},
		},
		{"PATCH", user, `{"active":"no","role":"KING"}`, []string{"active wrong_type", "role unknown_value"}},
		{"PATCH", user, `{"active":0,"role":1}`, []string{"active wrong_type", "role wrong_type"}},
		{"PATCH", user, `{"role":""}`, []string{"role unknown_value"}},
	})
}

func TestEveryViolationAboutPurchasesAndPluginsIsNamed(t *testing.T) {
	t.Parallel()

	a := testkit.New(t).InstallEcho(t, nil)
	wantViolations(t, a.App, a.Admin.Access, []violating{
		{
			"POST", "/api/marketplace/products/x/purchase",
			`{"tierId":1,"paymentMethod":" \t ","billingInfo":{"name":1,"email":"a\nb"}}`,
			[]string{
				"tierId wrong_type", "billingInfo.name wrong_type",
				"paymentMethod required", "billingInfo.email out_of_range",
			},
		},
		{
			"POST", "/api/marketplace/products/x/purchase", `{"billingInfo":[]}`,
			[]string{"billingInfo wrong_type", "tierId required", "paymentMethod required"},
		},
		{
			"POST", "/api/v1/admin/plugins/echo/instances",
			`{"enabled":1}`,
			[]string{"instanceKey required", "enabled wrong_type"},
		},
		{
			"POST", "/api/v1/admin/plugins/echo/instances",
			`{"InstanceKey":"b","Enabled":1,"CONFIG":1}`,
			[]string{"instanceKey required"},
		},
		{
			"POST", "/api/marketplace/products/x/activate",
			`{"licenseKey":1}`,
			[]string{"licenseKey wrong_type", "instanceId required"},
		},
	})
}

// The last of two fields with the same name counts, whatever their types.
func TestLastOfTwoFieldsCounts(t *testing.T) {
	t.Parallel()

	a := testkit.New(t)
	res := a.Send(t, "/auth/register",
		`{"email":1,"email":"ada@example.com","username":"ada","password":"secret","Email":"eve@example.com"}`)
	if got := res.Text(t, "data.user.email"); res.Status != http.StatusCreated || got != "ada@example.com" {
		t.Errorf("answer = %d %s, want the address that was given last", res.Status, res.Body)
	}
}

func TestSeveralAuthorizationHeadersAreRefused(t *testing.T) {
	t.Parallel()

	a := testkit.New(t)
	good := "Bearer " + a.Admin(t, "root").Access
	for _, values := range [][]string{{good, good}, {good, "Bearer x"}, {"Basic eDp5", good}, {good, ""}} {
		for _, path := range []string{
			"/auth/me", "/auth/sessions", "/api/v1/admin/users",
			"/api/v1/shop/plugins/x/health", "/api/v1/platform/config",
		} {
			res := a.Do(t, testkit.Request{
				Method: http.MethodGet, Path: path, Header: http.Header{"Authorization": values},
			})
			if res.Status != http.StatusUnauthorized || res.Text(t, "error.code") != "UNAUTHORIZED" {
				t.Errorf("GET %s with %d headers answers %d %s", path, len(values), res.Status, res.Body)
			}
		}
	}
}

// Requests that no HTTP client sends are refused with a reason too.
func TestBrokenRequestsAreToldWhatIsWrong(t *testing.T) {
	t.Parallel()

	a := testkit.New(t).InstallEcho(t, nil)
	admin := a.Admin
	const install = "POST /api/v1/admin/extensions/plugin/install HTTP/1.1\r\nHost: localhost\r\n" +
		"Authorization: Bearer %s\r\nContent-Length: 1000\r\nContent-Type: "
	tests := []struct {
		name, request string
		want          []string
	}{
		{
			"two lengths",
			"POST /auth/login HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
			[]string{" two_lengths"},
		},
		{
			"JSON cut short",
			"POST /auth/login HTTP/1.1\r\nHost: localhost\r\nContent-Length: 20\r\n\r\n{\"email\"",
			[]string{" unreadable"},
		},
		{
			"a plugin's request cut short",
			"POST " + testkit.EchoPath + "/api/x HTTP/1.1\r\nHost: localhost\r\nContent-Length: 20\r\n\r\nhalf",
			[]string{" unreadable"},
		},
		{
			"archive cut short",
			fmt.Sprintf(install, admin.Access) + "application/zip\r\n\r\nPK",
			[]string{" unreadable"},
		},
		{
			"form cut short",
			fmt.Sprintf(install, admin.Access) +
				"multipart/form-data; boundary=b\r\n\r\n" +
				"--b\r\nContent-Disposition: form-data; name=f; filename=f\r\n\r\nPK",
			[]string{" unreadable"},
		},
		{
			"form cut short between parts",
			fmt.Sprintf(install, admin.Access) + "multipart/form-data; boundary=b\r\n\r\n--b\r\nContent-Disp",
			[]string{" unreadable"},
		},
		{
			"form that is none",
			fmt.Sprintf(install, admin.Access) + "multipart/form-data; boundary=b\r\n\r\n--b\r\nno header\r\n\r\nx",
			[]string{" malformed"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()

			if diff := cmp.Diff(tt.want, issuesOf(t, sendRaw(t, a.App, tt.request))); diff != "" {
				t.Errorf("issues (-want +got):\n%s", diff)
			}
		})
	}
}

// sendRaw sends bytes, closes its side of the connection, and returns the
// answer.
func sendRaw(t *testing.T, a *testkit.App, request string) testkit.Response {
	t.Helper()
	var d net.Dialer
	c, err := d.DialContext(t.Context(), "tcp", strings.TrimPrefix(a.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := io.WriteString(c, request); err != nil {
		t.Fatal(err)
	}
	if err := c.(*net.TCPConn).CloseWrite(); err != nil {
		t.Fatal(err)
	}
	resp, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return testkit.Response{Status: resp.StatusCode, Header: resp.Header, Body: body}
}
