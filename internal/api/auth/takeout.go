package auth

import (
	"net/http"

	"stoa/internal/account/takeout"
	"stoa/internal/api/limit"
	"stoa/internal/api/web"
	"stoa/internal/base/reqctx"
)

// export is a copy of an account, as its user sees it.
type export struct {
	ID         string        `json:"id"`
	State      takeout.State `json:"state"`
	CreatedAt  web.Timestamp `json:"createdAt"`
	FinishedAt web.Timestamp `json:"finishedAt,omitzero"`
	ExpiresAt  web.Timestamp `json:"expiresAt"`
}

// StartExport serves POST /auth/account/export. Whoever has one made already is not counted.
func (h *Handlers) StartExport(w http.ResponseWriter, r *http.Request) error {
	userID := reqctx.CallerFrom(r.Context()).UserID
	if err := h.Takeout.Free(r.Context(), userID); err != nil {
		return err
	}
	if err := h.Limits.Count(w, r, limit.Export, userID); err != nil {
		return err
	}
	e, err := h.Takeout.Start(r.Context(), userID, "")
	if err != nil {
		return err
	}
	web.WriteExport(w, e.ID, string(e.State))
	return nil
}

// ShowExport serves GET /auth/account/export.
func (h *Handlers) ShowExport(w http.ResponseWriter, r *http.Request) error {
	e, ok, err := h.Takeout.Latest(r.Context(), reqctx.CallerFrom(r.Context()).UserID)
	if err != nil {
		return err
	}
	if !ok {
		web.WriteData(w, http.StatusOK, nil)
		return nil
	}
	web.WriteData(w, http.StatusOK, export{
		ID: e.ID, State: e.State, CreatedAt: web.Timestamp(e.CreatedAt), FinishedAt: web.Timestamp(e.FinishedAt),
		ExpiresAt: web.Timestamp(e.EndsAt()),
	})
	return nil
}

// ExportArchive serves GET /auth/account/export/{id}/archive.
func (h *Handlers) ExportArchive(w http.ResponseWriter, r *http.Request) error {
	archive, err := h.Takeout.Archive(r.Context(), reqctx.CallerFrom(r.Context()).UserID, r.PathValue("id"), false)
	if err != nil {
		return err
	}
	web.WriteArchive(w, archive)
	return nil
}
