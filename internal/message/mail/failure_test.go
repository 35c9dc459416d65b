package mail

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"

	"stoa/internal/testkit/logtest"
)

// quoting starts a server and returns its address. It answers the command at (or the
// greeting if at is "", or the end of the mail if at is ".") with the result of answer,
// which gets the mail so far.
func quoting(t *testing.T, at string, answer func(mail string) string) string {
	t.Helper()
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
			go converse(conn, at, answer)
		}
	}()
	return ln.Addr().String()
}

func converse(conn net.Conn, at string, answer func(mail string) string) {
	defer conn.Close()
	say := func(text string) { _, _ = io.WriteString(conn, text+"\r\n") }
	if at == "" {
		say(answer(""))
		return
	}
	say("220 hello")
	var (
		mail   strings.Builder
		inData bool
	)
	for lines := bufio.NewScanner(conn); lines.Scan(); {
		line := lines.Text()
		verb, _, _ := strings.Cut(line, " ")
		switch {
		case inData && line != ".":
			mail.WriteString(line + " ")
		case verb == at:
			inData = false
			say(answer(mail.String()))
		case verb == "EHLO":
			say("250-hello\r\n250-AUTH PLAIN\r\n250 ENHANCEDSTATUSCODES")
		case verb == "AUTH":
			say("235 2.7.0 come in")
		case verb == "DATA":
			inData = true
			say("354 go on")
		default:
			inData = false
			say("250 2.0.0 fine")
		}
	}
}

// An SMTP server's answer may quote the mail, as content filters do.
func TestNothingThatTheServerWritesIsLogged(t *testing.T) {
	t.Parallel()

	const link = "reset-password#Zm9vYmFy"
	tests := []struct {
		name, at string
		form     string // of the answer; %s is the mail so far and the link
		want     string
	}{
		{
			"451 after the mail", ".", "451 4.7.1 looks like spam: %s",
			"closing SMTP DATA writer: the server answered 451 4.7.1\n",
		},
		{
			"554 after the mail", ".", "554 5.7.1 looks like spam: %s",
			"refused for good: closing SMTP DATA writer: the server answered 554 5.7.1\n",
		},
		{
			"several lines", ".", "554-5.7.1 looks like spam\r\n554 5.7.1 %s",
			"closing SMTP DATA writer: the server answered 554 5.7.1\n",
		},
		{"no text", ".", "554", "closing SMTP DATA writer"},
		{"a status code in the mail only", ".", "451 spam: 4.1.2 %s", "the server answered 451\n"},
		{"what begins like a status code", ".", "451 4.1.2.%s", "the server answered 451\n"},
		{"no SMTP", ".", "%s", "closing SMTP DATA writer"},
		{"MAIL", "MAIL", "450 4.2.1 %s", "sending SMTP MAIL FROM command: the server answered 450 4.2.1\n"},
		{"RCPT", "RCPT", "450 4.2.1 %s", "sending SMTP RCPT TO command: the server answered 450 4.2.1\n"},
		{"DATA", "DATA", "450 4.2.1 %s", "sending SMTP DATA command: the server answered 450 4.2.1\n"},
		{"greeting", "", "421 4.3.2 %s", "connecting: the server answered 421 4.3.2\n"},
		{"greeting that is none", "", "%s", "connecting"},
		{"sign-in", "AUTH", "535 5.7.8 %s", "connecting: the server answered 535 5.7.8\n"},
		{"sign-in that is none", "AUTH", "334 %s", "connecting"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()

			address := quoting(t, tt.at, func(mail string) string { return strings.ReplaceAll(tt.form, "%s", mail+link) })
			sender, err := NewSMTP("smtp://ada@"+address, "pass word", from)
			if err != nil {
				t.Fatal(err)
			}
			m := Message{To: "ada@example.com", Subject: "x", Text: "https://shop.example.com/" + link + "\n"}
			if err := sender.Send(t.Context(), m); err == nil || strings.Contains(fmt.Sprintf("%+v", err), link) {
				t.Errorf("Send = %+v, want an error without the text", err)
			} else if permanent := strings.HasPrefix(tt.form, "5") && tt.at == "."; tt.form != "554" &&
				errors.Is(err, ErrPermanent) != permanent {
				t.Errorf("Send = %v, want permanent %v", err, permanent)
			}
			var log logtest.Buffer
			q := NewQueue(once{sender}, log.Logger())
			q.Post(t.Context(), func(context.Context) (Message, bool, error) { return m, true, nil })
			q.Close(t.Context())
			got := strings.ReplaceAll(log.String(), `"`, "")
			if !strings.Contains(got, tt.want) || strings.Contains(got, link) || strings.Contains(got, "spam") {
				t.Errorf("log = %s\nwant %q in it and nothing that the server wrote", got, tt.want)
			}
		})
	}
}

// once is a sender whose errors are all permanent, so that a Queue does not try again.
type once struct{ Sender }

func (o once) Send(ctx context.Context, m Message) error {
	if err := o.Sender.Send(ctx, m); err != nil {
		return errors.Join(ErrPermanent, err)
	}
	return nil
}
