// Package smtptest gives tests a real SMTP server with STARTTLS, TLS and
// authentication: Debian's python3-aiosmtpd in a separate process.
package smtptest

import (
	"bufio"
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	_ "embed"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"mime/quotedprintable"
	"net"
	"net/mail"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"stoa/internal/testkit/needtest"
)

//go:embed server.py
var program string

// Options are the options of a server.
type Options struct {
	TLS            string // "" (none), "starttls" (required) or "implicit"
	User, Password string // required of clients, if set
}

// Server is an SMTP server on 127.0.0.1.
type Server struct {
	Port int
	// Roots has the authority that signed the server's certificate, which is for the
	// address 127.0.0.1. RootsFile is the same in PEM.
	Roots     *x509.CertPool
	RootsFile string

	events chan Event
}

// Event is an event at the server.
type Event struct {
	Mail    *Mail  `json:"mail"`
	Refused string `json:"refused"` // a recipient, for now
	Auth    string `json:"auth"`    // a mechanism that a client tried
	OK      bool   `json:"ok"`      // with success
	Port    int    `json:"port"`
}

// Mail is a mail that the server has accepted.
type Mail struct {
	From string   `json:"from"`
	To   []string `json:"to"`
	TLS  bool     `json:"tls"`
	User string   `json:"user"`
	Data []byte   `json:"data"`
}

// Message parses the mail.
func (m Mail) Message(tb testing.TB) *mail.Message {
	tb.Helper()
	msg, err := mail.ReadMessage(bytes.NewReader(m.Data))
	if err != nil {
		tb.Fatalf("smtptest: %v\n%s", err, m.Data)
	}
	return msg
}

// Text returns the decoded text of the mail, with line feeds.
func (m Mail) Text(tb testing.TB) string {
	tb.Helper()
	text, err := io.ReadAll(quotedprintable.NewReader(m.Message(tb).Body))
	if err != nil {
		tb.Fatalf("smtptest: %v\n%s", err, m.Data)
	}
	return strings.ReplaceAll(string(text), "\r\n", "\n")
}

// URL returns the STOA_SMTP_URL for this server without TLS.
func (s *Server) URL(user string) string {
	u := url.URL{Scheme: "smtp", Host: fmt.Sprintf("127.0.0.1:%d", s.Port)}
	if user != "" {
		u.User = url.User(user)
	}
	return u.String()
}

// New starts a server that ends with the test. If aiosmtpd is not installed, the test is
// skipped, or fails in CI.
func New(tb testing.TB, o Options) *Server {
	tb.Helper()
	s := &Server{events: make(chan Event, 100)}
	dir := tb.TempDir()
	cert, key := filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	s.certify(tb, cert, key)
	settings, err := json.Marshal(map[string]string{
		"tls": o.TLS, "user": o.User, "password": o.Password, "cert": cert,
		"key": key,
	})
	if err != nil {
		tb.Fatal(err)
	}
	cmd := exec.CommandContext(context.WithoutCancel(tb.Context()), python(tb), "-c", program)
	cmd.Stderr = tb.Output()
	in, err1 := cmd.StdinPipe()
	out, err2 := cmd.StdoutPipe()
	if err1 != nil || err2 != nil {
		tb.Fatal(err1, err2)
	}
	if err := cmd.Start(); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		_ = in.Close() // which ends it
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	go func() {
		defer close(s.events)
		for lines := bufio.NewScanner(out); lines.Scan(); {
			var e Event
			if json.Unmarshal(lines.Bytes(), &e) == nil {
				s.events <- e
			}
		}
	}()
	fmt.Fprintf(in, "%s\n", settings)
	s.Port = s.Next(tb).Port
	return s
}

// Next waits for the next event.
func (s *Server) Next(tb testing.TB) Event {
	tb.Helper()
	select {
	case e, ok := <-s.events:
		if !ok {
			tb.Fatal("smtptest: the server has ended")
		}
		return e
	case <-time.After(2 * time.Minute):
		tb.Fatal("smtptest: nothing happened in two minutes")
		return Event{}
	}
}

// NextMail waits for the next mail, and skips other events.
func (s *Server) NextMail(tb testing.TB) Mail {
	tb.Helper()
	for {
		if e := s.Next(tb); e.Mail != nil {
			return *e.Mail
		}
	}
}

// Each has heard told of every mail that comes from now on, until the server ends. Nothing else may wait for events
// then.
func (s *Server) Each(heard func(Mail)) {
	go func() { // ends with the server, whose end closes events
		for e := range s.events {
			if e.Mail != nil {
				heard(*e.Mail)
			}
		}
	}()
}

// python returns a Python that has aiosmtpd. Debian's package is for Debian's Python,
// which need not be the first one in PATH.
func python(tb testing.TB) string {
	tb.Helper()
	for _, path := range []string{"/usr/bin/python3", "python3"} {
		if exec.CommandContext(tb.Context(), path, "-c", "import aiosmtpd").Run() == nil {
			return path
		}
	}
	needtest.Lacks(tb, "aiosmtpd is not installed (Debian: apt-get install python3-aiosmtpd)")
	return ""
}

// certify creates an authority and a certificate for 127.0.0.1 signed by it.
func (s *Server) certify(tb testing.TB, cert, key string) {
	tb.Helper()
	check := func(err error) {
		if err != nil {
			tb.Fatal(err)
		}
	}
	write := func(path, kind string, der []byte) {
		check(os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600))
	}
	now := time.Now()
	authority := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "smtptest authority"}, NotBefore: now.Add(-time.Hour),
		NotAfter: now.Add(time.Hour),
		IsCA:     true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	authorityKey, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	check(err)
	authorityDER, err := x509.CreateCertificate(rand.Reader, authority, authority, &authorityKey.PublicKey, authorityKey)
	check(err)
	parsed, err := x509.ParseCertificate(authorityDER)
	check(err)
	s.Roots = x509.NewCertPool()
	s.Roots.AddCert(parsed)
	s.RootsFile = cert + ".authority"
	write(s.RootsFile, "CERTIFICATE", authorityDER)

	leaf := &x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: "smtptest"}, NotBefore: authority.NotBefore,
		NotAfter:    authority.NotAfter,
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, KeyUsage: x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	leafKey, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	check(err)
	leafDER, err := x509.CreateCertificate(rand.Reader, leaf, parsed, &leafKey.PublicKey, authorityKey)
	check(err)
	write(cert, "CERTIFICATE", leafDER)
	keyDER, err := x509.MarshalPKCS8PrivateKey(leafKey)
	check(err)
	write(key, "PRIVATE KEY", keyDER)
}
