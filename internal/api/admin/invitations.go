package admin

import (
	"context"
	"net/http"

	"stoa/internal/account/invite"
	"stoa/internal/api/web"
	"stoa/internal/base/errs"
	"stoa/internal/base/mask"
)

// invitation is an open invitation on the wire.
type invitation struct {
	ID        string        `json:"id"`
	Email     string        `json:"email"`
	Role      string        `json:"role"`
	InvitedBy auditActor    `json:"invitedBy"`
	CreatedAt web.Timestamp `json:"createdAt"`
	ExpiresAt web.Timestamp `json:"expiresAt"`
}

func newInvitation(in invite.Invitation) invitation {
	return invitation{
		ID: in.ID, Email: in.Email, Role: string(in.Role),
		InvitedBy: auditActor{string(in.Inviter.Kind), in.Inviter.ID, in.Inviter.Name},
		CreatedAt: web.Timestamp(in.CreatedAt), ExpiresAt: web.Timestamp(in.ExpiresAt),
	}
}

func (in invitation) masked() invitation {
	in.Email = mask.Email(in.Email)
	return in
}

// ListInvitations serves GET /api/v1/admin/invitations.
func (h *Handlers) ListInvitations(w http.ResponseWriter, r *http.Request) error {
	var faults errs.Issues
	web.OnlyParams(r, &faults)
	p := web.ReadPage(r, &faults)
	if err := faults.Err(); err != nil {
		return err
	}
	list, total, err := h.Invitations.List(r.Context(), p.Limit, p.Offset())
	if err != nil {
		return err
	}
	web.WriteList(w, p, list, total, shownInvitation(r.Context()))
	return nil
}

func shownInvitation(ctx context.Context) func(invite.Invitation) invitation {
	return shown(ctx, newInvitation)
}

// Invite serves POST /api/v1/admin/invitations.
func (h *Handlers) Invite(w http.ResponseWriter, r *http.Request) error {
	in, err := web.ReadStrictly(w, r, invite.Form.Issues)
	if err != nil {
		return err
	}
	made, err := h.Invitations.Create(r.Context(), in)
	if err != nil {
		return err
	}
	web.WriteData(w, http.StatusCreated, shownInvitation(r.Context())(made))
	return nil
}

// RevokeInvitation serves DELETE /api/v1/admin/invitations/{id}.
func (h *Handlers) RevokeInvitation(w http.ResponseWriter, r *http.Request) error {
	if err := h.Invitations.Revoke(r.Context(), r.PathValue("id")); err != nil {
		return err
	}
	web.WriteDone(w, "The invitation is revoked. Its link no longer works.")
	return nil
}
