package auth

import (
	"net/http"

	"stoa/internal/account"
	"stoa/internal/api/web"
	"stoa/internal/base/reqctx"
)

// ChangePassword serves POST /auth/change-password.
func (h *Handlers) ChangePassword(w http.ResponseWriter, r *http.Request) error {
	in, err := web.ReadInput(w, r, h.Accounts.PasswordChangeIssues)
	if err != nil {
		return err
	}
	who := reqctx.CallerFrom(r.Context())
	if err := h.Accounts.ChangePassword(r.Context(), who.UserID, who.SessionID, in.Current, in.New,
		in.KeepKeys...); err != nil {
		return err
	}
	web.WriteDone(w, "Password changed. All other sessions have ended.")
	return nil
}

// SetPassword serves POST /auth/password.
func (h *Handlers) SetPassword(w http.ResponseWriter, r *http.Request) error {
	in, err := web.ReadStrictly(w, r, h.Accounts.NewPasswordIssues)
	if err != nil {
		return err
	}
	who := reqctx.CallerFrom(r.Context())
	if err := h.Accounts.SetPassword(r.Context(), who.UserID, who.SessionID, in.New); err != nil {
		return err
	}
	web.WriteDone(w, "Password set. All other sessions have ended.")
	return nil
}

// RemovePassword serves DELETE /auth/password.
func (h *Handlers) RemovePassword(w http.ResponseWriter, r *http.Request) error {
	who := reqctx.CallerFrom(r.Context())
	if err := h.Accounts.RemovePassword(r.Context(), who.UserID, who.SessionID); err != nil {
		return err
	}
	web.WriteDone(w, "The account has no password. All other sessions have ended.")
	return nil
}

// ForgotPassword serves POST /auth/forgot-password. The answer is the same
// whether there is such a user or not.
func (h *Handlers) ForgotPassword(w http.ResponseWriter, r *http.Request) error {
	in, err := web.ReadInput(w, r, account.ForgottenPassword.Issues)
	if err != nil {
		return err
	}
	if err := h.Accounts.ForgotPassword(r.Context(), in.Email); err != nil {
		return err
	}
	web.WriteDone(w, "If there is an account with this e-mail address, "+
		"a mail with a link is on its way. The link works for 30 minutes.")
	return nil
}

// ResetPassword serves POST /auth/reset-password.
func (h *Handlers) ResetPassword(w http.ResponseWriter, r *http.Request) error {
	in, err := web.ReadInput(w, r, h.Accounts.PasswordResetIssues)
	if err != nil {
		return err
	}
	if err := h.Accounts.ResetPassword(r.Context(), in.Token, in.New); err != nil {
		return err
	}
	web.WriteDone(w, "Password changed. All sessions have ended: sign in with the new password.")
	return nil
}
