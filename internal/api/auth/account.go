package auth

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"log/slog"
	"net/http"
	"time"

	"stoa/internal/account"
	"stoa/internal/api/limit"
	"stoa/internal/api/web"
	"stoa/internal/api/wire"
	"stoa/internal/base/permission"
	"stoa/internal/base/reqctx"
)

// overview is a user's account, as its user sees it.
type overview struct {
	User          wire.User `json:"user"`
	EmailVerified bool      `json:"emailVerified"`
	PendingEmail  string    `json:"pendingEmail,omitempty"`
	HasPassword   bool      `json:"hasPassword"`
	Removable     bool      `json:"passwordRemovable"`
	Breached      bool      `json:"passwordBreached"`
	SecondFactor  struct {
		TOTP              bool `json:"totp"`
		Passkeys          int  `json:"passkeys"`
		RecoveryCodesLeft int  `json:"recoveryCodesLeft"`
		Available         bool `json:"available"`
		Required          bool `json:"required"`
		Advised           bool `json:"advised"`
	} `json:"secondFactor"`
	Session struct {
		ID              string        `json:"id"`
		Level           int           `json:"level"`
		Methods         []string      `json:"methods"`
		AuthenticatedAt web.Timestamp `json:"authenticatedAt"`
		Impersonator    *impersonator `json:"impersonator,omitempty"`
	} `json:"session"`
	Permissions  []permission.Name `json:"permissions"`
	DeletionDays int               `json:"deletionDays"`
	Deletion     *plannedDeletion  `json:"deletion,omitempty"`
}

// plannedDeletion says when an account is removed.
type plannedDeletion struct {
	At web.Timestamp `json:"at"`
}

// impersonator is who acts as the user in the session at hand, until when, and whether to change something, too.
type impersonator struct {
	wire.Person

	EndsAt web.Timestamp `json:"endsAt"`
	Write  bool          `json:"write"`
}

// Account serves GET /auth/account.
func (h *Handlers) Account(w http.ResponseWriter, r *http.Request) error {
	who := reqctx.CallerFrom(r.Context())
	o, err := h.Accounts.Overview(r.Context(), who.UserID, who.SessionID)
	if err != nil {
		return err
	}
	out := overview{
		User: wire.NewUser(o.User), EmailVerified: o.Proven, PendingEmail: o.Pending, HasPassword: o.HasPassword,
		Removable: o.Removable, Breached: o.Breached,
	}
	out.SecondFactor.TOTP, out.SecondFactor.RecoveryCodesLeft = o.Factors.TOTP, o.Factors.RecoveryCodes
	out.SecondFactor.Passkeys = o.Factors.Passkeys + o.Factors.Foreign
	out.Session.ID, out.Session.Level, out.Session.Methods = o.Session.ID, o.Session.Level, o.Session.MethodNames()
	out.SecondFactor.Available = o.FactorAllowed
	out.SecondFactor.Required, out.SecondFactor.Advised = o.FactorAsked, o.FactorAdvised
	out.Session.AuthenticatedAt = web.Timestamp(o.Session.ProvenAt())
	if by := o.Session.StandIn; by.Any() {
		out.Session.Impersonator = &impersonator{
			wire.Person{ID: by.ID, Name: by.Name}, web.Timestamp(o.Session.EndsAt), by.Writable,
		}
	}
	out.Permissions = who.Rights.Names()
	out.DeletionDays = int(h.Leaving.Wait / (24 * time.Hour))
	if at := o.User.DeletionAt; !at.IsZero() {
		out.Deletion = &plannedDeletion{web.Timestamp(at)}
	}
	web.WriteData(w, http.StatusOK, out)
	return nil
}

// Reauthenticate serves POST /auth/reauthenticate. It counts like a sign-in.
func (h *Handlers) Reauthenticate(w http.ResponseWriter, r *http.Request) error {
	in, err := web.ReadStrictly(w, r, account.Reauthentication.Issues)
	if err != nil {
		return err
	}
	who := reqctx.CallerFrom(r.Context())
	u, err := h.Accounts.User(r.Context(), who.UserID)
	if err != nil {
		return err
	}
	typed := sha256.Sum256([]byte(account.Key(u.Email)))
	if err := h.Limits.Slow(r.Context(), limit.LoginAccount, hex.EncodeToString(typed[:]), nil); err != nil {
		return err
	}
	session, err := h.Accounts.Reauthenticate(r.Context(), who.UserID, who.SessionID, in)
	if errors.Is(err, account.ErrReauthenticate) || errors.Is(err, account.ErrReauthenticateCode) {
		h.Log.InfoContext(r.Context(), "sign-in failed", slog.String("address", h.ClientIP.Addr(r).String()))
	}
	if err != nil {
		return err
	}
	writeProven(w, session)
	return nil
}

// MailProof serves POST /auth/reauthenticate/email. The answer is the same whether a mail is sent or not.
func (h *Handlers) MailProof(w http.ResponseWriter, r *http.Request) error {
	who := reqctx.CallerFrom(r.Context())
	if err := h.Accounts.MailProof(r.Context(), who.UserID, who.SessionID); err != nil {
		return err
	}
	web.WriteAccepted(w,
		"Unless your mailbox got such mails lately, a mail with a code is on its way. The code works for 10 minutes.")
	return nil
}

// writeProven answers until when a proof to be there counts.
func writeProven(w http.ResponseWriter, session account.Session) {
	at := session.ProvenAt()
	web.WriteData(w, http.StatusOK, struct {
		AuthenticatedAt web.Timestamp `json:"authenticatedAt"`
		Level           int           `json:"level"`
		Until           web.Timestamp `json:"until"`
	}{web.Timestamp(at), session.Level, web.Timestamp(at.Add(account.RecentLife))})
}
