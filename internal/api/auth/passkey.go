package auth

import (
	"errors"
	"log/slog"
	"net/http"

	"stoa/internal/account"
	"stoa/internal/api/web"
	"stoa/internal/base/reqctx"
)

// passkeyRow is a passkey, as its user sees it.
type passkeyRow struct {
	ID         string        `json:"id"`
	Name       string        `json:"name"`
	CreatedAt  web.Timestamp `json:"createdAt"`
	LastUsedAt web.Timestamp `json:"lastUsedAt,omitzero"`
	BackedUp   bool          `json:"backedUp"`
	Transports []string      `json:"transports"`
	Provider   string        `json:"provider,omitempty"`
}

func rowOf(p account.Passkey) passkeyRow {
	return passkeyRow{
		ID: p.ID, Name: p.Name, CreatedAt: web.Timestamp(p.CreatedAt), LastUsedAt: web.Timestamp(p.LastUsedAt),
		BackedUp: p.Credential.BackedUp, Transports: web.OrEmpty(p.Credential.Transports), Provider: p.Credential.Provider(),
	}
}

// writeOptions answers with what a page passes to its browser.
func writeOptions(w http.ResponseWriter, options any) {
	web.WriteData(w, http.StatusOK, struct {
		PublicKey any `json:"publicKey"`
	}{options})
}

// ListPasskeys serves GET /auth/passkeys.
func (h *Handlers) ListPasskeys(w http.ResponseWriter, r *http.Request) error {
	list, err := h.Accounts.MyPasskeys(r.Context(), reqctx.CallerFrom(r.Context()).UserID)
	if err != nil {
		return err
	}
	web.WriteData(w, http.StatusOK, map[string]any{"items": web.Items(list, rowOf)})
	return nil
}

// NewPasskeyOptions serves POST /auth/passkeys/options.
func (h *Handlers) NewPasskeyOptions(w http.ResponseWriter, r *http.Request) error {
	who := reqctx.CallerFrom(r.Context())
	options, err := h.Accounts.NewPasskeyOptions(r.Context(), who.UserID, who.SessionID)
	if err != nil {
		return err
	}
	writeOptions(w, options)
	return nil
}

// CheckProven refuses users who may not have another way in yet. Whatever adds one asks again, under a lock.
func (h *Handlers) CheckProven(r *http.Request) error {
	return h.Accounts.MayAdd(r.Context(), reqctx.CallerFrom(r.Context()).UserID)
}

// AddPasskey serves POST /auth/passkeys.
func (h *Handlers) AddPasskey(w http.ResponseWriter, r *http.Request) error {
	in, err := web.ReadStrictly(w, r, account.NewPasskey.Issues)
	if err != nil {
		return err
	}
	who := reqctx.CallerFrom(r.Context())
	p, err := h.Accounts.AddPasskey(r.Context(), who.UserID, who.SessionID, in)
	if err != nil {
		if cause := errors.Unwrap(err); errors.Is(err, account.ErrPasskey) && cause != nil {
			h.Log.InfoContext(r.Context(), "a new passkey was refused", slog.Any("err", cause))
		}
		return err
	}
	web.WriteData(w, http.StatusCreated, rowOf(p))
	return nil
}

// RenamePasskey serves PATCH /auth/passkeys/{id}.
func (h *Handlers) RenamePasskey(w http.ResponseWriter, r *http.Request) error {
	in, err := web.ReadStrictly(w, r, account.PasskeyName.Issues)
	if err != nil {
		return err
	}
	p, err := h.Accounts.RenamePasskey(r.Context(), reqctx.CallerFrom(r.Context()).UserID, r.PathValue("id"), in)
	if err != nil {
		return err
	}
	web.WriteData(w, http.StatusOK, rowOf(p))
	return nil
}

// RemovePasskey serves DELETE /auth/passkeys/{id}.
func (h *Handlers) RemovePasskey(w http.ResponseWriter, r *http.Request) error {
	who := reqctx.CallerFrom(r.Context())
	if err := h.Accounts.RemovePasskey(r.Context(), who.UserID, who.SessionID, r.PathValue("id")); err != nil {
		return err
	}
	web.WriteDone(w, "The passkey is removed.")
	return nil
}

// PasskeyOptions serves POST /auth/login/passkey/options.
func (h *Handlers) PasskeyOptions(w http.ResponseWriter, r *http.Request) error {
	options, err := h.Accounts.SignInOptions(r.Context())
	if err != nil {
		return err
	}
	writeOptions(w, options)
	return nil
}

// PasskeyLogin serves POST /auth/login/passkey.
func (h *Handlers) PasskeyLogin(w http.ResponseWriter, r *http.Request) error {
	cookie, r, err := h.refreshCookie(r)
	if err != nil {
		return err
	}
	in, err := web.ReadStrictly(w, r, account.PasskeyProof.Issues)
	if err != nil {
		return err
	}
	t, err := h.Accounts.SignInByPasskey(arrival(r), in)
	if errors.Is(err, account.ErrPasskeyLogin) {
		h.Log.InfoContext(r.Context(), "sign-in failed", slog.String("address", h.ClientIP.Addr(r).String()))
	}
	if err != nil {
		return err
	}
	writeTokens(w, cookie, http.StatusOK, t, "")
	return nil
}

// SecondStepOptions serves POST /auth/login/second-factor/options.
func (h *Handlers) SecondStepOptions(w http.ResponseWriter, r *http.Request) error {
	in, err := web.ReadStrictly(w, r, account.ChallengeToken.Issues)
	if err != nil {
		return err
	}
	options, err := h.Accounts.SecondStepOptions(r.Context(), in)
	if err != nil {
		return err
	}
	writeOptions(w, options)
	return nil
}

// ReauthenticateOptions serves POST /auth/reauthenticate/options.
func (h *Handlers) ReauthenticateOptions(w http.ResponseWriter, r *http.Request) error {
	who := reqctx.CallerFrom(r.Context())
	options, err := h.Accounts.ReauthenticateOptions(r.Context(), who.UserID, who.SessionID)
	if err != nil {
		return err
	}
	writeOptions(w, options)
	return nil
}
