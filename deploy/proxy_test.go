package deploy

import (
	"bufio"
	"cmp"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"stoa.example/sdk/go/plugin"

	"stoa/internal/testkit/needtest"
	"stoa/internal/testkit/porttest"
	"stoa/internal/testkit/ziptest"
)

// clientAddr is the address of the tests' clients: another one than the proxies'.
const clientAddr = "127.0.0.2"

// The examples of nginx and Caddy leave what stoa signs as it is, and streams, and tell the
// client's address.
func TestProxiesPassOnWhatStoaSignsAndStreams(t *testing.T) {
	needtest.Long(t, "two proxies")
	t.Parallel()

	for _, proxy := range []struct {
		name  string
		start func(testing.TB, site) string
	}{{"nginx", startNginx}, {"caddy", startCaddy}} {
		t.Run(proxy.name, func(t *testing.T) {
			t.Parallel()
			needtest.Program(t, proxy.name, "run scripts/test-deps")

			public := "https://shop.example.com"
			direct := serve(t, "STOA_PUBLIC_URL="+public, "STOA_PAYMENTS=test", "STOA_TRUSTED_PROXIES=127.0.0.1/32",
				"STOA_EXTERNAL_ALLOW=127.0.0.0/8")
			s := newSite(t, direct.URL)
			addr := proxy.start(t, s)
			through := &shop{URL: public, client: s.through(addr)}
			echo := installEcho(t, direct)

			t.Run("signature and path", func(t *testing.T) { testSignedPath(t, through, echo) })
			t.Run("events", func(t *testing.T) { testEvents(t, through, echo) })
			t.Run("websocket", func(t *testing.T) { testWebSocket(t, s, addr) })
			t.Run("upload", func(t *testing.T) { testUpload(t, through) })
			t.Run("address", func(t *testing.T) { testAddress(t, through, echo) })
		})
	}
}

const echoPath = "/api/v1/shop/plugins/echo"

// echo is an external plugin that checks signatures.
type echo struct {
	verifier *plugin.Verifier
	seen     chan *http.Request
	proceed  chan struct{} // lets the stream go on
}

// installEcho installs the plugin.
func installEcho(tb testing.TB, s *shop) *echo {
	tb.Helper()
	e := &echo{verifier: &plugin.Verifier{UnsignedBodies: true}, seen: make(chan *http.Request, 16)}
	e.proceed = make(chan struct{})
	srv := httptest.NewServer(e)
	tb.Cleanup(srv.Close)
	admin := s.admin(tb)
	s.install(tb, admin, ziptest.Plugin(tb, map[string]any{
		"schemaVersion": 1, "slug": "echo", "name": "Echo", "version": "1.0.0", "author": "stoa",
		"description": "Answers with what it gets.", "category": "test", "runtimeType": "external-http",
		"externalBaseUrl": srv.URL, "permissions": []string{}, "capabilities": []string{},
	}, nil))
	e.verifier.Secrets = []string{s.secret(tb, admin, "echo")}
	return e
}

// ServeHTTP answers calls that stoa signed, and 401 to others.
func (e *echo) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/health" {
		return
	}
	if err := e.verifier.Verify(r); err != nil {
		http.Error(w, err.Error(), http.StatusUnauthorized)
		return
	}
	switch {
	case r.Header.Get("Upgrade") != "":
		conn, rw, err := http.NewResponseController(w).Hijack()
		if err != nil {
			return
		}
		defer conn.Close()
		fmt.Fprint(conn, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n")
		_, _ = io.Copy(conn, rw)
	case strings.HasSuffix(r.URL.Path, "/events"):
		w.Header().Set("Content-Type", r.URL.Query().Get("type"))
		for i := range 3 {
			fmt.Fprintf(w, "data: %d\n\n", i)
			_ = http.NewResponseController(w).Flush()
			<-e.proceed
		}
	default:
		e.seen <- r.Clone(context.WithoutCancel(r.Context()))
		_, _ = io.Copy(w, r.Body)
	}
}

// A proxy that decodes or cleans the path breaks the signature that the client's own signature or
// stoa's covers; so does one that changes the body.
func testSignedPath(t *testing.T, through *shop, e *echo) {
	for _, path := range []string{"/api/a%2Fb/c?x=1%2F2&y=a+b", "/api/%C3%A9~%7E;v=1/d?q=%20", "/api/y?"} {
		body := []byte("caf\xc3\xa9 \x00\xff")
		got := through.do(t, http.StatusOK, http.MethodPost, echoPath+path, "", body, "application/octet-stream")
		if string(got) != string(body) {
			t.Errorf("%s: the body came back as %q", path, got)
		}
		if r := <-e.seen; r.RequestURI != path {
			t.Errorf("the plugin got %q, want %q", r.RequestURI, path)
		}
	}
}

// The plugin goes on only when the client has the event before: what a proxy keeps back never
// comes.
func testEvents(t *testing.T, through *shop, e *echo) {
	for _, contentType := range []string{"text/event-stream", "application/x-ndjson"} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet,
			through.URL+echoPath+"/api/events?type="+url.QueryEscape(contentType), http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := through.client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewReader(resp.Body)
		for i := range 3 {
			line, err := lines.ReadString('\n')
			if want := fmt.Sprintf("data: %d\n", i); line != want || err != nil {
				t.Fatalf("%s: got %q, %v, want %q", contentType, line, err, want)
			}
			_, _ = lines.ReadString('\n')
			e.proceed <- struct{}{}
		}
		resp.Body.Close()
	}
}

func testWebSocket(t *testing.T, s site, addr string) {
	conn, err := (&tls.Dialer{Config: &tls.Config{
		RootCAs: s.roots, ServerName: "shop.example.com", NextProtos: []string{"http/1.1"}, MinVersion: tls.VersionTLS12,
	}}).DialContext(t.Context(), "tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprint(conn, "GET "+echoPath+"/api/socket HTTP/1.1\r\nHost: shop.example.com\r\n"+
		"Connection: keep-alive, Upgrade\r\nUpgrade: websocket\r\n"+
		"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n")
	answers := bufio.NewReader(conn)
	answer, err := http.ReadResponse(answers, nil)
	if err != nil || answer.StatusCode != http.StatusSwitchingProtocols {
		t.Fatalf("answer = %v, %v", answer, err)
	}
	for _, message := range []string{"\x81\x05hello", "\x82\x7e\x01\x00" + strings.Repeat("\xff", 256)} {
		if _, err := io.WriteString(conn, message); err != nil {
			t.Fatal(err)
		}
		got := make([]byte, len(message))
		if _, err := io.ReadFull(answers, got); err != nil || string(got) != message {
			t.Fatalf("echo = %q, %v, want %q", got, err, message)
		}
	}
}

// An archive of more than 20 MiB, which nginx refuses beyond 1 MiB unless told otherwise.
func testUpload(t *testing.T, through *shop) {
	noise := make([]byte, 7<<20)
	files := map[string]string{"index.js": "module.exports = async () => {}\n"}
	for i := range 3 {
		if _, err := rand.Read(noise); err != nil {
			t.Fatal(err)
		}
		files[fmt.Sprintf("data%d.json", i)] = string(noise)
	}
	archive := ziptest.Plugin(t, map[string]any{
		"schemaVersion": 1, "slug": "large", "name": "Large", "version": "1.0.0", "author": "stoa",
		"description": "Is large.", "category": "test", "runtimeType": "internal-fastify", "entryModule": "index.js",
		"permissions": []string{}, "capabilities": []string{},
	}, files)
	if len(archive) <= 20<<20 {
		t.Fatalf("the archive has %d bytes", len(archive))
	}
	through.install(t, through.admin(t), archive)
}

// The client's address is the proxy's word for it, and no client's own.
func testAddress(t *testing.T, through *shop, e *echo) {
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, through.URL+echoPath+"/api/me", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("X-Forwarded-For", "203.0.113.9")
	req.Header.Set("X-Real-IP", "203.0.113.9")
	req.Header.Set("Forwarded", "for=203.0.113.9")
	resp, err := through.client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	r := <-e.seen
	if got := r.Header.Get("X-Forwarded-For"); got != clientAddr {
		t.Errorf("the plugin was told the address %q, want %q", got, clientAddr)
	}
	if got := r.Header.Get("X-Forwarded-Proto"); got != "https" {
		t.Errorf("the plugin was told the scheme %q, want https", got)
	}
}

// site is what an example needs to be a proxy of a test.
type site struct {
	dir      string
	upstream string // host:port of stoa
	addr     string // where nginx listens; empty for anywhere
	cert     string
	key      string
	roots    *x509.CertPool
}

// newSite makes a certificate for shop.example.com.
func newSite(tb testing.TB, stoaURL string) site {
	tb.Helper()
	dir := tb.TempDir()
	s := site{
		dir: dir, upstream: strings.TrimPrefix(stoaURL, "http://"), cert: filepath.Join(dir, "cert.pem"),
		key: filepath.Join(dir, "key.pem"), roots: x509.NewCertPool(),
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		tb.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "shop.example.com"},
		DNSNames: []string{"shop.example.com"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		tb.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		tb.Fatal(err)
	}
	cert := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	s.roots.AppendCertsFromPEM(cert)
	write(tb, s.cert, string(cert))
	write(tb, s.key, string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret})))
	return s
}

// through returns a client that takes addr for shop.example.com.
func (s site) through(addr string) *http.Client {
	from := &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(clientAddr)}}
	return newClient(&http.Transport{
		DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return from.DialContext(ctx, network, addr)
		},
		TLSClientConfig:   &tls.Config{RootCAs: s.roots, MinVersion: tls.VersionTLS12},
		ForceAttemptHTTP2: true,
	})
}

// startNginx starts nginx with the example, except for addresses and files, and returns where it
// listens.
func startNginx(tb testing.TB, s site) string {
	tb.Helper()
	addr := cmp.Or(s.addr, porttest.Free(tb))
	conf := replace(tb, "nginx/stoa.conf",
		"    listen 80;\n    listen [::]:80;\n", "    listen "+porttest.Free(tb)+";\n",
		"    listen 443 ssl http2;\n    listen [::]:443 ssl http2;\n", "    listen "+addr+" ssl http2;\n",
		"server 127.0.0.1:8080 max_fails=0;", "server "+s.upstream+" max_fails=0;",
		"/etc/ssl/stoa/fullchain.pem", s.cert, "/etc/ssl/stoa/privkey.pem", s.key)
	write(tb, filepath.Join(s.dir, "stoa.conf"), conf)
	main := filepath.Join(s.dir, "nginx.conf")
	write(tb, main, fmt.Sprintf(`daemon off; pid %[1]s/nginx.pid; error_log stderr notice;
events { }
http {
  access_log off; client_body_temp_path %[1]s/body; proxy_temp_path %[1]s/proxy;
  fastcgi_temp_path %[1]s/f; uwsgi_temp_path %[1]s/u; scgi_temp_path %[1]s/s;
  include %[1]s/stoa.conf;
}
`, s.dir))
	cmd := exec.Command("nginx", "-p", s.dir, "-c", main, "-e", "stderr", "-g", "user root;")
	if os.Getuid() != 0 {
		cmd.Args = cmd.Args[:len(cmd.Args)-2]
	}
	await(tb, cmd, regexp.MustCompile(`(start worker process) `))
	return addr
}

// startCaddy starts Caddy with the example, except for addresses and the certificate.
func startCaddy(tb testing.TB, s site) string {
	tb.Helper()
	addr := porttest.Free(tb)
	_, port, _ := net.SplitHostPort(addr)
	conf := replace(tb, "caddy/Caddyfile",
		"shop.example.com {\n", fmt.Sprintf("{\n\tadmin off\n\tauto_https off\n}\n"+
			"https://shop.example.com:%s {\n\tbind 127.0.0.1\n\ttls %s %s\n", port, s.cert, s.key),
		"reverse_proxy 127.0.0.1:8080 {", "reverse_proxy "+s.upstream+" {")
	main := filepath.Join(s.dir, "Caddyfile")
	write(tb, main, conf)
	cmd := exec.Command("caddy", "run", "--config", main, "--adapter", "caddyfile")
	cmd.Env = append(os.Environ(), "XDG_CONFIG_HOME="+s.dir, "XDG_DATA_HOME="+s.dir)
	await(tb, cmd, regexp.MustCompile(`(serving initial configuration)`))
	return addr
}

// replace returns the text of an example with each odd text in place of the one before, which
// must be there.
func replace(tb testing.TB, file string, pairs ...string) string {
	tb.Helper()
	content, err := os.ReadFile(file)
	if err != nil {
		tb.Fatal(err)
	}
	text := string(content)
	for i := 0; i < len(pairs); i += 2 {
		if !strings.Contains(text, pairs[i]) {
			tb.Fatalf("%s has no %q", file, pairs[i])
		}
		text = strings.ReplaceAll(text, pairs[i], pairs[i+1])
	}
	return text
}

func write(tb testing.TB, path, text string) {
	tb.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		tb.Fatal(err)
	}
}
