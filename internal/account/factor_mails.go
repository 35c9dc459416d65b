package account

import (
	"context"
	"maps"
	"strconv"
	"time"

	"stoa/internal/account/device"
	"stoa/internal/message/template"
)

// change is a change of the ways into an account, for a mail.
type change struct {
	kind   template.Kind
	values values
	undo   string // the link that takes the change back, which only the user gets; empty without
}

// mailChange mails a change to a user who is locked, and without the part that is for the user to whoever proved to
// read mail to the former address, as long as a change of the address can be taken back. No limit of mails holds for
// it: whoever changes something must not be able to keep it quiet.
func (s *Service) mailChange(ctx context.Context, tx Store, post poster, u User, c change) error {
	about := s.now()
	maps.Copy(about, c.values)
	own := maps.Clone(about)
	own[template.Link] = c.undo
	if err := post(letterTo(ctx, u, c.kind, own)); err != nil {
		return err
	}
	former, err := s.formerAddresses(ctx, tx, u.ID)
	if err != nil {
		return err
	}
	about[template.Former] = template.Yes
	for _, address := range former {
		if err := post(letterAt(ctx, address, u, c.kind, about)); err != nil {
			return err
		}
	}
	return nil
}

// formerAddresses returns the addresses that a user had proven, and could still take back.
func (s *Service) formerAddresses(ctx context.Context, tx Store, userID string) (all []string, err error) {
	back, err := tx.MailTokensOf(ctx, userID, LinkRevert)
	return FormerAddresses(back, s.Now()), err
}

// FormerAddresses returns the proven addresses to which a user's links of LinkRevert give the account back.
func FormerAddresses(back []MailToken, now time.Time) (all []string) {
	for _, t := range back {
		if t.live(now) && !t.Proven.IsZero() {
			all = append(all, t.Address)
		}
	}
	return all
}

// factorAdded tells that an app was switched on, with the link that undoes it, and whether there are other recovery
// codes. The token is in the fragment, as in resetMail.
func (s *Service) factorAdded(token string, replaced bool) change {
	n := change{kind: template.AppAdded, values: values{}, undo: s.undoLink(token)}
	if replaced {
		n.values[template.Replaced] = template.Yes
	}
	return n
}

// undoLink is the link of a mail about something that was added.
func (s *Service) undoLink(token string) string { return s.PublicURL + "/not-me#" + token }

// factorRemoved tells that codes of an app are not asked for anymore, and what is.
func factorRemoved(left SecondFactors) change {
	n := change{kind: template.AppRemoved, values: values{}}
	if left.Any() {
		n.values[template.Passkeys] = template.Yes
	}
	return n
}

// passkeyAdded tells that a passkey was added, with the link that undoes it. The name that its user gave it is not
// told: whoever added it chose the words.
func (s *Service) passkeyAdded(p Passkey, token string) change {
	return change{template.PasskeyAdded, values{template.Provider: p.Credential.Provider()}, s.undoLink(token)}
}

// passkeyRemoved tells that passkeys were removed, and whether a second step is still asked for.
func passkeyRemoved(n int, left SecondFactors) change {
	what := values{}
	if n > 1 {
		what[template.Count] = strconv.Itoa(n)
	}
	if !left.Any() {
		what[template.Alone] = template.Yes
	}
	return change{kind: template.PasskeysRemoved, values: what}
}

// letterCounter tells a user that a passkey may have been copied.
func (s *Service) letterCounter(ctx context.Context, u User) letter {
	return letterTo(ctx, u, template.PasskeyCopied, s.now())
}

// letterReset tells that the people who run the site plan to remove the second factors of a user, with the link that
// stops it.
func (s *Service) letterReset(ctx context.Context, u User, f SecondFactors, to, token string, at time.Time) letter {
	more := values{template.At: template.Moment(at), template.Link: s.PublicURL + "/keep-second-factor#" + token}
	if f.TOTP {
		more[template.App] = template.Yes
	}
	if f.Passkeys+f.Foreign > 0 {
		more[template.Passkeys] = template.Yes
	}
	return letterAt(ctx, to, u, template.FactorReset, more)
}

// letterCodeUsed tells a user that a recovery code was used, and how many remain.
func (s *Service) letterCodeUsed(ctx context.Context, u User, left int) letter {
	more := s.now()
	more[template.Left] = strconv.Itoa(left)
	return letterTo(ctx, u, template.RecoveryCodeUsed, more)
}

// notify mails a user what happened while somebody signed in, unless the mailbox had enough of the like today.
func (s *Service) notify(ctx context.Context, tx Store, post poster, l letter, u User) error {
	ok, err := s.mayNotify(ctx, tx, u.Email)
	if !ok || err != nil {
		return err
	}
	return post(l)
}

// letterSignIn tells a user of a sign-in from where nobody signed in before. Of what the program says of itself the
// mail has names of a fixed list: whoever signs in chooses none of its words.
func letterSignIn(ctx context.Context, u User, session Session) letter {
	where := device.Read(session.UserAgent).String()
	return letterTo(ctx, u, template.NewSignIn, values{
		template.At: template.Moment(session.CreatedAt), template.Device: where, template.Address: session.Address,
	})
}
