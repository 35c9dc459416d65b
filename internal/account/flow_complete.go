package account

import (
	"context"
	"errors"

	"stoa/internal/account/federated"
	"stoa/internal/account/mailbox"
	"stoa/internal/base/errs"
	"stoa/internal/base/event"
	"stoa/internal/base/ids"
	"stoa/internal/base/reqctx"
	"stoa/internal/trust/audit"
	"stoa/internal/trust/keyring"
)

// FlowCompletion is the form of somebody who came back from a provider.
type FlowCompletion struct {
	Username string `json:"username"` // of a new account
	Email    string `json:"email"`    // to which a code is mailed
	Link     bool   `json:"link"`     // the account that has the address, with a code that is mailed to it
}

// Issues returns what is wrong with in.
func (in FlowCompletion) Issues() errs.Issues {
	var f faults
	if in.Username != "" {
		f.username("username", in.Username)
	}
	if in.Email != "" {
		f.email(in.Email)
	}
	return f.Issues
}

// FlowCode is the form with the code that proves a mailbox.
type FlowCode struct {
	Code string `json:"code"`
}

// Issues returns what is wrong with in.
func (in FlowCode) Issues() errs.Issues {
	var f faults
	f.Require("code", in.Code)
	return f.Issues
}

// Completed is how a way to a provider and back ended: with a token set, with an identity that was linked to the user
// of a session, or with a session whose user proved to be there.
type Completed struct {
	Tokens  *Tokens
	Linked  *Identity
	Session *Session
}

// CompleteFlow ends what BeginFlow began, in the browser with that cookie: whoever came back from the provider is
// signed in, linked, or was there. The error is VALIDATION_ERROR, ErrFlow, or what is due or refused:
//
//   - ErrFlow, ErrIdentityTaken and ErrSignUpClosed end the flow; all others leave it open;
//   - ErrProofRequired, ErrLinkRequired, ErrUsernameRequired and ErrSecondFactor say what is due;
//   - ErrLogin for a user who may not sign in, ErrStaffMethod for staff, ErrTaken for a username that somebody has,
//     ErrUnproven, ErrNotRecent, ErrManyIdentities, ErrNotByProvider and ErrNotProven.
func (s *Service) CompleteFlow(ctx context.Context, cookie string, by Caller, in FlowCompletion) (Completed, error) {
	if err := in.Issues().Err(); err != nil {
		return Completed{}, err
	}
	return s.advance(ctx, cookie, by, in, "")
}

// ProveFlow is CompleteFlow with the code that it had mailed. The error is also ErrTypedCode.
func (s *Service) ProveFlow(ctx context.Context, cookie string, by Caller, in FlowCode) (Completed, error) {
	if err := in.Issues().Err(); err != nil {
		return Completed{}, err
	}
	return s.advance(ctx, cookie, by, FlowCompletion{}, in.Code)
}

// passage is somebody on their way in, within a transaction. The flow was taken.
type passage struct {
	*Service

	tx     Store
	post   poster
	key    keyring.Key
	cookie string
	in     FlowCompletion
	f      Flow
	p      Provider
	who    flowResult
	// over says that the flow has ended. Otherwise it is there again after the transaction, as it is now.
	over bool

	user    User
	session *Session
	done    Completed
}

// advance is CompleteFlow, with a code unless that is empty.
func (s *Service) advance(
	ctx context.Context, cookie string, by Caller, in FlowCompletion, code string,
) (Completed, error) {
	known, err := s.Store.FlowOf(ctx, ids.HashLinkToken(cookie))
	if errs.KindOf(err) == errs.NotFound || err == nil && (!known.live(s.Now()) || known.Result == "") {
		return Completed{}, ErrFlow
	} else if err != nil {
		return Completed{}, err
	}
	if known.Mode != FlowSignIn && (by.SessionID == "" || known.UserID != by.UserID || known.SessionID != by.SessionID) {
		return Completed{}, ErrFlow // somebody else's, who would get what is not theirs
	}
	if known.Mode == FlowLink {
		if err := s.RequireRecent(ctx, by.UserID, by.SessionID); err != nil {
			return Completed{}, err
		}
	}
	// Rows that the previous release wrote have no mailbox yet, and would not be found by it.
	if _, _, err := s.Store.FillMailboxes(ctx, "", mailboxBatch); err != nil {
		return Completed{}, err
	}
	p, err := s.enabled(ctx, s.Store, func(p Provider) bool { return p.ID == known.ProviderID })
	if errs.KindOf(err) == errs.NotFound {
		return Completed{}, ErrFlow // disabled meanwhile
	} else if err != nil {
		return Completed{}, err
	}
	key, err := s.Ring.Signer(ctx)
	if err != nil {
		return Completed{}, err
	}
	var g *passage
	var due error // and commit
	err = s.inTxWithMail(ctx, func(tx Store, post poster) (err error) {
		g = &passage{Service: s, tx: tx, post: post, key: key, cookie: cookie, in: in, p: p}
		due, err = g.pass(ctx, known, code)
		return err
	})
	switch {
	case errors.Is(err, ErrIdentityTaken): // nothing else stays of what the flow was about to do
		return Completed{}, s.endWith(ctx, known, err)
	case err != nil:
		return Completed{}, err
	case due != nil:
		return Completed{}, due
	case g.session != nil:
		t, err := s.tokens(ctx, g.user, *g.session, g.session.Refresh)
		g.done.Tokens = &t
		return g.done, err
	}
	return g.done, nil
}

// mailboxBatch is how many rows of the previous release get their mailbox at a time.
const mailboxBatch = 1000

// pass takes the flow, goes on with it, and puts it back unless it is over. due is refused once that is stored.
func (g *passage) pass(ctx context.Context, known Flow, code string) (due, err error) {
	var c Credentials
	if known.UserID != "" { // before the flow: see Store
		if c, err = g.tx.User(ctx, known.UserID); err != nil {
			return nil, noFlow(err)
		}
	}
	if g.f, err = g.tx.TakeFlow(ctx, known.State); err != nil {
		return nil, noFlow(err)
	}
	if g.who, err = g.openResult(g.f); err != nil {
		return nil, err
	}
	if known.UserID != "" && (!c.Active || c.Generation != g.f.Generation) {
		return nil, ErrFlow
	}
	right := true
	if code != "" {
		if right, err = g.proves(ctx, code); err != nil {
			return nil, err
		}
	}
	switch {
	case !right:
		due = ErrTypedCode
	case g.f.Mode == FlowLink:
		due, err = g.linkToCaller(ctx, c)
	case g.f.Mode == FlowReauth:
		due, err = g.reauthenticate(ctx, c)
	default:
		due, err = g.signIn(ctx)
	}
	if err != nil || g.over || due == nil {
		return due, err
	}
	g.f.Result = g.sealResult(g.f, g.who)
	return due, g.tx.CreateFlow(ctx, g.f)
}

// noFlow is ErrFlow for what is not there.
func noFlow(err error) error { return errs.Missing(err, ErrFlow) }

// proves reports whether a code is the one that was mailed, and notes it. A flow bears as many codes, and so do all
// flows to a mailbox together within the life of one, whoever began them. They are counted by the mailbox and not by
// its account, before they are looked at: what is done, stored and answered is the same whether it has one.
func (g *passage) proves(ctx context.Context, code string) (bool, error) {
	looked := g.f.Tries < typedTries && g.who.Asked != ""
	if looked {
		var err error
		if looked, err = g.allow(ctx, g.tx, "typed:"+mailbox.Counted(g.who.Asked), typedTries, FlowLife); err != nil {
			return false, err
		}
	}
	if !looked || !isTyped(g.f.Code, g.cookie, code) {
		g.f.Tries++
		return false, nil
	}
	g.f.Code, g.f.Tries = "", 0
	g.who.Proven = true
	g.in.Link = g.who.Link
	return true, nil
}

// mailCode mails a code to an address. If the mailbox had enough mails, none is sent, and the answer is the same.
func (g *passage) mailCode(ctx context.Context, address string) error {
	if may, err := g.mayMail(ctx, g.tx, address); err != nil || !may {
		return err
	}
	code := newTypedCode()
	g.f.Code, g.f.Tries = typedHash(g.cookie, code), 0
	g.who.Asked, g.who.Proven = address, false
	return g.post(letterCode(ctx, address, code))
}

// due returns an error of the flow with its details.
func (g *passage) due(e *errs.Error) *errs.Error { return e.With("flow", g.f.State) }

// signIn signs in whoever came back, or makes an account for them.
func (g *passage) signIn(ctx context.Context) (due, err error) {
	known, err := g.tx.IdentityWith(ctx, g.who.Issuer, g.who.Subject)
	if err == nil {
		return g.enter(ctx, known)
	} else if errs.KindOf(err) != errs.NotFound {
		return nil, err
	}
	address := g.who.address()
	if address == "" {
		return g.askAddress(ctx, g.who.Email)
	}
	c, err := g.tx.UserByMailbox(ctx, mailbox.Key(address))
	if err == nil {
		return g.offerLink(ctx, c)
	} else if errs.KindOf(err) != errs.NotFound {
		return nil, err
	}
	if free, err := g.isFree(ctx, g.tx, address); err != nil {
		return nil, err
	} else if !free { // of somebody whose mailbox is another one
		return g.askAddress(ctx, "")
	}
	return g.create(ctx, address)
}

// askAddress asks for an address, and has a code mailed to one that was given.
func (g *passage) askAddress(ctx context.Context, suggested string) (due, err error) {
	ask := g.due(ErrProofRequired)
	switch {
	case g.in.Email != "" && g.sendsMail():
		g.who.Link = false
		return ask.With("sent", true), g.mailCode(ctx, g.in.Email)
	case suggested != "":
		ask = ask.With("suggested", suggested)
	}
	return ask, nil
}

// offerLink is for somebody whose address an account has: it says how to link the two, or does so.
func (g *passage) offerLink(ctx context.Context, c Credentials) (due, err error) {
	ways := []string{"sign-in"}
	mailed := g.sendsMail() && !c.isStaff()
	if mailed {
		ways = append(ways, "mailbox")
	}
	ask := g.due(ErrLinkRequired).With("ways", ways)
	switch {
	case !g.in.Link:
		return ask, nil
	case c.isStaff():
		return ErrStaffMethod, nil
	case !mailed:
		return ask, nil
	case !g.who.Proven:
		g.who.Link = true
		return ask.With("sent", true), g.mailCode(ctx, c.Email)
	case !c.Active:
		return ErrLogin, nil
	}
	if c.ProvenAt.IsZero() {
		if c, err = g.provenOutside(ctx, g.tx, c); err != nil {
			return nil, err
		}
		if err := g.record(ctx, g.tx, audit.UserVerifyEmail, c.ID, audit.Details{"email": c.Email}); err != nil {
			return nil, err
		}
	}
	// Before anything is done for the sign-in: none of it stays if it is refused.
	if err := g.roomFor(ctx, g.tx, c, g.who); errors.Is(err, ErrManyIdentities) {
		return ErrManyIdentities, nil
	} else if err != nil {
		return nil, err
	}
	if step, err := g.secondStep(ctx, c, methodProvider); step != nil || err != nil {
		g.who.LinkTo = c.ID // once the second step is done
		return step, err
	}
	id, err := g.addIdentity(ctx, g.tx, g.post, c, g.p, g.who)
	if err != nil {
		return nil, err
	}
	return nil, g.letIn(ctx, c, id)
}

// enter signs in the user of an identity.
func (g *passage) enter(ctx context.Context, id Identity) (due, err error) {
	c, err := g.tx.User(ctx, id.UserID)
	if err != nil {
		return nil, noFlow(err)
	}
	if !c.Active {
		return ErrLogin, nil
	}
	if !g.p.opensTo(c.User) {
		return ErrStaffMethod, nil
	}
	id.ProviderID, id.Email, id.LastUsedAt = g.p.ID, g.who.Email, g.Now()
	if err := g.tx.UseIdentity(ctx, id); err != nil { // unlinked meanwhile
		return nil, noFlow(err)
	}
	if step, err := g.secondStep(ctx, c, id.method()); step != nil || err != nil {
		return step, err
	}
	return nil, g.letIn(ctx, c, id)
}

// create makes an account with an address that is proven.
func (g *passage) create(ctx context.Context, address string) (due, err error) {
	if !g.p.SignUp || g.LastRules().Registration == RegistrationClosed {
		g.over = true
		return ErrSignUpClosed, nil
	}
	if g.in.Username != "" {
		g.f.Username = g.in.Username
	}
	if g.f.Username == "" {
		return g.due(ErrUsernameRequired), nil
	}
	now := g.Now()
	c := Credentials{
		User: User{
			ID: ids.New(), Email: address, Username: g.f.Username, Role: reqctx.RoleUser, Active: true, CreatedAt: now,
		},
		ProvenAt: now,
	}
	if err := g.createUser(ctx, g.tx, c); errs.KindOf(err) == errs.Conflict {
		return nil, ErrTaken
	} else if err != nil {
		return nil, err
	}
	if err := g.record(ctx, g.tx, audit.UserVerifyEmail, c.ID, audit.Details{"email": c.Email}); err != nil {
		return nil, err
	}
	names := event.Names{UserID: c.ID}
	err = g.tx.Publish(ctx, event.New(now, event.UserRegistered, names), event.New(now, event.UserEmailVerified, names))
	if err != nil {
		return nil, err
	}
	id, err := g.addIdentity(ctx, g.tx, g.post, c, g.p, g.who)
	if err != nil {
		return nil, err
	}
	g.admit(ctx, c, id)
	return nil, g.openFirst(ctx, g.tx, *g.session)
}

// admit makes a session of a user who came back from the provider, where they are id.
func (g *passage) admit(ctx context.Context, c Credentials, id Identity) {
	session := g.newSession(ctx, c.User, g.key)
	session.Methods = []string{id.method()}
	g.user, g.session, g.over = c.User, &session, true
}

// letIn opens a session of a user who is locked, with their identity.
func (g *passage) letIn(ctx context.Context, c Credentials, id Identity) error {
	g.admit(ctx, c, id)
	return g.open(ctx, g.tx, g.post, c.User, *g.session)
}

// secondStep returns what asks a user who is locked for the second step, after a first by that method, or nil.
func (g *passage) secondStep(ctx context.Context, c Credentials, first string) (due, err error) {
	step, err := g.challengeIfDue(ctx, g.tx, g.post, c, first, g.f.State)
	if err != nil || step == nil {
		return nil, err
	}
	return step, nil
}

// linkToCaller links the identity to the user of the flow's session.
func (g *passage) linkToCaller(ctx context.Context, c Credentials) (due, err error) {
	if err := g.stillIn(ctx, g.tx, g.f.SessionID); err != nil {
		return nil, err
	}
	if err := g.mayAdd(c); err != nil {
		return err, nil
	}
	if !g.p.opensTo(c.User) {
		return ErrStaffMethod, nil
	}
	id, err := g.addIdentity(ctx, g.tx, g.post, c, g.p, g.who)
	if errors.Is(err, ErrManyIdentities) {
		return ErrManyIdentities, nil
	} else if err != nil {
		return nil, err
	}
	g.over, g.done.Linked = true, &id
	return nil, nil
}

// reauthenticate notes that the user of the flow's session, who is locked, is there: the provider saw them since the
// flow began. It is for those who have nothing else to prove that with.
func (g *passage) reauthenticate(ctx context.Context, c Credentials) (due, err error) {
	if !g.p.opensTo(c.User) {
		return ErrStaffMethod, nil
	}
	if err := g.provesElsewhere(ctx, g.tx, c); errors.Is(err, ErrNotByProvider) {
		return ErrNotByProvider, nil
	} else if err != nil {
		return nil, err
	}
	known, err := g.tx.IdentityWith(ctx, g.who.Issuer, g.who.Subject)
	switch {
	case ignore(err, errs.NotFound) != nil:
		return nil, err
	case known.UserID != c.ID, g.who.AuthenticatedAt.Before(g.f.CreatedAt.Add(-federated.ClockSkew)):
		return ErrNotProven, nil
	}
	session, err := g.noteProof(ctx, g.tx, g.f.SessionID)
	g.over, g.done.Session = true, &session
	return nil, noFlow(err)
}
