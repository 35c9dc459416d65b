package auth

import (
	"net/http"

	"stoa/internal/account"
	"stoa/internal/api/web"
	"stoa/internal/api/wire"
	"stoa/internal/base/reqctx"
)

// invitation is what whoever has the link of one sees of it.
type invitation struct {
	Email     string        `json:"email"`
	Role      string        `json:"role"`
	InvitedBy string        `json:"invitedBy"` // a username; empty for the command line and services
	ExpiresAt web.Timestamp `json:"expiresAt"`
	// HasAccount says that it is accepted in the session of an account, which has the address.
	HasAccount bool `json:"hasAccount"`
}

// LookUpInvitation serves POST /auth/invitations/lookup.
func (h *Handlers) LookUpInvitation(w http.ResponseWriter, r *http.Request) error {
	in, err := web.ReadStrictly(w, r, account.LinkToken.Issues)
	if err != nil {
		return err
	}
	preview, err := h.Invitations.Preview(r.Context(), in.Token)
	if err != nil {
		return err
	}
	web.WriteData(w, http.StatusOK, invitation{
		Email: preview.Email, Role: string(preview.Role), InvitedBy: preview.Inviter.Name,
		ExpiresAt:  web.Timestamp(preview.ExpiresAt),
		HasAccount: preview.HasAccount,
	})
	return nil
}

// AcceptInvitation serves POST /auth/invitations/accept: in the session of an account, or with a name and a password
// for a new one.
func (h *Handlers) AcceptInvitation(w http.ResponseWriter, r *http.Request) error {
	who := reqctx.CallerFrom(r.Context())
	if who.UserID != "" {
		return h.acceptAs(w, r, who)
	}
	return h.beginAccount(w, r, h.Invitations.Join, "Welcome. You are signed in.")
}

// acceptAs accepts an invitation in the session of an account, which has a name and a password.
func (h *Handlers) acceptAs(w http.ResponseWriter, r *http.Request, who reqctx.Caller) error {
	in, err := web.ReadStrictly(w, r, account.LinkToken.Issues)
	if err != nil {
		return err
	}
	u, err := h.Invitations.Accept(r.Context(), who.UserID, who.SessionID, in.Token)
	if err != nil {
		return err
	}
	web.WriteData(w, http.StatusOK, struct {
		User wire.User `json:"user"`
	}{wire.NewUser(u)})
	return nil
}
