package mail

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"net/mail"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"time"

	gomail "github.com/wneessen/go-mail"
)

// SMTP sends mail through a submission server. NewSMTP makes one.
type SMTP struct {
	host           string
	port           int
	user, password string
	from           *mail.Address
	security       security
	within         time.Duration // for one mail: sendTimeout, but for tests

	// Roots are the authorities trusted to sign the server's certificate; those of the
	// system if nil.
	Roots *x509.CertPool
}

// security is how a connection is protected.
type security int

const (
	startTLS security = iota // required: nothing is sent without it
	implicit                 // TLS from the first byte
	none                     // loopback only
)

// NewSMTP returns an SMTP for the server at address, smtp://user@host:587 or
// smtps://user@host:465. Mails come from the address from ("Shop
// <no-reply@example.com>"). The port is optional, and so are user and password, which
// belong together.
//
// With smtp:// the server must offer STARTTLS. The exception is a loopback address,
// where nothing is encrypted unless the address has ?starttls=required. Certificates
// are always verified.
func NewSMTP(address, password, from string) (*SMTP, error) {
	u, err := url.Parse(address)
	if err != nil {
		// Not err, because it quotes the address, which may contain a password.
		return nil, errors.New("STOA_SMTP_URL is not an address like smtp://user@host:587")
	}
	s := &SMTP{host: u.Hostname(), user: u.User.Username(), password: password, within: sendTimeout}
	if _, has := u.User.Password(); has {
		return nil, errors.New("STOA_SMTP_URL contains a password: " +
			"put it into STOA_SMTP_PASSWORD, which is not shown in process lists")
	}
	port := "587"
	switch {
	case u.Scheme == "smtps":
		s.security, port = implicit, "465"
	case u.Scheme != "smtp":
		return nil, errors.New("STOA_SMTP_URL must begin with smtp:// or smtps://")
	case loopback(s.host) && u.RawQuery != "starttls=required":
		s.security = none
	}
	if u.Port() != "" {
		port = u.Port()
	}
	if s.port, err = strconv.Atoi(port); err != nil || s.port < 1 || s.port > 65535 || s.host == "" {
		return nil, errors.New("STOA_SMTP_URL needs a host, and a port from 1 to 65535 if any")
	}
	badQuery := u.RawQuery != "" && (u.Scheme != "smtp" || u.RawQuery != "starttls=required")
	if strings.Trim(u.Path, "/") != "" || u.Fragment != "" || badQuery {
		return nil, errors.New("STOA_SMTP_URL may contain only a scheme, user, host and port, " +
			"and ?starttls=required after smtp://")
	}
	if (s.user == "") != (password == "") {
		return nil, errors.New("STOA_SMTP_URL needs a user, and STOA_SMTP_PASSWORD its password: set both or neither")
	}
	if s.from, err = mail.ParseAddress(from); err != nil || !Valid(s.from.Address) {
		return nil, errors.New("STOA_MAIL_FROM must be the sender address, " +
			"like no-reply@example.com or Shop <no-reply@example.com>")
	}
	return s, nil
}

// loopback reports whether host is "localhost" or a loopback address. Other names do not count,
// because DNS answers can be forged.
func loopback(host string) bool {
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.Unmap().IsLoopback()
}

// Send implements Sender. Its errors contain at most two codes of the server's text; see failure.
func (s *SMTP) Send(ctx context.Context, m Message) error {
	if err := m.check(); err != nil {
		return err
	}
	msg, err := s.message(m)
	if err != nil {
		return errors.Join(ErrMessage, err)
	}
	ctx, cancel := context.WithTimeout(ctx, s.within)
	defer cancel()
	return failure(s.submit(ctx, msg))
}

// submit sends one message over a new connection. Mails are so rare that keeping
// connections open is not worth it.
func (s *SMTP) submit(ctx context.Context, msg *gomail.Msg) error {
	config := &tls.Config{ServerName: s.host, RootCAs: s.Roots, MinVersion: tls.VersionTLS12}
	ctx, hangUp := context.WithCancel(ctx)
	defer hangUp() // go-mail leaves the connection open if the greeting fails
	// The end of ctx closes the connection. go-mail observes ctx only while it dials, and
	// then sets a new deadline for each step.
	dial := func(dialCtx context.Context, network, address string) (net.Conn, error) {
		conn, err := new(net.Dialer).DialContext(dialCtx, network, address)
		if err != nil {
			return nil, err
		}
		context.AfterFunc(ctx, func() { _ = conn.Close() })
		if s.security != implicit {
			return conn, nil
		}
		secured := tls.Client(conn, config)
		err = secured.HandshakeContext(dialCtx)
		return secured, err
	}
	client, err := gomail.NewClient(s.host, s.options(config, dial)...)
	if err != nil {
		return err
	}
	session, err := client.DialToSMTPClientWithContext(ctx)
	if err != nil {
		return err
	}
	if err := client.SendWithSMTPClient(session, msg); err != nil {
		return err
	}
	// The server has the mail, so a failure from here on does not matter.
	_ = client.CloseWithSMTPClient(session)
	return nil
}

// options returns the options of a client that connects with dial.
func (s *SMTP) options(config *tls.Config, dial gomail.DialContextFunc) []gomail.Option {
	options := []gomail.Option{
		gomail.WithPort(s.port), gomail.WithTimeout(s.within),
		gomail.WithTLSConfig(config), gomail.WithDialContextFunc(dial),
	}
	switch s.security {
	case startTLS:
		options = append(options, gomail.WithTLSPolicy(gomail.TLSMandatory))
	case implicit: // dial has encrypted the connection already
		options = append(options, gomail.WithTLSPolicy(gomail.TLSOpportunistic))
	case none:
		options = append(options, gomail.WithTLSPolicy(gomail.NoTLS))
	}
	if s.user == "" {
		return options
	}
	plain, login := gomail.SMTPAuthPlain, gomail.SMTPAuthLogin
	if s.security == none {
		plain, login = gomail.SMTPAuthPlainNoEnc, gomail.SMTPAuthLoginNoEnc
	}
	return append(options, gomail.WithUsername(s.user), gomail.WithPassword(s.password),
		gomail.WithOpportunisticSMTPAuth(gomail.SMTPAuthSCRAMSHA256, gomail.SMTPAuthSCRAMSHA1, plain, login))
}

// message turns m into a mail.
func (s *SMTP) message(m Message) (*gomail.Msg, error) {
	msg := gomail.NewMsg()
	if err := errors.Join(msg.FromFormat(s.from.Name, s.from.Address), msg.To(m.To)); err != nil {
		return nil, err
	}
	msg.Subject(m.Subject)
	msg.SetDate()
	// Not the library's own id, which contains the machine's name.
	_, domain, _ := strings.Cut(s.from.Address, "@")
	msg.SetMessageIDWithValue(cmp.Or(m.ID, rand.Text()) + "@" + domain)
	msg.SetGenHeader("Auto-Submitted", "auto-generated") // RFC 3834: no out-of-office replies
	msg.SetBodyString(gomail.TypeTextPlain, m.Text)
	if m.HTML != "" {
		msg.AddAlternativeString(gomail.TypeTextHTML, m.HTML)
	}
	return msg, nil
}
