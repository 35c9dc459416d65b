package entitlement

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"
	"unicode"

	"stoa.example/sdk/go/license"

	"stoa/internal/base/errs"
	"stoa/internal/market/remote"
)

// held is what a license client keeps, in the memory of one conversation: the database has it before and
// after.
type held struct{ text string }

// Load implements license.Store.
func (h *held) Load() ([]byte, error) { return []byte(h.text), nil }

// Save implements license.Store.
func (h *held) Save(data []byte) error {
	h.text = string(data)
	return nil
}

// client returns a license client for l with that key. The errors are those of Markets.
func (s *Service) client(ctx context.Context, l License, key string) (*license.Client, *held, error) {
	m, err := s.Markets.Get(ctx, l.Market)
	if err != nil {
		return nil, nil, err
	}
	signed, err := s.Markets.LicenseKeys(ctx, l.Market)
	if err != nil {
		return nil, nil, err
	}
	keys, err := license.ParseJWKS(signed)
	if err != nil {
		return nil, nil, remote.ErrUnreachable.With("reason", "its license keys cannot be read").Because(err)
	}
	kept := &held{l.Lease}
	return &license.Client{
		BaseURL: m.URL, Product: l.Product, LicenseKey: key, Instance: l.Instance, Keys: keys,
		Store: kept, HTTP: s.Client,
		Now: func() time.Time { return later(s.now(), l.LastSeen) }, // a clock that was set back is no error
	}, kept, nil
}

// refusal returns why the market refused, if err says that it signed a refusal.
func refusal(err error) (why license.Reason, ok bool) {
	if refused, is := errors.AsType[*license.Refused](err); is {
		return refused.Code, true
	}
	return "", false
}

// signedError reports whether err is an error that a market signed because of what it was asked, such as
// an unknown product. The client returns no other from Verify and Renew.
func signedError(err error) bool {
	e, is := errors.AsType[*license.Error](err)
	return is && e.Status < http.StatusInternalServerError && e.Status != http.StatusTooManyRequests
}

// settled reports whether a market says, if not signed, that there is no seat to give back. An answer that
// is not in the shape of a stoa's comes from something on the way.
func settled(err error) bool {
	e, is := errors.AsType[*license.Error](err)
	return is && signedError(err) && e.Code != "UNEXPECTED_ANSWER"
}

// noAnswer returns ErrUnreachable for what came instead of a signed answer.
func noAnswer(err error) error {
	if errs.KindOf(err) != errs.Internal { // the market's own, such as that it is untrusted
		return err
	}
	why := "it does not answer"
	switch {
	case errors.Is(err, errOver):
		why = "its lease is over already: its clock is behind, or the one of this stoa is ahead"
	case errors.Is(err, license.ErrUnsigned):
		why = "its answer is not signed with its license keys"
	case errors.Is(err, license.ErrUnknownKey), errors.Is(err, license.ErrInvalid), errors.Is(err, license.ErrProduct),
		errors.Is(err, license.ErrInstance):
		why = "its lease is not one for this stoa"
	}
	return remote.ErrUnreachable.With("reason", why).Because(err)
}

func refuse(why license.Reason) error { return ErrRefused.With("reason", string(why)) }

// Verify asks the market whether a package may be used with a key, without taking a seat. The errors are
// ErrRefused and those of Markets.
func (s *Service) Verify(ctx context.Context, of Subject, key string) error {
	c, _, err := s.client(ctx, License{Subject: of, Instance: s.Instance}, key)
	if err != nil {
		return err
	}
	_, err = c.Verify(ctx)
	switch why, refused := refusal(err); {
	case err == nil, refused && why == license.ReasonNotActivated:
		return nil
	case refused:
		return refuse(why)
	case signedError(err):
		return refuse(license.ReasonNotFound)
	}
	return noAnswer(err)
}

// seat takes a seat. Answers to that are not signed, so the market is asked again what it means.
func seat(ctx context.Context, c *license.Client) error {
	_, unsigned := c.Activate(ctx)
	if unsigned == nil {
		return nil
	}
	_, err := c.Verify(ctx)
	switch why, refused := refusal(err); {
	case err == nil:
		return nil // the seat was taken before
	case refused && (why != license.ReasonNotActivated || settled(unsigned)):
		return refuse(why)
	case refused: // the key is good, and only the market's answer to the activation did not come
		return noAnswer(unsigned)
	case signedError(err):
		return refuse(license.ReasonNotFound)
	}
	return noAnswer(err)
}

// leased returns l after a new lease.
func (l License) leased(st license.Status, kept *held, now time.Time) License {
	of := st.Lease
	l.Lease, l.IsTrial, l.TermEnds = kept.text, of.Trial, of.LicenseExpiresAt
	l.Tier, l.Features = clip(of.Tier), bounded(of.Features)
	l.LeasedAt, l.LeaseUntil, l.GraceUntil = of.IssuedAt, of.ExpiresAt, of.GraceUntil
	// Not the clock of this stoa: the market's heals one that was wrong once.
	l.LastSeen, l.CheckedAt = st.LastSeen, now
	l.State, l.Reason = Valid, "" // until At
	l.State, l.Reason = l.At(now)
	l.Seated = true
	return l
}

// What is kept of a lease at most: every process has it in its memory for each plugin. No stoa sells more.
const (
	maxText     = 200 // characters of the tier and of a feature
	maxFeatures = 200
)

// clip returns the first maxText of the characters that can be printed.
func clip(text string) string {
	n := 0
	return strings.Map(func(r rune) rune {
		if n++; n > maxText || !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, text)
}

func bounded(features []string) []string {
	features = slices.Clone(features[:min(len(features), maxFeatures)])
	for i, f := range features {
		features[i] = clip(f)
	}
	return features
}

// errOver means that a market gave a lease that helps nobody, because its clock is behind.
var errOver = errors.New("entitlement: the new lease is over already")

// helps reports whether l, with a new lease, is to take the place of was. A lease that is over already is no
// reason to stop what runs.
func (l License) helps(was License, now time.Time) bool {
	switch {
	case now.Before(l.LeaseUntil):
		return true
	case !now.Before(l.GraceUntil):
		return false
	}
	state, _ := was.At(now)
	return state == Lapsed || l.GraceUntil.After(was.GraceUntil)
}

// refusedFor returns l after a signed refusal.
func (l License) refusedFor(why license.Reason, now time.Time) License {
	reasons := map[license.Reason]Reason{
		license.ReasonExpired: Expired, license.ReasonUnpaid: Unpaid, license.ReasonNotActivated: NotActivated,
		"not_covered": NotCovered,
	}
	reason, ok := reasons[why]
	switch {
	case !ok:
		reason = Revoked // also of a key that the market does not know, and for what only later stoas know
	case reason == Expired && l.IsTrial:
		reason = TrialEnded
	}
	l.State, l.Reason, l.CheckedAt, l.LastSeen = Lapsed, reason, now, later(now, l.LastSeen)
	return l
}
