package tests

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"stoa/examples/plugins"
	"stoa/internal/trust/signing"
)

const loyaltySecret = "whsec-of-the-package"

// loyalty is the running service.
type loyalty struct {
	url    string
	client *http.Client
}

func startLoyalty(tb testing.TB) *loyalty {
	tb.Helper()
	source, err := plugins.Source("loyalty-points")
	if err != nil {
		tb.Fatal(err)
	}
	file := filepath.Join(tb.TempDir(), "service.js")
	if err := os.WriteFile(file, source, 0o600); err != nil {
		tb.Fatal(err)
	}
	cmd := exec.Command("node", file)
	cmd.Env = []string{"PORT=0", "STOA_PLUGIN_SECRET=" + loyaltySecret, "EXIT_WITH_STDIN=1"}
	cmd.Stderr = tb.Output()
	stdin, err := cmd.StdinPipe()
	if err != nil {
		tb.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		tb.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		tb.Fatal(err)
	}
	tr := &http.Transport{}
	tb.Cleanup(func() {
		tr.CloseIdleConnections()
		stdin.Close() // the service ends by itself
		if err := cmd.Wait(); err != nil {
			tb.Errorf("the service ended with %v", err)
		}
	})
	var line struct{ URL string }
	if err := json.NewDecoder(bufio.NewReader(stdout)).Decode(&line); err != nil {
		tb.Fatal(err)
	}
	return &loyalty{line.URL, &http.Client{Transport: tr, Timeout: 2 * time.Minute}}
}

// request is a signed request. change may spoil it after it was signed.
type request struct {
	method, target, body string
	headers              map[string]string
	secrets              []string
	age                  time.Duration
	change               func(*http.Request)
}

func (l *loyalty) do(tb testing.TB, r request) (int, map[string]any) {
	tb.Helper()
	headers := map[string]string{
		"x-installation-id": "i1", "x-user-id": "", "x-user-role": "guest", "x-plugin-config": "e30", "x-locale": "en",
	}
	maps.Copy(headers, r.headers)
	m := signing.Message{
		Timestamp: time.Now().Add(-r.age).UnixMilli(), Method: r.method, Target: r.target,
		Body: signing.BodyHash([]byte(r.body)),
	}
	if len(r.body) > signing.MaxSignedBody {
		m.Body = signing.UnsignedStream
	}
	for name, value := range headers {
		m.Headers = append(m.Headers, signing.Header{Name: name, Value: value})
	}
	if r.secrets == nil {
		r.secrets = []string{loyaltySecret}
	}
	req, err := http.NewRequestWithContext(tb.Context(), r.method, l.url+r.target, strings.NewReader(r.body))
	if err != nil {
		tb.Fatal(err)
	}
	for name, value := range headers {
		req.Header.Set(name, value)
	}
	req.Header.Set(signing.TimestampHeader, strconv.FormatInt(m.Timestamp, 10))
	req.Header.Set(signing.SignatureHeader, signing.Sign(r.secrets, m))
	if r.change != nil {
		r.change(req)
	}
	res, err := l.client.Do(req)
	if err != nil {
		tb.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		tb.Fatal(err)
	}
	var answer map[string]any
	if len(text) > 0 {
		if err := json.NewDecoder(bytes.NewReader(text)).Decode(&answer); err != nil {
			tb.Fatalf("%v: %s", err, text)
		}
	}
	return res.StatusCode, answer
}

func TestLoyaltyBelievesOnlyThePlatform(t *testing.T) {
	t.Parallel()
	l := startLoyalty(t)
	rules := request{method: http.MethodGet, target: "/api/rules?a=%20b&c"}
	tests := []struct {
		name   string
		change func(*request)
		want   int
	}{
		{"a signed request", func(*request) {}, 200},
		{"a value beyond ASCII", func(r *request) { r.headers = map[string]string{"x-user-id": "Grüße"} }, 200},
		{"the second of two secrets", func(r *request) { r.secrets = []string{"new-secret", loyaltySecret} }, 200},
		{
			"another header of the client",
			func(r *request) { r.change = func(q *http.Request) { q.Header.Set("X-Custom", "1") } },
			200,
		},
		{"just young enough", func(r *request) { r.age = signing.Tolerance - time.Minute }, 200},
		{"a large body, not signed", func(r *request) {
			r.method, r.target, r.body = http.MethodPost, "/api/none", `{"a":"`+strings.Repeat("x", signing.MaxSignedBody)+`"}`
		}, 404},
		{"another secret", func(r *request) { r.secrets = []string{"guessed"} }, 401},
		{"too old", func(r *request) { r.age = signing.Tolerance + time.Second }, 401},
		{"from the future", func(r *request) { r.age = -signing.Tolerance - time.Minute }, 401},
		{
			"no signature",
			func(r *request) { r.change = func(q *http.Request) { q.Header.Del(signing.SignatureHeader) } },
			401,
		},
		{
			"no timestamp",
			func(r *request) { r.change = func(q *http.Request) { q.Header.Del(signing.TimestampHeader) } },
			401,
		},
		{
			"a changed header",
			func(r *request) { r.change = func(q *http.Request) { q.Header.Set("X-User-Role", "admin") } },
			401,
		},
		{"an added header", func(r *request) { r.change = func(q *http.Request) { q.Header.Set("X-Tenant-Id", "i2") } }, 401},
		{"a removed header", func(r *request) { r.change = func(q *http.Request) { q.Header.Del("X-User-Id") } }, 401},
		{"a changed query", func(r *request) { r.change = func(q *http.Request) { q.URL.RawQuery = "a=2" } }, 401},
		{"a changed method", func(r *request) { r.change = func(q *http.Request) { q.Method = http.MethodPut } }, 401},
		{"a changed body", func(r *request) {
			r.method, r.body = http.MethodPost, "{}"
			r.change = func(q *http.Request) { q.Body = io.NopCloser(strings.NewReader("[]")) }
		}, 401},
	}
	for _, tt := range tests {
		r := rules
		tt.change(&r)
		if status, answer := l.do(t, r); status != tt.want {
			t.Errorf("%s: got %d %v, want %d", tt.name, status, answer, tt.want)
		}
	}
}

func TestLoyaltyPoints(t *testing.T) {
	t.Parallel()
	l := startLoyalty(t)
	admin := map[string]string{"x-user-id": "boss", "x-user-role": "admin"}
	ada := map[string]string{"x-user-id": "ada", "x-user-role": "customer"}
	adaElsewhere := map[string]string{"x-user-id": "ada", "x-user-role": "customer", "x-installation-id": "i2"}

	steps := []struct {
		name    string
		request request
		status  int
		points  any
	}{
		{"guests have no points", request{method: "GET", target: "/api/balance"}, 401, nil},
		{
			"customers cannot give points",
			request{method: "POST", target: "/api/earn", headers: ada, body: `{"userId":"ada","orderId":"A-1","amount":25}`},
			403,
			nil,
		},
		{
			"the shop gives points",
			request{method: "POST", target: "/api/earn", headers: admin, body: `{"userId":"ada","orderId":"A-1","amount":25}`},
			201,
			250.0,
		},
		{
			"an order counts once",
			request{method: "POST", target: "/api/earn", headers: admin, body: `{"userId":"ada","orderId":"A-1","amount":25}`},
			200,
			250.0,
		},
		{
			"bad orders are refused",
			request{method: "POST", target: "/api/earn", headers: admin, body: `{"userId":"ada","orderId":"A-2","amount":-1}`},
			400,
			nil,
		},
		{"the balance", request{method: "GET", target: "/api/balance", headers: ada}, 200, 250.0},
		{
			"another installation is another tenant",
			request{method: "GET", target: "/api/balance", headers: adaElsewhere},
			200,
			0.0,
		},
		{"too many points", request{method: "POST", target: "/api/redeem", headers: ada, body: `{"points":251}`}, 409, nil},
		{
			"points are spent",
			request{method: "POST", target: "/api/redeem", headers: ada, body: `{"points":100,"orderId":"A-3"}`},
			200,
			150.0,
		},
		{"not JSON", request{method: "POST", target: "/api/redeem", headers: ada, body: `{`}, 400, nil},
		{
			"uninstalling",
			request{method: "POST", target: "/__lifecycle/onUninstall", body: `{"installationId":"i1"}`},
			204,
			nil,
		},
		{
			"uninstalling again",
			request{method: "POST", target: "/__lifecycle/onUninstall", body: `{"installationId":"i1"}`},
			204,
			nil,
		},
		{"nothing is left", request{method: "GET", target: "/api/balance", headers: ada}, 200, 0.0},
		{
			"health needs no signature",
			request{method: "GET", target: "/health", change: func(q *http.Request) { q.Header = http.Header{} }},
			200,
			nil,
		},
	}
	for _, s := range steps {
		status, answer := l.do(t, s.request)
		if status != s.status || s.points != nil && answer["points"] != s.points {
			t.Errorf("%s: got %d %v, want %d with %v points", s.name, status, answer, s.status, s.points)
		}
	}
}
