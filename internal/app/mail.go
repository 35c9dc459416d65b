package app

import (
	"context"
	"log/slog"
	"time"

	"stoa/internal/mail"
)

// mailDrain is the time limit for sending the waiting mails when stoa stops.
const mailDrain = 10 * time.Second

// buildMail builds the mail queue, over the SMTP server of the configuration or the
// log.
func (a *App) buildMail(ctx context.Context, cfg Config) error {
	sender := cfg.Mailer
	switch {
	case sender != nil:
	case cfg.SMTPURL != "":
		smtp, err := mail.NewSMTP(cfg.SMTPURL, cfg.SMTPPassword, cfg.MailFrom)
		if err != nil {
			return err
		}
		sender = smtp
	default:
		sender = mail.Log{Log: cfg.Log}
		cfg.Log.InfoContext(ctx, "no SMTP server is configured: "+
			"mails are written to this log, including password reset links and license keys",
			slog.String("setting", "STOA_SMTP_URL"))
	}
	a.mailer = sender
	a.Mail = mail.NewQueue(sender, cfg.Log)
	return nil
}
