package mail

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"strings"
	"testing"
	"time"

	"stoa/internal/testkit/logtest"
	"stoa/internal/testkit/smtptest"
	"stoa/internal/testkit/waittest"
)

const from = "Stoá Shop <no-reply@shop.example.com>"

var hello = Message{
	To: "ada@example.com", Subject: "Grüße 😀",
	Text: "First line, äöü.\n\n.\nhttps://shop.example.com/reset-password#" + strings.Repeat("x", 90) + "\n",
}

func newSMTP(tb testing.TB, s *smtptest.Server, form, password string) *SMTP {
	tb.Helper()
	out, err := NewSMTP(fmt.Sprintf(form, s.Port), password, from)
	if err != nil {
		tb.Fatal(err)
	}
	out.Roots, out.within = s.Roots, time.Minute // a busy machine is not the server's fault
	return out
}

func TestSMTPDeliversToARealServer(t *testing.T) {
	t.Parallel()

	tests := []struct {
		name    string
		server  smtptest.Options
		url     string
		wantTLS bool
	}{
		{"plain on loopback", smtptest.Options{}, "smtp://127.0.0.1:%d", false},
		{
			"plain on loopback, signed in",
			smtptest.Options{User: "ada", Password: "pass word"},
			"smtp://ada@127.0.0.1:%d",
			false,
		},
		{"STARTTLS", smtptest.Options{TLS: "starttls"}, "smtp://127.0.0.1:%d?starttls=required", true},
		{
			"STARTTLS, signed in",
			smtptest.Options{TLS: "starttls", User: "ada@example.com", Password: "pass word"},
			"smtp://ada%%40example.com@127.0.0.1:%d?starttls=required", true,
		},
		{"TLS from the first byte", smtptest.Options{TLS: "implicit"}, "smtps://127.0.0.1:%d", true},
		{
			"TLS from the first byte, signed in",
			smtptest.Options{TLS: "implicit", User: "ada", Password: "pass word"},
			"smtps://ada@127.0.0.1:%d", true,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()

			server := smtptest.New(t, tt.server)
			if err := newSMTP(t, server, tt.url, tt.server.Password).Send(t.Context(), hello); err != nil {
				t.Fatal(err)
			}
			got := server.NextMail(t)
			if got.From != "no-reply@shop.example.com" || len(got.To) != 1 || got.To[0] != hello.To || got.TLS != tt.wantTLS ||
				got.User != tt.server.User {
				t.Errorf("envelope = %+v", got)
			}
			mustRead(t, got, hello)
		})
	}
}

// mustRead checks the mail that arrives.
func mustRead(t *testing.T, got smtptest.Mail, want Message) {
	t.Helper()
	msg := got.Message(t)
	if text := got.Text(t); strings.TrimSpace(text) != strings.TrimSpace(want.Text) {
		t.Errorf("text = %q, want %q", text, want.Text)
	}
	subject, err := new(mime.WordDecoder).DecodeHeader(msg.Header.Get("Subject"))
	if err != nil || subject != want.Subject {
		t.Errorf("subject = %q, %v; want %q", subject, err, want.Subject)
	}
	for name, want := range map[string]string{
		"To":             "<" + want.To + ">",
		"Auto-Submitted": "auto-generated", "Content-Type": "text/plain; charset=UTF-8",
	} {
		if got := msg.Header.Get(name); got != want {
			t.Errorf("%s = %q, want %q", name, got, want)
		}
	}
	sender, err := msg.Header.AddressList("From")
	if err != nil || len(sender) != 1 || sender[0].Name != "Stoá Shop" {
		t.Errorf("From = %v, %v", sender, err)
	}
	if id := msg.Header.Get("Message-ID"); !strings.HasSuffix(id, "@shop.example.com>") {
		t.Errorf("Message-ID = %q reveals more than the sender's domain", id)
	}
}

func TestSMTPSendsNothingWithoutTLSWhereItIsRequired(t *testing.T) {
	t.Parallel()

	server := smtptest.New(t, smtptest.Options{User: "ada", Password: "secret"}) // offers no STARTTLS
	sender := newSMTP(t, server, "smtp://ada@127.0.0.1:%d?starttls=required", "secret")
	if err := sender.Send(t.Context(), hello); err == nil || !strings.Contains(err.Error(), "STARTTLS") {
		t.Errorf("Send = %v, want an error about STARTTLS", err)
	}
	// This is the next event at the server: it has seen neither a password nor a mail.
	if err := newSMTP(t, server, "smtp://ada@127.0.0.1:%d", "wrong").Send(t.Context(), hello); err == nil {
		t.Error("a wrong password was taken")
	}
	if e := server.Next(t); e.Auth == "" || e.OK {
		t.Errorf("first event = %+v, want the wrong password", e)
	}
}

func TestSMTPVerifiesTheCertificate(t *testing.T) {
	t.Parallel()

	for name, tt := range map[string]struct{ tls, url string }{
		"STARTTLS":         {"starttls", "smtp://ada@127.0.0.1:%d?starttls=required"},
		"implicit":         {"implicit", "smtps://ada@127.0.0.1:%d"},
		"of another name":  {"implicit", "smtps://ada@localhost:%d"},
		"STARTTLS, other ": {"starttls", "smtp://ada@localhost:%d?starttls=required"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			server := smtptest.New(t, smtptest.Options{TLS: tt.tls, User: "ada", Password: "secret"})
			sender := newSMTP(t, server, tt.url, "secret")
			if !strings.Contains(tt.url, "localhost") {
				sender.Roots = nil // the system's do not include the test's authority
			}
			if err := sender.Send(t.Context(), hello); err == nil || !strings.Contains(err.Error(), "certificate") {
				t.Errorf("Send = %v, want an error about the certificate", err)
			}
		})
	}
}

func TestSMTPTellsPermanentFailures(t *testing.T) {
	t.Parallel()

	server := smtptest.New(t, smtptest.Options{})
	sender := newSMTP(t, server, "smtp://127.0.0.1:%d", "")
	for to, permanent := range map[string]bool{"nobody@example.com": true, "later@example.com": false} {
		err := sender.Send(t.Context(), Message{To: to, Subject: "x", Text: "the secret link"})
		if err == nil || errors.Is(err, ErrPermanent) != permanent {
			t.Errorf("%s: Send = %v, want permanent %v", to, err, permanent)
		}
		if err != nil && strings.Contains(err.Error(), "secret") {
			t.Errorf("the error holds the text: %v", err)
		}
	}
}

// The server accepts the connection, but sends nothing.
func TestSMTPGivesUpWithItsContext(t *testing.T) {
	t.Parallel()

	for _, greeting := range []string{"", "220 hello\r\n", "220 hello\r\n250-hello\r\n250 SIZE\r\n"} {
		t.Run(fmt.Sprintf("after %d bytes", len(greeting)), func(t *testing.T) {
			t.Parallel()

			ln, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = ln.Close() })
			go func() {
				for {
					conn, err := ln.Accept()
					if err != nil {
						return
					}
					_, _ = io.WriteString(conn, greeting)
					_, _ = io.Copy(io.Discard, conn)
					_ = conn.Close()
				}
			}()
			sender, err := NewSMTP("smtp://"+ln.Addr().String(), "", from)
			if err != nil {
				t.Fatal(err)
			}
			waittest.Within(t, "an error before Send's own limit", func(limit time.Duration) error {
				ctx, cancel := context.WithTimeout(t.Context(), limit)
				defer cancel()
				start := time.Now()
				err := sender.Send(ctx, hello)
				if took := time.Since(start); err == nil || took >= sendTimeout {
					return fmt.Errorf("%w after %v", err, took)
				}
				return nil
			})
		})
	}
}

func TestNewSMTP(t *testing.T) {
	t.Parallel()

	tests := []struct {
		url, password, from string
		want                SMTP
		wantErr             string
	}{
		{url: "smtp://mail.example.com", from: from, want: SMTP{host: "mail.example.com", port: 587, security: startTLS}},
		{
			url: "smtp://ada@mail.example.com:25/", password: "p", from: from,
			want: SMTP{host: "mail.example.com", port: 25, user: "ada", password: "p", security: startTLS},
		},
		{url: "smtps://mail.example.com", from: from, want: SMTP{host: "mail.example.com", port: 465, security: implicit}},
		{url: "smtp://localhost:25", from: from, want: SMTP{host: "localhost", port: 25, security: none}},
		{url: "smtp://127.0.0.2:25", from: from, want: SMTP{host: "127.0.0.2", port: 25, security: none}},
		{url: "smtp://[::1]:25", from: from, want: SMTP{host: "::1", port: 25, security: none}},
		{url: "smtp://[::ffff:127.0.0.1]:25", from: from, want: SMTP{host: "::ffff:127.0.0.1", port: 25, security: none}},
		{
			url: "smtp://localhost:25?starttls=required", from: from,
			want: SMTP{host: "localhost", port: 25, security: startTLS},
		},
		{
			url: "smtp://localhost.example.com", from: from,
			want: SMTP{host: "localhost.example.com", port: 587, security: startTLS},
		},
		{url: "smtp://128.0.0.1", from: from, want: SMTP{host: "128.0.0.1", port: 587, security: startTLS}},
		{url: "smtps://127.0.0.1", from: from, want: SMTP{host: "127.0.0.1", port: 465, security: implicit}},
		{url: "smtp://ada:secret@mail.example.com", password: "p", from: from, wantErr: "STOA_SMTP_PASSWORD"},
		{url: "smtp://ada@mail.example.com", from: from, wantErr: "set both or neither"},
		{url: "smtp://mail.example.com", password: "p", from: from, wantErr: "set both or neither"},
		{url: "http://mail.example.com", from: from, wantErr: "begin with"},
		{url: "mail.example.com:25", from: from, wantErr: "begin with"},
		{url: "smtp://secret:%zz@mail.example.com", from: from, wantErr: "like smtp://"},
		{url: "smtp://:587", from: from, wantErr: "host"},
		{url: "smtp://mail.example.com:0", from: from, wantErr: "65535"},
		{url: "smtp://mail.example.com:65536", from: from, wantErr: "65535"},
		{url: "smtp://mail.example.com/?starttls=off", from: from, wantErr: "may contain only"},
		{url: "smtps://mail.example.com?starttls=required", from: from, wantErr: "may contain only"},
		{url: "smtp://mail.example.com/x", from: from, wantErr: "may contain only"},
		{url: "smtp://mail.example.com", from: "", wantErr: "STOA_MAIL_FROM"},
		{url: "smtp://mail.example.com", from: "a@example.com\r\nBcc: eve@example.com", wantErr: "STOA_MAIL_FROM"},
		{url: "smtp://mail.example.com", from: "a@example.com, b@example.com", wantErr: "STOA_MAIL_FROM"},
	}
	for _, tt := range tests {
		t.Run(tt.url, func(t *testing.T) {
			t.Parallel()

			got, err := NewSMTP(tt.url, tt.password, tt.from)
			if tt.wantErr != "" {
				if err == nil || !strings.Contains(err.Error(), tt.wantErr) || strings.Contains(err.Error(), "secret") {
					t.Errorf("NewSMTP = %v, want an error with %q and no secret", err, tt.wantErr)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			got.from, got.within = nil, 0
			if *got != tt.want {
				t.Errorf("NewSMTP = %+v, want %+v", *got, tt.want)
			}
		})
	}
}

// Nothing in an address or a subject becomes a header or a second recipient.
func TestMessagesCannotSmuggleHeaders(t *testing.T) {
	t.Parallel()

	server := smtptest.New(t, smtptest.Options{})
	sender := newSMTP(t, server, "smtp://127.0.0.1:%d", "")
	var log logtest.Buffer
	for _, m := range []Message{
		{To: "ada@example.com\r\nBcc: eve@example.com", Subject: "x"},
		{To: "ada@example.com\nBcc: eve@example.com", Subject: "x"},
		{To: "ada@example.com, eve@example.com", Subject: "x"},
		{To: "Ada <ada@example.com>", Subject: "x"},
		{To: "ada@example.com> SIZE=1", Subject: "x"},
		{To: "ada\x00@example.com", Subject: "x"},
		{To: "", Subject: "x"},
		{To: "ada@example.com", Subject: "x\r\nBcc: eve@example.com"},
		{To: "ada@example.com", Subject: "x\nBcc: eve@example.com"},
		{To: "ada@example.com", Subject: "x\rBcc: eve@example.com"},
		{To: "ada@example.com", Subject: ""},
		{To: strings.Repeat("a", 250) + "@b.de", Subject: "x"}, // 255 bytes
		{To: "ada@example.com", Subject: "x", ID: "a@b"},
		{To: "ada@example.com", Subject: "x", ID: "a>\r\nBcc: eve@example.com"},
	} {
		for _, s := range []Sender{sender, Log{log.Logger()}} {
			if err := s.Send(t.Context(), m); !errors.Is(err, ErrMessage) {
				t.Errorf("%T: Send(%q, %q) = %v, want ErrMessage", s, m.To, m.Subject, err)
			}
		}
	}
	if log.String() != "" {
		t.Errorf("logged: %s", log.String())
	}
	// A line with a dot does not end the body: it arrives as text.
	body := Message{
		To: "ada@example.com", Subject: "x",
		Text: "a\r\n.\r\nMAIL FROM:<eve@example.com>\nBcc: eve@example.com\n",
	}
	if err := sender.Send(t.Context(), body); err != nil {
		t.Fatal(err)
	}
	got := server.NextMail(t)
	if len(got.To) != 1 || got.Message(t).Header.Get("Bcc") != "" {
		t.Errorf("envelope %+v\n%s", got, got.Data)
	}
	if text := got.Text(t); !strings.Contains(text, "MAIL FROM:<eve@example.com>") {
		t.Errorf("text = %q", text)
	}
}

// International addresses need a server that supports them (SMTPUTF8).
func TestSMTPKnowsInternationalAddresses(t *testing.T) {
	t.Parallel()

	server := smtptest.New(t, smtptest.Options{})
	if err := newSMTP(t, server, "smtp://127.0.0.1:%d", "").Send(t.Context(),
		Message{To: "jürgen@straße.example", Subject: "x", Text: "y"}); err != nil {
		t.Fatal(err)
	}
	if got := server.NextMail(t); got.To[0] != "jürgen@straße.example" {
		t.Errorf("to = %q", got.To)
	}
}

func TestQueueTriesAgainOverARealServer(t *testing.T) {
	t.Parallel()

	server := smtptest.New(t, smtptest.Options{})
	q := NewQueue(newSMTP(t, server, "smtp://127.0.0.1:%d", ""), logtest.New(t))
	m := hello
	m.To = "busy@example.com"
	q.Post(t.Context(), func(context.Context) (Message, bool, error) { return m, true, nil })
	q.Close(t.Context())
	if e := server.Next(t); e.Refused != m.To {
		t.Errorf("first event = %+v, want a refusal", e)
	}
	mustRead(t, server.NextMail(t), m)
}
