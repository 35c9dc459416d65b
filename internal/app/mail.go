package app

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"stoa/internal/base/trace"
	"stoa/internal/message/mail"
	"stoa/internal/message/template"
	"stoa/internal/operate/ops"
	"stoa/internal/operate/settings"
	"stoa/internal/operate/system"
)

// mailDrain is the time limit for sending the waiting mails when stoa stops.
const mailDrain = 10 * time.Second

// buildMail builds the sender of mail: the configured SMTP server, the log, or none.
func (a *App) buildMail(ctx context.Context, cfg Config) error {
	sender := cfg.Mailer
	switch {
	case sender != nil:
	case cfg.SMTPURL != "":
		smtp, err := mail.NewSMTP(cfg.SMTPURL, cfg.SMTPPassword, cfg.MailFrom)
		if err != nil {
			return settings.Wrong(err)
		}
		sender = smtp
	case cfg.LogMail:
		sender = mail.Log{Log: cfg.Log}
		cfg.Log.WarnContext(ctx, "mails are written to this log, including password reset links and license keys",
			slog.String("setting", "STOA_MAIL"))
	default:
		sender, a.noMail = mail.None{}, true
		if cfg.Deliver {
			cfg.Log.WarnContext(ctx, "no SMTP server is configured: no mail is sent, not even to reset a password; receipts "+
				"wait for up to three days",
				slog.String("setting", "STOA_SMTP_URL"))
		}
	}
	if err := a.buildTemplates(cfg); err != nil {
		return err
	}
	counted := countedMail{sender, a.noMail, a.metrics.Count, &a.mailTrouble, a.telemetry.Tracer()}
	a.mailer = template.Sender{Sender: counted, Service: a.Templates}
	a.Mail = mail.NewQueue(a.mailer, cfg.Log)
	a.Mail.Limit = cmp.Or(cfg.InnerLimit, a.Mail.Limit)
	if !a.noMail {
		a.Templates.Poster = a.Mail
	}
	return nil
}

// countedMail counts the attempts to send mail.
type countedMail struct {
	mail.Sender

	drops  bool // Sender drops all mails
	count  func(what, outcome string)
	noted  *mailTrouble
	tracer *trace.Tracer
}

// mailTrouble holds the last failure to send mail. It is safe for concurrent use.
type mailTrouble struct {
	mu   sync.Mutex
	last system.Failure
	down bool // the last attempt failed, and the message was not the cause
}

// note records the outcome of an attempt.
func (t *mailTrouble) note(err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if err != nil {
		t.last = system.Failure{At: time.Now().UTC(), Message: err.Error()}
	}
	t.down = err != nil && !errors.Is(err, mail.ErrPermanent) && !errors.Is(err, mail.ErrMessage)
}

// failure returns the last failure.
func (t *mailTrouble) failure() system.Failure {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.last
}

// check implements Run of a system.Check.
func (t *mailTrouble) check(context.Context) (string, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.down {
		return "", errors.New(t.last.Message)
	}
	return "", nil
}

// Send implements mail.Sender.
func (c countedMail) Send(ctx context.Context, m mail.Message) error {
	ctx, span := c.tracer.Work(ctx, "send mail", trace.Client, "") // the span does not record the recipient
	defer span.End()
	err := c.Sender.Send(ctx, m)
	c.noted.note(err)
	if err != nil {
		span.Fail("mail")
	}
	switch {
	case err == nil && c.drops:
		c.count(ops.Mails, "dropped")
	case err == nil:
		c.count(ops.Mails, "sent")
	case errors.Is(err, mail.ErrPermanent) || errors.Is(err, mail.ErrMessage):
		c.count(ops.Mails, "refused")
	default:
		c.count(ops.Mails, "failed")
	}
	return err
}
