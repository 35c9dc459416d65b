package admin

import (
	"net/http"

	"stoa/internal/account/leave"
	"stoa/internal/api/web"
	"stoa/internal/base/errs"
)

// EraseUser serves POST /api/v1/admin/users/{id}/erase.
func (h *Handlers) EraseUser(w http.ResponseWriter, r *http.Request) error {
	in, faults, err := web.ReadChange[leave.Confirmation, struct{}](w, r)
	if err != nil {
		return err
	}
	if err := web.Refusal(faults, func() errs.Issues { return in.Issues() }); err != nil {
		return err
	}
	if err := h.Leaving.Erase(r.Context(), r.PathValue("id"), in); err != nil {
		return err
	}
	web.WriteDone(w, "The account is removed.")
	return nil
}
