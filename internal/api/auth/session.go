package auth

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"log/slog"
	"net/http"

	"stoa/internal/account"
	"stoa/internal/api/guard"
	"stoa/internal/api/limit"
	"stoa/internal/api/web"
	"stoa/internal/api/wire"
	"stoa/internal/base/reqctx"
)

// Login serves POST /auth/login.
func (h *Handlers) Login(w http.ResponseWriter, r *http.Request) error {
	cookie, r, err := h.refreshCookie(r)
	if err != nil {
		return err
	}
	in, err := web.ReadJSON(w, r, account.SignIn.Issues)
	if err != nil {
		return err
	}
	// By the address as sent: one without an account is slowed like any other.
	typed := sha256.Sum256([]byte(account.Key(in.Email)))
	known := func() (bool, error) { return h.Accounts.FromKnownDevice(r.Context(), in.Email) }
	if err := h.Limits.Slow(r.Context(), limit.LoginAccount, hex.EncodeToString(typed[:]), known); err != nil {
		return err
	}
	t, err := h.Accounts.Login(arrival(r), in.Email, in.Password)
	if errors.Is(err, account.ErrSecondFactor) {
		web.NoStore(w) // it has a challenge
	}
	if errors.Is(err, account.ErrLogin) {
		// Without the e-mail address: people mistype their password there.
		h.Log.InfoContext(r.Context(), "sign-in failed", slog.String("address", h.ClientIP.Addr(r).String()))
	}
	if err != nil {
		return err
	}
	writeTokens(w, cookie, http.StatusOK, t, "")
	return nil
}

// SecondStep serves POST /auth/login/second-factor.
func (h *Handlers) SecondStep(w http.ResponseWriter, r *http.Request) error {
	cookie, r, err := h.refreshCookie(r)
	if err != nil {
		return err
	}
	in, err := web.ReadStrictly(w, r, account.SecondStep.Issues)
	if err != nil {
		return err
	}
	t, err := h.Accounts.SecondStep(arrival(r), in)
	if errors.Is(err, account.ErrCode) {
		h.Log.InfoContext(r.Context(), "sign-in failed", slog.String("address", h.ClientIP.Addr(r).String()))
	}
	if err != nil {
		return err
	}
	writeTokens(w, cookie, http.StatusOK, t, "")
	return nil
}

// Refresh serves POST /auth/refresh.
func (h *Handlers) Refresh(w http.ResponseWriter, r *http.Request) error {
	cookie, r, err := h.refreshCookie(r)
	if err != nil {
		return err
	}
	raw, err := refreshToken(w, r, cookie)
	if err != nil {
		return err
	}
	key, verified, err := h.Accounts.SessionKey(r.Context(), raw)
	if err != nil {
		return err
	}
	rule := limit.Refresh
	if !verified {
		rule = limit.RefreshUnknown
	}
	if err := h.Limits.Count(w, r, rule, key); err != nil {
		return err
	}
	t, err := h.Accounts.Refresh(r.Context(), raw)
	if err != nil {
		return err
	}
	writeTokens(w, cookie, http.StatusOK, t, "")
	return nil
}

// refreshToken returns the refresh token of a request: the cookie's, or the body's.
func refreshToken(w http.ResponseWriter, r *http.Request, cookie *refreshCookie) (string, error) {
	if cookie != nil {
		raw := cookie.token(r)
		if raw == "" {
			return "", account.ErrRefresh
		}
		return raw, nil
	}
	in, err := web.ReadJSON(w, r, account.RefreshRequest.Issues)
	return in.RefreshToken, err
}

// Logout serves POST /auth/logout. The answer is the same whether the tokens are valid or not: the
// client may forget them.
func (h *Handlers) Logout(w http.ResponseWriter, r *http.Request) error {
	cookie, r, err := h.refreshCookie(r)
	if err != nil {
		return err
	}
	if cookie != nil { // its page can neither read nor remove it
		if err := h.Accounts.LogoutRefresh(r.Context(), cookie.token(r)); err != nil {
			return err
		}
		cookie.remove(w)
	}
	if raw, ok := guard.Bearer(r); ok {
		if err := h.Accounts.Logout(r.Context(), raw); err != nil {
			return err
		}
	}
	web.WriteDone(w, "Signed out.")
	return nil
}

// ListSessions serves GET /auth/sessions.
func (h *Handlers) ListSessions(w http.ResponseWriter, r *http.Request) error {
	who := reqctx.CallerFrom(r.Context())
	list, err := h.Accounts.Sessions(r.Context(), who.UserID)
	if err != nil {
		return err
	}
	items := web.Items(list, func(s account.Session) wire.Session { return wire.NewSession(s, who.SessionID) })
	web.NoStore(w)
	web.WriteData(w, http.StatusOK, map[string]any{"items": items})
	return nil
}

// EndOtherSessions serves DELETE /auth/sessions.
func (h *Handlers) EndOtherSessions(w http.ResponseWriter, r *http.Request) error {
	who := reqctx.CallerFrom(r.Context())
	ended, err := h.Accounts.EndOtherSessions(r.Context(), who.UserID, who.SessionID)
	if err != nil {
		return err
	}
	web.WriteData(w, http.StatusOK, map[string]int{"ended": ended})
	return nil
}

// ListActivity serves GET /auth/activity.
func (h *Handlers) ListActivity(w http.ResponseWriter, r *http.Request) error {
	p, err := web.OnlyPage(r)
	if err != nil {
		return err
	}
	list, total, err := h.Accounts.Activity(r.Context(), reqctx.CallerFrom(r.Context()).UserID, p.Limit, p.Offset())
	if err != nil {
		return err
	}
	web.WriteList(w, p, list, total, wire.NewActivity)
	return nil
}

// EndSession serves DELETE /auth/sessions/{id}.
func (h *Handlers) EndSession(w http.ResponseWriter, r *http.Request) error {
	if err := h.Accounts.EndSession(r.Context(), reqctx.CallerFrom(r.Context()).UserID, r.PathValue("id")); err != nil {
		return err
	}
	web.WriteDone(w, "Session ended.")
	return nil
}
