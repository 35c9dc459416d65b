package auth

import (
	"net/http"

	"stoa/internal/account"
	"stoa/internal/account/leave"
	"stoa/internal/api/web"
	"stoa/internal/base/reqctx"
)

// PlanDeletion serves POST /auth/account/deletion.
func (h *Handlers) PlanDeletion(w http.ResponseWriter, r *http.Request) error {
	in, err := web.ReadStrictly(w, r, leave.Confirmation.Issues)
	if err != nil {
		return err
	}
	who := reqctx.CallerFrom(r.Context())
	at, err := h.Leaving.Plan(r.Context(), who.UserID, who.SessionID, in)
	if err != nil {
		return err
	}
	web.WriteData(w, http.StatusAccepted, plannedDeletion{web.Timestamp(at)})
	return nil
}

// CancelDeletion serves POST /auth/account/deletion/cancel.
func (h *Handlers) CancelDeletion(w http.ResponseWriter, r *http.Request) error {
	in, err := web.ReadStrictly(w, r, account.LinkToken.Issues)
	if err != nil {
		return err
	}
	if err := h.Leaving.Cancel(r.Context(), in.Token); err != nil {
		return err
	}
	web.WriteDone(w, "The account stays. Sign in as before.")
	return nil
}
