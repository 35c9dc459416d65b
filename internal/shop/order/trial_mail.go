package order

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"strconv"
	"time"

	"stoa/internal/base/background"
	"stoa/internal/base/errs"
	"stoa/internal/base/reqctx"
	"stoa/internal/message/mail"
	"stoa/internal/message/template"
	"stoa/internal/shop/license"
)

const trialsEvery = time.Minute // how often mails about trials are looked for

// TrialMails is when mails about trials are sent.
var TrialMails = TrialTimes{Before: 3 * 24 * time.Hour, Latest: 24 * time.Hour, After: mail.SendLife}

// TrialTimes is when mails about trials are sent: Before the end, unless the trial lasts no longer, and not later than
// Latest before it; and at the end, or up to After it.
type TrialTimes struct{ Before, Latest, After time.Duration }

// DueTrial is a trial of which a mail is due.
type DueTrial struct {
	License                  license.License
	ProductName, ProductSlug string
	TierName                 string // current, or the tier's id if the tier no longer exists
	OrderID, Language        string
	Billing                  *BillingInfo // nil if the customer gave no address
}

// TendTrials mails customers before their trials end and when they have, and cancels orders of revoked licenses, now
// and every minute, until ctx ends.
func (s *Service) TendTrials(ctx context.Context, log *slog.Logger) {
	task := background.Task{Every: trialsEvery, Log: log, Failed: "mails about trials cannot be sent"}
	task.Run(ctx, func(ctx context.Context) error { return errors.Join(s.MailTrials(ctx), s.CancelOrphans(ctx, log)) })
}

// MailTrials queues the mails about the ends of trials that are due. Each is queued once for each end, whatever happens
// in between and however many processes do so at once. One that fails does not hold up the others: it is tried again by
// the next call.
func (s *Service) MailTrials(ctx context.Context) error {
	if s.Outbox == nil {
		return nil
	}
	defer s.Outbox.Wake()
	var failed []error
	now, last := s.Now(), license.License{}
	for {
		due, err := s.Store.DueTrials(ctx, now, TrialMails, last)
		if err != nil || len(due) == 0 {
			return errors.Join(append(failed, err)...)
		}
		for _, d := range due {
			if err := s.mailTrial(ctx, d, now); ctx.Err() != nil {
				return ctx.Err()
			} else if err != nil {
				failed = append(failed, fmt.Errorf("order %s: %w", d.OrderID, err))
			}
			last = d.License
		}
	}
}

// mailTrial queues a mail that is due, unless somebody else did, the trial changed since, or its mailbox gets too many.
func (s *Service) mailTrial(ctx context.Context, d DueTrial, now time.Time) error {
	to, err := s.trialAddress(ctx, d)
	if err != nil {
		return err
	}
	over := !d.License.ExpiresAt.After(now)
	var sealed mail.Sealed
	if to != "" {
		key, err := s.Vault.Open(d.License)
		if err != nil {
			return err
		}
		if sealed, err = s.Outbox.Seal(trialEndMail(d, to, key, s.PublicURL, over)); err != nil {
			return err
		}
	}
	return s.Store.InTx(ctx, func(tx Store) error {
		ok, err := tx.TakeTrialMail(ctx, d.License, over)
		if err != nil || !ok || to == "" {
			return err
		}
		// Unlike a receipt, a mail that its mailbox gets too many of is dropped: there is nothing in it to wait for.
		later, err := tx.Allow(ctx, "trial:"+mailboxKey(to), trialMails, now)
		if err != nil || !later.IsZero() {
			return err
		}
		return tx.AddMail(ctx, sealed)
	})
}

// trialAddress returns where mails about a trial go: as its key, to the address that was given, else to that of the
// account, else nowhere.
func (s *Service) trialAddress(ctx context.Context, d DueTrial) (string, error) {
	if d.Billing.EmailKey() != "" {
		return d.Billing.address(), nil
	}
	if !reqctx.IsUser(d.License.UserID) {
		return "", nil
	}
	to, err := s.Users.Email(ctx, d.License.UserID)
	if errs.KindOf(err) == errs.NotFound {
		return "", nil
	}
	return to, err
}

// trialEndMail tells a customer that a trial ends soon, or that it has ended. Like receipts, it has nothing that the
// customer chose.
func trialEndMail(d DueTrial, to string, key license.Key, publicURL string, over bool) mail.Message {
	kind := template.TrialEnding
	if over {
		kind = template.TrialEnded
	}
	return kind.Message(to, d.Language, map[string]string{
		template.ProductName: d.ProductName, template.TierName: d.TierName, template.LicenseKey: key.Reveal(),
		template.ExpiresAt: template.Moment(d.License.ExpiresAt), template.Seats: strconv.Itoa(d.License.MaxInstances),
		template.Link: publicURL + "/checkout/" + d.ProductSlug + "/" + url.PathEscape(d.License.TierID) + "?trial",
	})
}
