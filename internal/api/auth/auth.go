// Package auth serves the routes of accounts: registering, signing in and out,
// sessions, passwords, the set-up of the first administrator, and the keys that
// verify tokens. Its rules are those of package account.
package auth

import (
	"context"
	"log/slog"
	"net/http"

	"stoa/internal/account"
	"stoa/internal/account/apikey"
	"stoa/internal/account/invite"
	"stoa/internal/account/leave"
	"stoa/internal/account/takeout"
	"stoa/internal/api/guard"
	"stoa/internal/api/limit"
	"stoa/internal/api/web"
	"stoa/internal/api/wire"
	"stoa/internal/base/reqctx"
	"stoa/internal/html/locale"
)

// Handlers serve the routes of accounts.
type Handlers struct {
	Log         *slog.Logger
	Accounts    *account.Service
	Invitations *invite.Service
	Leaving     *leave.Service
	Takeout     *takeout.Service
	Keys        *apikey.Keys
	Limits      limit.Counter
	ClientIP    reqctx.AddrResolver
	// PublicURL is the address at which browsers reach this server, without a trailing slash.
	PublicURL string
	// Languages are those that pages are in.
	Languages *locale.Languages
}

// tokenSet is a token set (contract 2.4). Token equals AccessToken.
type tokenSet struct {
	User         wire.User `json:"user"`
	AccessToken  string    `json:"access_token"`
	TokenType    string    `json:"token_type"`
	ExpiresIn    int       `json:"expires_in"` // seconds
	RefreshToken string    `json:"refresh_token"`
	Token        string    `json:"token"`
}

// writeTokens answers with a token set, which no cache may keep. Its refresh token goes
// into c unless c is nil.
func writeTokens(w http.ResponseWriter, c *refreshCookie, status int, t account.Tokens, message string) {
	web.NoStore(w)
	c.take(w, &t)
	web.WriteJSON(w, status, web.Envelope{Success: true, Message: message, Data: tokenSet{
		User: wire.NewUser(t.User), AccessToken: t.Access,
		TokenType: "Bearer", ExpiresIn: int(t.Life.Seconds()),
		RefreshToken: t.Refresh, Token: t.Access,
	}})
}

// arrival returns the context of a request in which somebody signs in: it has what their program says that it is.
func arrival(r *http.Request) context.Context {
	return reqctx.WithUserAgent(r.Context(), r.UserAgent())
}

// Register serves POST /auth/register.
func (h *Handlers) Register(w http.ResponseWriter, r *http.Request) error {
	if err := h.Accounts.RegistrationAllowed(); err != nil {
		return err
	}
	cookie, r, err := h.refreshCookie(r)
	if err != nil {
		return err
	}
	in, err := web.ReadInput(w, r, h.Accounts.RegistrationIssues)
	if err != nil {
		return err
	}
	t, err := h.Accounts.Register(arrival(r), in)
	if err != nil {
		return err
	}
	writeTokens(w, cookie, http.StatusCreated, t, "Registered and signed in.")
	return nil
}

// Me serves GET /auth/me. It authenticates the caller itself, so that one look-up is enough.
func (h *Handlers) Me(w http.ResponseWriter, r *http.Request) error {
	raw, ok := guard.Bearer(r)
	if !ok {
		return guard.ErrUnauthorized
	}
	u, err := h.Accounts.Me(r.Context(), raw)
	if err != nil {
		return err
	}
	if err := h.Limits.Count(w, r, limit.Me, u.ID); err != nil {
		return err
	}
	web.NoStore(w)
	web.WriteData(w, http.StatusOK, struct {
		wire.User

		CreatedAt web.Timestamp `json:"createdAt"`
	}{wire.NewUser(u), web.Timestamp(u.CreatedAt)})
	return nil
}

// JWKS serves GET /.well-known/jwks.json.
func (h *Handlers) JWKS(w http.ResponseWriter, r *http.Request) error {
	return wire.WriteKeys(w, r, h.Accounts.Ring)
}
