package auth

import (
	"net/http"

	"stoa/internal/account"
	"stoa/internal/api/web"
	"stoa/internal/base/reqctx"
)

// SetUpTOTP serves POST /auth/totp.
func (h *Handlers) SetUpTOTP(w http.ResponseWriter, r *http.Request) error {
	set, err := h.Accounts.SetUpTOTP(r.Context(), reqctx.CallerFrom(r.Context()).UserID)
	if err != nil {
		return err
	}
	web.WriteData(w, http.StatusCreated, struct {
		Secret    string        `json:"secret"`
		URI       string        `json:"uri"`
		ExpiresAt web.Timestamp `json:"expiresAt"`
	}{set.Secret, set.URI, web.Timestamp(set.ExpiresAt)})
	return nil
}

// recoveryCodes are shown once.
type recoveryCodes struct {
	Codes []string `json:"recoveryCodes"`
}

// ConfirmTOTP serves POST /auth/totp/confirm.
func (h *Handlers) ConfirmTOTP(w http.ResponseWriter, r *http.Request) error {
	in, err := web.ReadStrictly(w, r, account.TypedCode.Issues)
	if err != nil {
		return err
	}
	who := reqctx.CallerFrom(r.Context())
	codes, err := h.Accounts.ConfirmTOTP(r.Context(), who.UserID, who.SessionID, in)
	if err != nil {
		return err
	}
	web.WriteData(w, http.StatusOK, recoveryCodes{codes})
	return nil
}

// RemoveTOTP serves DELETE /auth/totp.
func (h *Handlers) RemoveTOTP(w http.ResponseWriter, r *http.Request) error {
	who := reqctx.CallerFrom(r.Context())
	if err := h.Accounts.RemoveTOTP(r.Context(), who.UserID, who.SessionID); err != nil {
		return err
	}
	web.WriteDone(w, "Codes of an app are off.")
	return nil
}

// NewRecoveryCodes serves POST /auth/recovery-codes.
func (h *Handlers) NewRecoveryCodes(w http.ResponseWriter, r *http.Request) error {
	who := reqctx.CallerFrom(r.Context())
	codes, err := h.Accounts.NewRecoveryCodes(r.Context(), who.UserID, who.SessionID)
	if err != nil {
		return err
	}
	web.WriteData(w, http.StatusCreated, recoveryCodes{codes})
	return nil
}

// RemoveFactors serves DELETE /auth/second-factor.
func (h *Handlers) RemoveFactors(w http.ResponseWriter, r *http.Request) error {
	who := reqctx.CallerFrom(r.Context())
	if err := h.Accounts.RemoveFactors(r.Context(), who.UserID, who.SessionID); err != nil {
		return err
	}
	web.WriteDone(w, "The account has no second factor.")
	return nil
}

// KeepFactors serves POST /auth/second-factor/reset/cancel.
func (h *Handlers) KeepFactors(w http.ResponseWriter, r *http.Request) error {
	in, err := web.ReadStrictly(w, r, account.LinkToken.Issues)
	if err != nil {
		return err
	}
	if err := h.Accounts.KeepFactors(r.Context(), in.Token); err != nil {
		return err
	}
	web.WriteDone(w, "The second factor stays. Choose a new password.")
	return nil
}

// UndoFactor serves POST /auth/second-factor/not-me.
func (h *Handlers) UndoFactor(w http.ResponseWriter, r *http.Request) error {
	in, err := web.ReadStrictly(w, r, account.LinkToken.Issues)
	if err != nil {
		return err
	}
	if err := h.Accounts.UndoFactor(r.Context(), in.Token); err != nil {
		return err
	}
	web.WriteDone(w, "The second factor is removed, and all sessions have ended. Choose a new password.")
	return nil
}
