package httpapi

import (
	"net/http"

	"stoa/internal/account"
	"stoa/internal/caller"
)

// userJSON is a user summary (spec A).
type userJSON struct {
	ID       string  `json:"id"`
	Email    string  `json:"email"`
	Username string  `json:"username"`
	Role     string  `json:"role"`
	Avatar   *string `json:"avatar"` // null when there is none
}

func newUserJSON(u account.User) userJSON {
	out := userJSON{ID: u.ID, Email: u.Email, Username: u.Username, Role: string(u.Role)}
	if u.Avatar != "" {
		out.Avatar = &u.Avatar
	}
	return out
}

// tokenSetJSON is a token set (spec A). Token equals AccessToken (CONTRACT 2).
type tokenSetJSON struct {
	User         userJSON `json:"user"`
	AccessToken  string   `json:"access_token"`
	TokenType    string   `json:"token_type"`
	ExpiresIn    int      `json:"expires_in"` // seconds
	RefreshToken string   `json:"refresh_token"`
	Token        string   `json:"token"`
}

// writeTokens answers with a token set, which nobody on the way may keep.
func writeTokens(w http.ResponseWriter, status int, t account.Tokens, message string) {
	noStore(w)
	writeJSON(w, status, envelope{Success: true, Message: message, Data: tokenSetJSON{
		User: newUserJSON(t.User), AccessToken: t.Access, TokenType: "Bearer", ExpiresIn: int(account.AccessLife.Seconds()),
		RefreshToken: t.Refresh, Token: t.Access,
	}})
}

// writeDone answers that something was done and there is nothing to show.
func writeDone(w http.ResponseWriter, message string) {
	writeJSON(w, http.StatusOK, envelope{Success: true, Message: message})
}

// register serves POST /auth/register.
func (s *Server) register(w http.ResponseWriter, r *http.Request) error {
	in, err := readJSON(w, r, s.Accounts.RegistrationIssues)
	if err != nil {
		return err
	}
	t, err := s.Accounts.Register(r.Context(), in)
	if err != nil {
		return err
	}
	writeTokens(w, http.StatusCreated, t, "Registered and signed in.")
	return nil
}

// login serves POST /auth/login.
func (s *Server) login(w http.ResponseWriter, r *http.Request) error {
	in, err := readJSON(w, r, account.SignIn.Issues)
	if err != nil {
		return err
	}
	t, err := s.Accounts.Login(r.Context(), in.Email, in.Password)
	if err != nil {
		return err
	}
	writeTokens(w, http.StatusOK, t, "")
	return nil
}

// refresh serves POST /auth/refresh.
func (s *Server) refresh(w http.ResponseWriter, r *http.Request) error {
	in, err := readJSON(w, r, account.RefreshRequest.Issues)
	if err != nil {
		return err
	}
	key, verified, err := s.Accounts.SessionKey(r.Context(), in.RefreshToken)
	if err != nil {
		return err
	}
	rule := limitRefresh
	if !verified {
		rule = limitRefreshUnknown
	}
	if err := s.limit(w, r, rule, key); err != nil {
		return err
	}
	t, err := s.Accounts.Refresh(r.Context(), in.RefreshToken)
	if err != nil {
		return err
	}
	writeTokens(w, http.StatusOK, t, "")
	return nil
}

// logout serves POST /auth/logout. Whatever the token is worth, the client may
// forget it: the answer is the same.
func (s *Server) logout(w http.ResponseWriter, r *http.Request) error {
	if raw, ok := bearer(r); ok {
		if err := s.Accounts.Logout(r.Context(), raw); err != nil {
			return err
		}
	}
	writeDone(w, "Signed out.")
	return nil
}

// me serves GET /auth/me. It looks at the token itself: who the caller is, is all
// it has to say, and finding out once is enough.
func (s *Server) me(w http.ResponseWriter, r *http.Request) error {
	raw, ok := bearer(r)
	if !ok {
		return errUnauthorized
	}
	u, err := s.Accounts.Me(r.Context(), raw)
	if err != nil {
		return err
	}
	if err := s.limit(w, r, limitMe, u.ID); err != nil {
		return err
	}
	noStore(w)
	writeData(w, http.StatusOK, struct {
		userJSON
		CreatedAt timestamp `json:"createdAt"`
	}{newUserJSON(u), timestamp(u.CreatedAt)})
	return nil
}

// changePassword serves POST /auth/change-password.
func (s *Server) changePassword(w http.ResponseWriter, r *http.Request) error {
	in, err := readJSON(w, r, s.Accounts.PasswordChangeIssues)
	if err != nil {
		return err
	}
	who := caller.From(r.Context())
	if err := s.Accounts.ChangePassword(r.Context(), who.UserID, who.SessionID, in.Current, in.New); err != nil {
		return err
	}
	writeDone(w, "Password changed. All other sessions have ended.")
	return nil
}

// listSessions serves GET /auth/sessions.
func (s *Server) listSessions(w http.ResponseWriter, r *http.Request) error {
	type sessionJSON struct {
		ID         string    `json:"id"`
		CreatedAt  timestamp `json:"createdAt"`
		LastUsedAt timestamp `json:"lastUsedAt"`
		ExpiresAt  timestamp `json:"expiresAt"`
		Current    bool      `json:"current"`
	}
	who := caller.From(r.Context())
	list, err := s.Accounts.Sessions(r.Context(), who.UserID)
	if err != nil {
		return err
	}
	items := make([]sessionJSON, len(list))
	for i, l := range list {
		items[i] = sessionJSON{l.ID, timestamp(l.CreatedAt), timestamp(l.LastUsedAt()), timestamp(l.ExpiresAt()), l.ID == who.SessionID}
	}
	noStore(w)
	writeData(w, http.StatusOK, map[string]any{"items": items})
	return nil
}

// endSession serves DELETE /auth/sessions/{id}.
func (s *Server) endSession(w http.ResponseWriter, r *http.Request) error {
	if err := s.Accounts.EndSession(r.Context(), caller.From(r.Context()).UserID, r.PathValue("id")); err != nil {
		return err
	}
	writeDone(w, "Session ended.")
	return nil
}

// jwks serves GET /.well-known/jwks.json.
func (s *Server) jwks(w http.ResponseWriter, r *http.Request) error {
	return writeKeys(w, r, s.Accounts.Ring)
}
