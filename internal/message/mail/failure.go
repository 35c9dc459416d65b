package mail

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/textproto"
	"regexp"
	"strings"

	gomail "github.com/wneessen/go-mail"
)

// failure returns the part of an error of go-mail that is safe to log: the stage, the
// code of the server's answer and its enhanced status code (RFC 3463), but never the
// server's text. Content filters may quote the mail that they refuse, which may contain
// a link that still works.
func failure(err error) error {
	if err == nil {
		return nil
	}
	e, ok := errors.AsType[*gomail.SendError](err)
	if !ok {
		return fmt.Errorf("mail: connecting: %w", beforeMail(err))
	}
	code := e.ErrorCode()
	if code == 0 {
		return fmt.Errorf("mail: %s: the connection failed, or the answer was not SMTP", e.Reason)
	}
	// Not go-mail's own status code: it may come from anywhere in the text.
	answer, _ := strings.CutPrefix(e.Error(), fmt.Sprintf("%s: %03d ", e.Reason, code))
	answered := codes(code, answer)
	if !e.IsTemp() && code >= 500 {
		return fmt.Errorf("mail: %w: %s: %s", ErrPermanent, e.Reason, answered)
	}
	return fmt.Errorf("mail: %s: %s", e.Reason, answered)
}

// statusCode matches an enhanced status code at the beginning of an answer, which
// textproto may have quoted.
var statusCode = regexp.MustCompile(`^"?([245]\.\d{1,3}\.\d{1,3})(?:[\s\\",]|$)`)

// codes returns the code of an answer with its enhanced status code, if its text begins
// with one.
func codes(code int, text string) string {
	answered := fmt.Sprintf("the server answered %03d", code)
	if found := statusCode.FindStringSubmatch(text); found != nil {
		answered += " " + found[1]
	}
	return answered
}

// beforeMail returns the loggable part of an error before the mail was sent. The server may know
// the password by then, so it returns only errors that cannot quote the server.
func beforeMail(err error) error {
	if e, ok := errors.AsType[*textproto.Error](err); ok {
		return errors.New(codes(e.Code, e.Msg))
	}
	for _, harmless := range []error{
		context.Canceled, context.DeadlineExceeded, io.EOF, io.ErrUnexpectedEOF, net.ErrClosed,
		gomail.ErrNoSupportedAuthDiscovered, gomail.ErrPlainAuthNotSupported, gomail.ErrLoginAuthNotSupported,
	} {
		if errors.Is(err, harmless) {
			return harmless
		}
	}
	if e, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return e
	}
	if e, ok := errors.AsType[tls.RecordHeaderError](err); ok {
		return e
	}
	if e, ok := errors.AsType[net.Error](err); ok { // an address and the system's message
		return e
	}
	// go-mail declares no errors for these.
	for part, meaning := range map[string]string{
		"target host does not support STARTTLS": "the server does not offer STARTTLS",
		"server does not support SMTP AUTH":     "the server does not offer to sign in",
	} {
		if strings.Contains(err.Error(), part) {
			return errors.New(meaning)
		}
	}
	return errors.New("the server's answer was not SMTP or was not understood")
}
