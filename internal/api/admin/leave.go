package admin

import (
	"cmp"
	"net/http"

	"stoa/internal/account/leave"
	"stoa/internal/api/web"
	"stoa/internal/base/reqctx"
)

// EraseUser serves POST /api/v1/admin/users/{id}/erase.
func (h *Handlers) EraseUser(w http.ResponseWriter, r *http.Request) error {
	in, err := web.ReadStrictly(w, r, leave.Confirmation.Issues)
	if err != nil {
		return err
	}
	if err := h.Leaving.Erase(r.Context(), r.PathValue("id"), in); err != nil {
		return err
	}
	web.WriteDone(w, "The account is removed.")
	return nil
}

// ExportUser serves POST /api/v1/admin/users/{id}/export.
func (h *Handlers) ExportUser(w http.ResponseWriter, r *http.Request) error {
	who := reqctx.CallerFrom(r.Context())
	e, err := h.Takeout.Start(r.Context(), r.PathValue("id"), cmp.Or(who.UserID, who.Service))
	if err != nil {
		return err
	}
	web.WriteExport(w, e.ID, string(e.State))
	return nil
}

// ExportArchive serves GET /api/v1/admin/users/{id}/export/{exportId}/archive.
func (h *Handlers) ExportArchive(w http.ResponseWriter, r *http.Request) error {
	if err := h.Accounts.Reach(r.Context(), r.PathValue("id")); err != nil {
		return err
	}
	archive, err := h.Takeout.Archive(r.Context(), r.PathValue("id"), r.PathValue("exportId"), true)
	if err != nil {
		return err
	}
	web.WriteArchive(w, archive)
	return nil
}
