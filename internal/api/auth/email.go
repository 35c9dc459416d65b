package auth

import (
	"net/http"

	"stoa/internal/account"
	"stoa/internal/api/web"
	"stoa/internal/base/reqctx"
)

// RequestProof serves POST /auth/email/verification. The answer is the same whether a mail is sent or not.
func (h *Handlers) RequestProof(w http.ResponseWriter, r *http.Request) error {
	if err := h.Accounts.RequestProof(r.Context(), reqctx.CallerFrom(r.Context()).UserID); err != nil {
		return err
	}
	web.WriteAccepted(w, "Unless the address is confirmed, or got such mails lately, a mail with a link is on its way. "+
		"The link works for 24 hours.")
	return nil
}

// VerifyEmail serves POST /auth/email/verify.
func (h *Handlers) VerifyEmail(w http.ResponseWriter, r *http.Request) error {
	in, err := web.ReadStrictly(w, r, account.LinkToken.Issues)
	if err != nil {
		return err
	}
	if err := h.Accounts.VerifyEmail(r.Context(), reqctx.CallerFrom(r.Context()).UserID, in.Token); err != nil {
		return err
	}
	web.WriteDone(w, "E-mail address confirmed.")
	return nil
}

// DisownEmail serves POST /auth/email/disown.
func (h *Handlers) DisownEmail(w http.ResponseWriter, r *http.Request) error {
	in, err := web.ReadStrictly(w, r, account.LinkToken.Issues)
	if err != nil {
		return err
	}
	if err := h.Accounts.DisownEmail(r.Context(), in.Token); err != nil {
		return err
	}
	web.WriteDone(w, "The account is shut, and your address is free.")
	return nil
}

// ChangeEmail serves POST /auth/email/change. The answer is the same whether somebody has the address or not.
func (h *Handlers) ChangeEmail(w http.ResponseWriter, r *http.Request) error {
	in, err := web.ReadStrictly(w, r, account.EmailChange.Issues)
	if err != nil {
		return err
	}
	who := reqctx.CallerFrom(r.Context())
	if err := h.Accounts.ChangeEmail(r.Context(), who.UserID, who.SessionID, in.New); err != nil {
		return err
	}
	web.WriteAccepted(w, "A mail with a link is on its way to the new address, unless it got such mails lately. "+
		"Until you open the link where you are signed in, nothing changes. It works for 24 hours.")
	return nil
}

// ConfirmEmail serves POST /auth/email/change/confirm.
func (h *Handlers) ConfirmEmail(w http.ResponseWriter, r *http.Request) error {
	in, err := web.ReadStrictly(w, r, account.LinkToken.Issues)
	if err != nil {
		return err
	}
	who := reqctx.CallerFrom(r.Context())
	if err := h.Accounts.ConfirmEmail(r.Context(), who.UserID, who.SessionID, in.Token); err != nil {
		return err
	}
	web.WriteDone(w, "E-mail address changed. All other sessions have ended.")
	return nil
}

// CancelEmailChange serves DELETE /auth/email/change.
func (h *Handlers) CancelEmailChange(w http.ResponseWriter, r *http.Request) error {
	if err := h.Accounts.CancelEmailChange(r.Context(), reqctx.CallerFrom(r.Context()).UserID); err != nil {
		return err
	}
	web.WriteDone(w, "The e-mail address stays.")
	return nil
}

// RevertEmail serves POST /auth/email/change/revert.
func (h *Handlers) RevertEmail(w http.ResponseWriter, r *http.Request) error {
	in, err := web.ReadStrictly(w, r, account.LinkToken.Issues)
	if err != nil {
		return err
	}
	if err := h.Accounts.RevertEmail(r.Context(), in.Token); err != nil {
		return err
	}
	web.WriteDone(w,
		"The account has its former address. A mail with a link to choose a new password is on its way to it.")
	return nil
}
