package compat_test

import (
	"bufio"
	"bytes"
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"io"
	"mime/multipart"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
)

func TestEcosystem(t *testing.T) {
	t.Parallel()
	eachHost(t, func(t *testing.T, h *host) {
		content := bundled(t, "ecosystem.js")
		page, err := os.ReadFile("plugins/public/hello.html")
		if err != nil {
			t.Fatal(err)
		}
		content["public/hello.html"] = string(page)
		content["public/app.js"] = strings.Repeat("x", 100<<10)
		s := h.install(t, "ecosystem", content, `{"zone":"UTC"}`)
		s.get(t, "/api/alarm").want(t, 200, "at 12:00 UTC")
		for name, test := range map[string]func(*testing.T, *site){
			"cors": testCORS, "cookie": testCookie, "formbody": testForm, "multipart": testUpload,
			"static": testStatic, "websocket": testSocket, "rate-limit": testRateLimit,
		} {
			t.Run(name, func(t *testing.T) { test(t, s) })
		}
	})
}

func testCORS(t *testing.T, s *site) {
	for origin, want := range map[string]string{
		"https://partner.example": "https://partner.example",
		"https://evil.example":    "",
	} {
		if res := s.get(t, "/api/alarm", "Origin", origin); res.header.Get("Access-Control-Allow-Origin") != want {
			t.Errorf("%s: %v", origin, res.header)
		}
	}
	res := s.do(t, "OPTIONS", "/api/alarm", "", "Origin", "https://partner.example", "Access-Control-Request-Method",
		"PUT")
	if res.status != 204 || res.header.Get("Access-Control-Allow-Methods") != "GET, PUT" ||
		res.header.Get("Access-Control-Allow-Credentials") != "true" {
		t.Errorf("preflight: %d %v", res.status, res.header)
	}
}

func testCookie(t *testing.T, s *site) {
	first := s.get(t, "/api/cookies", "Cookie", "visits=41; other=x")
	first.want(t, 200, `{"cookies":{"visits":"41","other":"x"},"signed":null}`)
	set := first.header.Values("Set-Cookie")
	if len(set) != 2 || set[0] != "visits=42; Path=/; HttpOnly; SameSite=Lax" {
		t.Fatalf("Set-Cookie: %q", set)
	}
	signed, _, _ := strings.Cut(set[1], ";")
	s.get(t, "/api/cookies", "Cookie", signed).want(t, 200, `"signed":{"valid":true,"renew":false,"value":"ada"}`)
	s.get(t, "/api/cookies", "Cookie", signed+"x").want(t, 200, `"valid":false`)
}

func testForm(t *testing.T, s *site) {
	s.do(t, "POST", "/api/form", "a=1&a=2&name=Ada+L%C3%B6", "Content-Type", "application/x-www-form-urlencoded").want(t,
		200, `{"a":["1","2"],"name":"Ada Lö"}`)
}

func testUpload(t *testing.T, s *site) {
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	_ = form.WriteField("title", "a picture")
	part, err := form.CreateFormFile("file", "päth/pic.bin")
	if err != nil {
		t.Fatal(err)
	}
	bytesOf := make([]byte, 700<<10)
	rand.Read(bytesOf)
	bytesOf[len(bytesOf)-1] = 7
	if _, err := part.Write(bytesOf); err != nil {
		t.Fatal(err)
	}
	_ = form.Close()
	res := s.do(t, "POST", "/api/upload", body.String(), "Content-Type", form.FormDataContentType())
	res.want(t, 200, `{"field":"title","value":"a picture"}`)
	res.want(t, 200, fmt.Sprintf(`"type":"application/octet-stream","size":%d,"last":7}`, len(bytesOf)))

	res = s.do(t, "POST", "/api/save", body.String(), "Content-Type", form.FormDataContentType())
	res.want(t, 200, fmt.Sprintf(`{"size":%d,"all":["last"]}`, len(bytesOf)))

	body.Reset()
	form = multipart.NewWriter(&body)
	part, _ = form.CreateFormFile("file", "big.bin")
	_, _ = part.Write(make([]byte, 1<<20+1))
	_ = form.Close()
	s.do(t, "POST", "/api/upload", body.String(), "Content-Type", form.FormDataContentType()).want(t, 413,
		"file too large")
}

func testStatic(t *testing.T, s *site) {
	page := s.get(t, "/api/files/hello.html")
	page.want(t, 200, "<h1>Hello</h1>")
	if page.header.Get("Content-Type") != "text/html; charset=utf-8" || page.header.Get("Etag") == "" {
		t.Errorf("headers: %v", page.header)
	}
	if again := s.get(t, "/api/files/hello.html", "If-None-Match", page.header.Get("Etag")); again.status != 304 {
		t.Errorf("with its ETag: %d", again.status)
	}
	if part := s.get(t, "/api/files/app.js", "Range", "bytes=10-19"); part.status != 206 || part.body != "xxxxxxxxxx" {
		t.Errorf("a range: %+v", part)
	}
	for _, path := range []string{"/api/files/none.js", "/api/files/%2e%2e/index.js", "/api/files/..%2findex.js"} {
		if res := s.get(t, path); res.status != 404 && res.status != 403 {
			t.Errorf("%s: %d", path, res.status)
		}
	}
}

func testRateLimit(t *testing.T, s *site) {
	for i := range 4 {
		res := s.get(t, "/api/limited")
		if i < 3 {
			res.want(t, 200, `{"ip":"203.0.113.9"}`)
		} else {
			res.want(t, 429, "Rate limit exceeded")
		}
	}
}

// testSocket speaks WebSocket by hand: a client of the same making as the server
// would agree with its mistakes.
func testSocket(t *testing.T, s *site) {
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	key := make([]byte, 16)
	rand.Read(key)
	fmt.Fprintf(conn, "GET /api/socket?name=ada HTTP/1.1\r\nHost: shop\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"+
		"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: %s\r\n\r\n", base64.StdEncoding.EncodeToString(key))
	in := bufio.NewReader(conn)
	res, err := http.ReadResponse(in, nil)
	if err != nil || res.StatusCode != http.StatusSwitchingProtocols {
		t.Fatalf("handshake: %+v, %v", res, err)
	}
	send := func(opcode byte, text string) {
		frame := []byte{0x80 | opcode, 0x80 | byte(len(text)), 1, 2, 3, 4}
		for i := range len(text) {
			frame = append(frame, text[i]^byte(i%4+1))
		}
		if _, err := conn.Write(frame); err != nil {
			t.Fatal(err)
		}
	}
	want := func(opcode byte, text string) {
		t.Helper()
		head := make([]byte, 2)
		if _, err := io.ReadFull(in, head); err != nil {
			t.Fatal(err)
		}
		got := make([]byte, head[1])
		if _, err := io.ReadFull(in, got); err != nil || head[0] != 0x80|opcode || string(got) != text {
			t.Errorf("got %x %q, %v; want %x %q", head, got, err, 0x80|opcode, text)
		}
	}
	send(1, "hello")
	want(1, "ada: hello")
	send(2, "\x00\xff")
	want(2, "\x00\xff")
	send(9, "ping")
	want(10, "ping")
	send(8, "\x03\xe8")
	want(8, "\x03\xe8")
}

func TestExpressInside(t *testing.T) {
	t.Parallel()
	eachHost(t, func(t *testing.T, h *host) {
		s := h.install(t, "express", bundled(t, "express.js"), "")
		res := s.get(t, "/api/express/hello/Ada?x=1")
		res.want(t, 200, `{"hello":"Ada","query":{"x":"1"},"ip":"203.0.113.9","base":"/api/express"}`)
		if res.header.Get("X-Middleware") != "1" {
			t.Error("Express's middleware did not run")
		}
		s.do(t, "POST", "/api/express/orders", `{"sku":"a"}`, "Content-Type", "application/json").want(t, 201,
			`{"got":{"sku":"a"}}`)
		s.get(t, "/api/express/fails").want(t, 500, `{"caught":"express failed"}`)
		s.get(t, "/api/fastify").want(t, 200, "beside it")
		s.get(t, "/health").want(t, 404, "/health not found") // its own, for which the gateway answers

		s = h.install(t, "middie", bundled(t, "middie.js"), "")
		s.get(t, "/api/guarded").want(t, 403, "no pass")
		s.get(t, "/api/guarded", "X-Pass", "yes").want(t, 200, "welcome")
		if res := s.get(t, "/api/open"); res.body != "open" || res.header.Get("X-First") != "/api/open" {
			t.Errorf("open: %+v", res)
		}
	})
}
