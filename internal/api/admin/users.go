package admin

import (
	"cmp"
	"context"
	"net/http"
	"strconv"
	"strings"

	"stoa/internal/account"
	"stoa/internal/api/guard"
	"stoa/internal/api/web"
	"stoa/internal/api/wire"
	"stoa/internal/base/errs"
	"stoa/internal/base/permission"
	"stoa/internal/base/reqctx"
)

// managedUser is a user as administrators see it.
type managedUser struct {
	wire.User

	Active    bool          `json:"active"`
	CreatedAt web.Timestamp `json:"createdAt"`
	// DeletionAt is when the account is removed, if that is planned.
	DeletionAt web.Timestamp `json:"deletionAt,omitzero"`
}

func newManagedUser(u account.User) managedUser {
	return managedUser{
		User: wire.NewUser(u), Active: u.Active,
		CreatedAt: web.Timestamp(u.CreatedAt), DeletionAt: web.Timestamp(u.DeletionAt),
	}
}

// userFilters are the parameters that select users.
var userFilters = []string{"q", "role", "active"}

// userQuery reads which users a request wants, of those that the caller may find.
func userQuery(r *http.Request, faults *errs.Issues) account.UserQuery {
	v := r.URL.Query()
	q := account.UserQuery{
		Search: v.Get("q"), Masked: !seesPeople(r.Context()), NoTails: !seesTails(r.Context()),
		Role: reqctx.Role(v.Get("role")),
	}
	if v.Has("active") {
		active, err := strconv.ParseBool(v.Get("active"))
		if err != nil {
			faults.Add("active", errs.CodeWrongType, "active must be true or false.")
		}
		q.Active = &active
	}
	return q
}

// ListUsers serves GET /api/v1/admin/users.
func (h *Handlers) ListUsers(w http.ResponseWriter, r *http.Request) error {
	return h.listUsers(w, r, false)
}

// ListStaff serves GET /api/v1/admin/staff.
func (h *Handlers) ListStaff(w http.ResponseWriter, r *http.Request) error {
	return h.listUsers(w, r, true)
}

func (h *Handlers) listUsers(w http.ResponseWriter, r *http.Request, staffOnly bool) error {
	var faults errs.Issues
	web.OnlyParams(r, &faults, append(userFilters, "sort")...)
	p, q := web.ReadPage(r, &faults), userQuery(r, &faults)
	q.Staff, q.Sort, q.Limit, q.Offset = staffOnly, r.URL.Query().Get("sort"), p.Limit, p.Offset()
	if err := web.Refusal(faults, q.Issues); err != nil {
		return err
	}
	if q.Masked && strings.TrimPrefix(q.Sort, "-") == "email" { // the order would tell what is masked
		q.Sort = ""
	}
	users, total, err := h.Accounts.ListUsers(r.Context(), q)
	if err != nil {
		return err
	}
	web.NoStore(w)
	web.WriteList(w, p, users, total, shown(r.Context(), newManagedUser))
	return nil
}

// GetUser serves GET /api/v1/admin/users/{id}.
func (h *Handlers) GetUser(w http.ResponseWriter, r *http.Request) error {
	u, err := h.Accounts.User(r.Context(), r.PathValue("id"))
	return writeUser(r.Context(), w, u, err)
}

// userChange is the body of a change to a user. Absent fields stay.
type userChange struct {
	Active *bool        `json:"active"`
	Role   *reqctx.Role `json:"role"`
}

func (in userChange) change() account.UserChange {
	ch := account.UserChange{Active: in.Active}
	if in.Role != nil {
		ch.Role = *in.Role
	}
	return ch
}

// allowed refuses a caller who lacks the permission for one of the fields.
func (in userChange) allowed(ctx context.Context) error {
	if in.Active != nil {
		if err := guard.CheckStaff(ctx, permission.WriteUsers); err != nil {
			return err
		}
	}
	if in.Role != nil {
		return guard.CheckStaff(ctx, permission.WriteStaff)
	}
	return nil
}

func (in userChange) issues() (faults errs.Issues) {
	if in.Role != nil && *in.Role == "" {
		faults.Add("role", errs.CodeUnknownValue, "role must be the name of a role, like ADMIN.")
	}
	return faults
}

// ChangeUser serves PATCH /api/v1/admin/users/{id}.
func (h *Handlers) ChangeUser(w http.ResponseWriter, r *http.Request) error {
	in, faults, err := web.ReadFields[userChange](w, r)
	if err != nil {
		return err
	}
	if in.Role != nil {
		if err := guard.RefuseKeys(r.Context()); err != nil {
			return err
		}
	}
	if err := in.allowed(r.Context()); err != nil {
		return err
	}
	faults.Merge(in.issues())
	ch := in.change()
	more := func() (issues errs.Issues) {
		issues, err = h.Accounts.ChangeIssues(r.Context(), ch)
		return issues
	}
	if refused := web.Refusal(faults, more); refused != nil {
		return cmp.Or(err, refused)
	}
	u, err := h.Accounts.UpdateUser(r.Context(), r.PathValue("id"), ch)
	return writeUser(r.Context(), w, u, err)
}

// ListSessions serves GET /api/v1/admin/users/{id}/sessions.
func (h *Handlers) ListSessions(w http.ResponseWriter, r *http.Request) error {
	list, err := h.Accounts.SessionsOf(r.Context(), r.PathValue("id"))
	if err != nil {
		return err
	}
	own := reqctx.CallerFrom(r.Context()).SessionID
	web.NoStore(w)
	web.WriteData(w, http.StatusOK, map[string]any{"items": web.Items(list, func(s account.Session) wire.Session {
		return wire.NewSession(s, own)
	})})
	return nil
}

// EndSession serves DELETE /api/v1/admin/users/{id}/sessions/{sessionId}.
func (h *Handlers) EndSession(w http.ResponseWriter, r *http.Request) error {
	if err := h.Accounts.EndSessionOf(r.Context(), r.PathValue("id"), r.PathValue("sessionId")); err != nil {
		return err
	}
	web.WriteDone(w, "The session is ended.")
	return nil
}

// EndSessions serves DELETE /api/v1/admin/users/{id}/sessions.
func (h *Handlers) EndSessions(w http.ResponseWriter, r *http.Request) error {
	n, err := h.Accounts.EndSessionsOf(r.Context(), r.PathValue("id"))
	if err != nil {
		return err
	}
	web.WriteDone(w, "Sessions ended: "+strconv.Itoa(n)+".")
	return nil
}

// PlanFactorReset serves POST /api/v1/admin/users/{id}/second-factor/reset.
func (h *Handlers) PlanFactorReset(w http.ResponseWriter, r *http.Request) error {
	at, err := h.Accounts.PlanFactorReset(r.Context(), r.PathValue("id"))
	if err != nil {
		return err
	}
	web.WriteData(w, http.StatusAccepted, map[string]any{"at": web.Timestamp(at)})
	return nil
}

// CancelFactorReset serves DELETE /api/v1/admin/users/{id}/second-factor/reset.
func (h *Handlers) CancelFactorReset(w http.ResponseWriter, r *http.Request) error {
	if err := h.Accounts.CancelFactorReset(r.Context(), r.PathValue("id")); err != nil {
		return err
	}
	web.WriteDone(w, "The second factor stays.")
	return nil
}

// MailReset serves POST /api/v1/admin/users/{id}/password-reset.
func (h *Handlers) MailReset(w http.ResponseWriter, r *http.Request) error {
	if err := h.Accounts.MailReset(r.Context(), r.PathValue("id")); err != nil {
		return err
	}
	web.WriteAccepted(w,
		"A mail with a link is on its way, unless the user got such mails lately. The link works for 30 minutes.")
	return nil
}

// RevertEmail serves POST /api/v1/admin/users/{id}/email/revert.
func (h *Handlers) RevertEmail(w http.ResponseWriter, r *http.Request) error {
	if err := h.Accounts.RevertEmailOf(r.Context(), r.PathValue("id")); err != nil {
		return err
	}
	web.WriteDone(w, "The former address is back, and a mail with a link to choose a password is on its way to it.")
	return nil
}

// writeUser answers with a user, unless err is not nil.
func writeUser(ctx context.Context, w http.ResponseWriter, u account.User, err error) error {
	if err != nil {
		return err
	}
	web.NoStore(w)
	web.WriteData(w, http.StatusOK, shown(ctx, newManagedUser)(u))
	return nil
}
