package webhook

import (
	"bytes"
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"stoa/internal/base/errs"
	"stoa/internal/base/event"
	"stoa/internal/base/trace"
	"stoa/internal/message/delivery"
	"stoa/internal/message/mail"
	"stoa/internal/message/template"
	"stoa/internal/trust/audit"
)

// giveUpAfter is how long a webhook may fail before it is disabled (contract 7.6).
const giveUpAfter = 5 * 24 * time.Hour

// maxDrained is how much of an answer is read, in bytes, so that its connection can be reused.
const maxDrained = 64 << 10

// Administrators receive mails about problems.
type Administrators interface {
	// Admins returns all active administrators.
	Admins(ctx context.Context) ([]mail.Reader, error)
}

// Poster sends mail in the background.
type Poster interface {
	Post(ctx context.Context, compose mail.Compose)
}

// Sender implements delivery.Sender for webhooks. Create it as a literal with all fields.
type Sender struct {
	Service *Service
	// Transport must refuse addresses that operators may not use, and use no proxy.
	Transport http.RoundTripper
	Agent     string // User-Agent

	Administrators Administrators
	Poster         Poster
	Log            *slog.Logger

	SendLimit time.Duration // delivery.Machine's; 0 means the usual
}

var _ delivery.Sender = (*Sender)(nil)

// Send implements delivery.Sender.
func (s *Sender) Send(ctx context.Context, d delivery.Delivery) delivery.Result {
	w, err := s.Service.Get(ctx, d.Target)
	switch {
	case errs.KindOf(err) == errs.NotFound:
		return delivery.Result{Cancel: true, Error: "the webhook was deleted"}
	case err != nil:
		return s.failed(ctx, d, err)
	case !w.Enabled && d.Name != string(event.WebhookTest):
		return delivery.Result{Cancel: true, Error: "the webhook is disabled"}
	}
	r, err := s.request(ctx, w, d)
	if err != nil {
		return s.failed(ctx, d, err)
	}
	// Not an http.Client: redirects are never followed.
	res, err := s.Transport.RoundTrip(r)
	if err != nil {
		if ctx.Err() != nil {
			return delivery.Result{Error: "no answer within " + cmp.Or(s.SendLimit, delivery.SendTimeout).String()}
		}
		return delivery.Result{Error: err.Error()}
	}
	defer res.Body.Close()
	var kept bytes.Buffer
	_, _ = io.CopyN(&kept, res.Body, delivery.MaxResponse) // as much as there is
	_, _ = io.CopyN(io.Discard, res.Body, maxDrained)
	return delivery.ResultOf(res.StatusCode, res.Header, kept.Bytes(), s.Service.Now())
}

// failed is the result of a failure in stoa itself.
func (s *Sender) failed(ctx context.Context, d delivery.Delivery, err error) delivery.Result {
	s.Log.WarnContext(ctx, "a webhook cannot be called", slog.String("deliveryId", d.ID), slog.Any("err", err))
	return delivery.Result{Error: "stoa could not send it; see its log"}
}

// request returns the message of a delivery in the format of Standard Webhooks 1.0. Its
// id is the event's: the same for all attempts and replays.
func (s *Sender) request(ctx context.Context, w Webhook, d delivery.Delivery) (*http.Request, error) {
	body := Message(d)
	now := s.Service.Now()
	at := strconv.FormatInt(now.Unix(), 10)
	signature, err := s.Service.sign(w, d.EventID+"."+at+"."+string(body), now)
	if err != nil {
		return nil, err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, w.URL, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("User-Agent", s.Agent)
	r.Header.Set("Webhook-Id", d.EventID)
	r.Header.Set("Webhook-Timestamp", at)
	r.Header.Set("Webhook-Signature", signature)
	if parent := trace.Cause(ctx); parent != "" { // the receiver's part of the trace
		r.Header.Set(trace.Traceparent, parent)
	}
	return r, nil
}

// Message returns the body of a delivery's message: the event, with its time also under the name of
// Standard Webhooks.
func Message(d delivery.Delivery) []byte {
	var e struct {
		ID         string          `json:"id"`
		Type       string          `json:"type"`
		OccurredAt string          `json:"occurredAt"`
		Timestamp  string          `json:"timestamp"`
		Data       json.RawMessage `json:"data"`
	}
	if err := json.Unmarshal([]byte(d.Payload), &e); err != nil {
		return []byte(d.Payload) // no event: delivery.OfEvent records none such
	}
	e.Timestamp = e.OccurredAt
	body, _ := json.Marshal(e) // Data was read from JSON
	return body
}

// sign returns the signatures of a text: by the current secret, and by the previous one while that
// still signs.
func (s *Service) sign(w Webhook, text string, now time.Time) (string, error) {
	sealed := []string{w.Sealed}
	if w.PreviousSealed != "" && now.Before(w.PreviousUntil) {
		sealed = append(sealed, w.PreviousSealed)
	}
	signatures := make([]string, len(sealed))
	for i, one := range sealed {
		key, err := s.Secrets.Open(one, w.ID)
		if err != nil {
			return "", fmt.Errorf("webhook: secret of %s: %w", w.ID, err)
		}
		mac := hmac.New(sha256.New, key)
		mac.Write([]byte(text))
		signatures[i] = "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	}
	return strings.Join(signatures, " "), nil
}

// Settled implements delivery.Sender: it disables webhooks that ask for it or fail for too long,
// and notifies administrators.
func (s *Sender) Settled(ctx context.Context, settled []delivery.Settled) {
	for _, d := range settled {
		if d.Attempt.Number == 0 {
			continue
		}
		w, off, err := s.Service.recordOutcome(ctx, d)
		if err != nil {
			s.Log.WarnContext(ctx, "the state of a webhook cannot be recorded",
				slog.String("webhookId", d.Target), slog.Any("err", err))
			continue
		}
		if off {
			s.notify(ctx, w)
		}
	}
}

// recordOutcome records what an attempt means for its webhook. off reports that the webhook was
// disabled because of it.
func (s *Service) recordOutcome(ctx context.Context, d delivery.Settled) (w Webhook, off bool, err error) {
	w, err = s.Store.GetWebhook(ctx, d.Target)
	if errs.KindOf(err) == errs.NotFound {
		return Webhook{}, false, nil
	}
	if err != nil || d.Attempt.OK() && w.FailingSince.IsZero() {
		return w, false, err // the usual case: nothing to record
	}
	err = s.Store.InTx(ctx, func(st Store) error {
		off = false
		if w, err = st.GetWebhook(ctx, d.Target); err != nil {
			return err
		}
		was := w
		switch {
		case d.Attempt.OK():
			w.FailingSince = time.Time{}
		case w.FailingSince.IsZero():
			w.FailingSince = d.Attempt.At
		}
		switch {
		case !w.Enabled || d.Attempt.OK():
		case d.Attempt.Status == http.StatusGone:
			off, w.DisabledReason = true, "The address answered 410 Gone."
		case d.Attempt.At.Sub(w.FailingSince) >= giveUpAfter:
			off, w.DisabledReason = true, "The address failed for five days: "+d.Attempt.Error+"."
		}
		if w.FailingSince.Equal(was.FailingSince) && !off {
			return nil
		}
		if !off {
			return st.UpdateWebhook(ctx, w)
		}
		w.Enabled, w.UpdatedAt = false, s.now()
		if err := st.UpdateWebhook(ctx, w); err != nil {
			return err
		}
		return s.record(ctx, st, audit.WebhookUpdate, w)
	})
	return w, off, orNotFound(err)
}

// notify mails administrators that a webhook was disabled.
func (s *Sender) notify(ctx context.Context, w Webhook) {
	s.Log.WarnContext(ctx, "webhook disabled", slog.String("webhookId", w.ID), slog.String("host", hostOf(w.URL)),
		slog.String("reason", w.DisabledReason))
	admins, err := s.Administrators.Admins(ctx)
	if err != nil {
		s.Log.WarnContext(ctx, "administrators could not be notified by mail", slog.Any("err", err))
	}
	for _, to := range admins {
		s.Poster.Post(ctx, func(context.Context) (mail.Message, bool, error) {
			return template.WebhookDisabled.Message(to.Address, to.Language, map[string]string{
				template.Webhook: w.ID, template.Host: hostOf(w.URL), template.Reason: w.DisabledReason,
			}), true, nil
		})
	}
}

// hostOf returns the host of an address. The rest may contain a secret.
func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Host
}
