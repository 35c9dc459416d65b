package account

import (
	"context"
	"time"

	"stoa/internal/base/errs"
	"stoa/internal/base/ids"
)

// LinkKind is what a link in a mail does.
type LinkKind string

// The kinds of links, and how long each works.
const (
	LinkVerify LinkKind = "verify"  // proves the mailbox of an account, inside a session of it
	LinkDisown LinkKind = "disown"  // shuts an account that somebody else made with the address
	LinkChange LinkKind = "change"  // gives an account another address, inside a session of it
	LinkRevert LinkKind = "revert"  // gives an account its former address back
	LinkSignUp LinkKind = "sign_up" // makes an account
	LinkNotMe  LinkKind = "not_me"  // removes the second factor that was added when it was made
	LinkSignIn LinkKind = "sign_in" // signs in; it is found by its flow, and has a code, too
	LinkReauth LinkKind = "reauth"  // a code alone, which proves inside a session that its user is there
	// LinkKeepFactor calls off the removal of second factors, for as long as that is planned.
	LinkKeepFactor LinkKind = "reset_cancel"
	// LinkKeepAccount calls off the deletion of an account, for as long as that is planned. It is package leave's.
	LinkKeepAccount LinkKind = "delete_cancel"
	// LinkInvite gives a role of staff. It is package invite's, and nobody's until it is used.
	LinkInvite LinkKind = "invite"
)

var linkLives = map[LinkKind]time.Duration{
	LinkVerify: 24 * time.Hour, LinkDisown: 7 * 24 * time.Hour,
	LinkChange: 24 * time.Hour, LinkRevert: 7 * 24 * time.Hour,
	LinkSignUp: 24 * time.Hour, LinkNotMe: 72 * time.Hour, LinkReauth: FlowLife,
}

// ErrLink is returned for every link that does not work: unknown, used, expired, voided, or of another
// account.
var ErrLink = errs.New(errs.Invalid, "INVALID_LINK", "This link no longer works. Request a new one.")

// MailToken is a link in a mail. It works once; what is used or voided is deleted.
type MailToken struct {
	// Hash is that of the link's token, which is not kept; of a LinkSignIn that of its flow.
	Hash   string
	Kind   LinkKind
	UserID string // empty for a LinkSignUp and a LinkInvite
	// Address is the mailbox that the link was mailed to.
	Address string
	// Held says that nobody else may take Address while the link works.
	Held bool
	// Generation is the user's when the link was made.
	Generation int64
	// Proven is when the user had proven Address, for a LinkRevert.
	Proven time.Time
	// Link and Code are hashes of what a LinkSignIn mails: the link's token, and the code, as typedHash makes it. Both
	// are empty where nothing was mailed. A LinkReauth has the code only. Tries counts codes that were typed.
	Link, Code string
	Tries      int
	// Passkey is the id of the one that a LinkNotMe removes; without, it removes the user's app.
	Passkey string
	// SessionID is the session that a LinkReauth is for.
	SessionID string
	CreatedAt time.Time
	ExpiresAt time.Time
}

// live reports whether the link has not expired at now.
func (t MailToken) live(now time.Time) bool { return now.Before(t.ExpiresAt) }

// MailTokens is the part of Store about links in mails.
type MailTokens interface {
	// CreateMailToken inserts a link. The error is an errs.Conflict if the hash is taken.
	CreateMailToken(ctx context.Context, t MailToken) error

	// MailToken returns the link with that hash, expired or not, or an errs.NotFound error.
	MailToken(ctx context.Context, hash string) (MailToken, error)

	// MailTokensOf returns the user's links of a kind, expired or not, the newest first.
	MailTokensOf(ctx context.Context, userID string, kind LinkKind) ([]MailToken, error)

	// TakeMailToken deletes the link with that hash. The error is an errs.NotFound if there is
	// none; of several callers that take it, one succeeds.
	TakeMailToken(ctx context.Context, hash string) error

	// CountMailTry adds one to the Tries of the link with that hash. The error is an errs.NotFound if there
	// is none, or it has as many as most.
	CountMailTry(ctx context.Context, hash string, most int) error

	// DeleteMailTokens deletes the user's links of those kinds. Having none is not an error.
	DeleteMailTokens(ctx context.Context, userID string, kinds ...LinkKind) error

	// HasHeld reports whether another user holds the address with that Key at now.
	HasHeld(ctx context.Context, userID, key string, now time.Time) (bool, error)

	// AllowMail counts a mail under a name, unless one was counted there less than every before
	// now. It returns the zero time if it was counted, or else when the next one may be.
	AllowMail(ctx context.Context, name string, every time.Duration, now time.Time) (time.Time, error)
}

// LinkToken is the token of a link, as a page sends it.
type LinkToken struct {
	Token string `json:"token"`
}

// Issues returns what is wrong with t.
func (t LinkToken) Issues() errs.Issues {
	var f faults
	f.Require("token", t.Token)
	return f.Issues
}

// newLink returns a link for a user, and its token.
func (s *Service) newLink(kind LinkKind, c Credentials, address string) (t MailToken, token string) {
	token = newResetToken()
	now := s.Now()
	return MailToken{
		Hash: ids.HashLinkToken(token), Kind: kind, UserID: c.ID, Address: address, Generation: c.Generation,
		CreatedAt: now, ExpiresAt: now.Add(linkLives[kind]),
	}, token
}

// link returns the live link of that kind with a token, or ErrLink.
func (s *Service) link(ctx context.Context, st Store, kind LinkKind, token string) (MailToken, error) {
	if err := (LinkToken{token}).Issues().Err(); err != nil {
		return MailToken{}, err
	}
	t, err := st.MailToken(ctx, ids.HashLinkToken(token))
	if errs.KindOf(err) == errs.NotFound || err == nil && (t.Kind != kind || !t.live(s.Now())) {
		return MailToken{}, ErrLink
	}
	return t, err
}

// byLink runs change on the user of a link of that kind, who is locked, and the link, which is used up then. What it
// posts is mailed. The error is VALIDATION_ERROR, ErrLink, or that of change; ErrLink also for an errs.NotFound of it.
func (s *Service) byLink(
	ctx context.Context, kind LinkKind, token string,
	change func(tx Store, post poster, c Credentials, t MailToken) error,
) error {
	t, err := s.link(ctx, s.Store, kind, token)
	if err != nil {
		return err
	}
	return noLink(s.inTxWithMail(ctx, func(tx Store, post poster) error {
		c, err := tx.User(ctx, t.UserID) // before its links: see Store
		if err != nil {
			return err
		}
		if err := tx.TakeMailToken(ctx, t.Hash); err != nil {
			return err
		}
		return change(tx, post, c, t)
	}))
}

// noLink is ErrLink for what is not there.
func noLink(err error) error { return errs.Missing(err, ErrLink) }

// How many mails a mailbox gets that strangers can cause: one in mailPause, and mailsAtOnce in mailWindow.
const (
	mailPause   = time.Minute
	mailWindow  = time.Hour
	mailsAtOnce = 6
)
