package admin

import (
	"net/http"

	"stoa/internal/account/staff"
	"stoa/internal/api/web"
	"stoa/internal/base/errs"
	"stoa/internal/base/permission"
)

// role is a role on the wire.
type role struct {
	Name        string            `json:"name"`
	Permissions []permission.Name `json:"permissions"`
	BuiltIn     bool              `json:"builtIn"`
	Holders     int               `json:"holders"`
}

func newRole(r staff.Role) role {
	return role{r.Name, web.OrEmpty(r.Permissions), r.BuiltIn, r.Holders}
}

// ListPermissions serves GET /api/v1/admin/permissions.
func (h *Handlers) ListPermissions(w http.ResponseWriter, _ *http.Request) error {
	type item struct {
		Name permission.Name `json:"name"`
	}
	web.WriteData(w, http.StatusOK, map[string]any{
		"items": web.Items(permission.Catalog(), func(name permission.Name) item { return item{name} }),
	})
	return nil
}

// ListRoles serves GET /api/v1/admin/roles.
func (h *Handlers) ListRoles(w http.ResponseWriter, r *http.Request) error {
	list, err := h.Staff.List(r.Context())
	if err != nil {
		return err
	}
	web.WriteData(w, http.StatusOK, map[string]any{"items": web.Items(list, newRole)})
	return nil
}

// GetRole serves GET /api/v1/admin/roles/{name}.
func (h *Handlers) GetRole(w http.ResponseWriter, r *http.Request) error {
	one, err := h.Staff.Role(r.Context(), r.PathValue("name"))
	return writeRole(w, http.StatusOK, one, err)
}

// CreateRole serves POST /api/v1/admin/roles.
func (h *Handlers) CreateRole(w http.ResponseWriter, r *http.Request) error {
	in, err := web.ReadStrictly(w, r, staff.NewRole.Issues)
	if err != nil {
		return err
	}
	one, err := h.Staff.Create(r.Context(), in)
	return writeRole(w, http.StatusCreated, one, err)
}

// ChangeRole serves PATCH /api/v1/admin/roles/{name}.
func (h *Handlers) ChangeRole(w http.ResponseWriter, r *http.Request) error {
	in, faults, err := web.ReadChange[staff.RoleChange, role](w, r)
	if err != nil {
		return err
	}
	if err := web.Refusal(faults, func() errs.Issues { return in.Issues() }); err != nil {
		return err
	}
	one, err := h.Staff.Change(r.Context(), r.PathValue("name"), in)
	return writeRole(w, http.StatusOK, one, err)
}

// DeleteRole serves DELETE /api/v1/admin/roles/{name}.
func (h *Handlers) DeleteRole(w http.ResponseWriter, r *http.Request) error {
	if err := h.Staff.Delete(r.Context(), r.PathValue("name")); err != nil {
		return err
	}
	web.WriteDone(w, "The role is deleted.")
	return nil
}

func writeRole(w http.ResponseWriter, status int, r staff.Role, err error) error {
	if err != nil {
		return err
	}
	web.WriteData(w, status, newRole(r))
	return nil
}
