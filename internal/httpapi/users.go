package httpapi

import (
	"net/http"
	"strconv"
	"time"

	"stoa/internal/account"
	"stoa/internal/audit"
	"stoa/internal/caller"
	"stoa/internal/errs"
)

// managedUserJSON is a user as administrators see it.
type managedUserJSON struct {
	userJSON

	Active    bool      `json:"active"`
	CreatedAt timestamp `json:"createdAt"`
}

func newManagedUserJSON(u account.User) managedUserJSON {
	return managedUserJSON{userJSON: newUserJSON(u), Active: u.Active, CreatedAt: timestamp(u.CreatedAt)}
}

// listUsers serves GET /api/v1/admin/users.
func (s *Server) listUsers(w http.ResponseWriter, r *http.Request) error {
	var faults issues
	p, query := readPage(r, &faults), r.URL.Query()
	q := account.UserQuery{Search: query.Get("q"), Role: caller.Role(query.Get("role")), Offset: p.offset(), Limit: p.Limit}
	if query.Has("active") {
		active, err := strconv.ParseBool(query.Get("active"))
		if err != nil {
			faults.add("active", "invalid", "active must be true or false.")
		}
		q.Active = &active
	}
	faults.merge(q.Issues())
	if err := faults.err(); err != nil {
		return err
	}
	users, total, err := s.Accounts.ListUsers(r.Context(), q)
	if err != nil {
		return err
	}
	noStore(w)
	writeList(w, p, users, total, newManagedUserJSON)
	return nil
}

// getUser serves GET /api/v1/admin/users/{id}.
func (s *Server) getUser(w http.ResponseWriter, r *http.Request) error {
	u, err := s.Accounts.User(r.Context(), r.PathValue("id"))
	if err != nil {
		return err
	}
	noStore(w)
	writeData(w, http.StatusOK, newManagedUserJSON(u))
	return nil
}

// userChange is the body of a change to a user. What is absent stays.
type userChange struct {
	Active *bool        `json:"active"`
	Role   *caller.Role `json:"role"`
}

func (in userChange) change() account.UserChange {
	ch := account.UserChange{Active: in.Active}
	if in.Role != nil {
		ch.Role = *in.Role
	}
	return ch
}

func (in userChange) issues() []errs.Issue {
	if in.Role != nil && *in.Role == "" {
		return []errs.Issue{{Path: "role", Code: "invalid", Message: "role must be USER or ADMIN."}}
	}
	return in.change().Issues()
}

// changeUser serves PATCH /api/v1/admin/users/{id}.
func (s *Server) changeUser(w http.ResponseWriter, r *http.Request) error {
	in, err := readJSON(w, r, userChange.issues)
	if err != nil {
		return err
	}
	u, err := s.Accounts.UpdateUser(r.Context(), r.PathValue("id"), in.change())
	if err != nil {
		return err
	}
	noStore(w)
	writeData(w, http.StatusOK, newManagedUserJSON(u))
	return nil
}

// auditJSON is an entry of the audit log on the wire.
type auditJSON struct {
	ID        string        `json:"id"`
	At        timestamp     `json:"at"`
	Actor     actorJSON     `json:"actor"`
	Action    string        `json:"action"`
	Target    targetJSON    `json:"target"`
	Address   string        `json:"address,omitempty"`
	RequestID string        `json:"requestId,omitempty"`
	Details   audit.Details `json:"details"`
}

type actorJSON struct {
	Kind string `json:"kind"`
	ID   string `json:"id"`
	Name string `json:"name,omitempty"`
}

type targetJSON struct {
	Type string `json:"type"`
	ID   string `json:"id"`
}

// listAudit serves GET /api/v1/admin/audit.
func (s *Server) listAudit(w http.ResponseWriter, r *http.Request) error {
	var faults issues
	p, query := readPage(r, &faults), r.URL.Query()
	moment := func(name string) (t time.Time) {
		if !query.Has(name) {
			return t
		}
		t, err := time.Parse(time.RFC3339, query.Get(name))
		if err != nil {
			faults.add(name, "invalid", "%s must be a time like 2030-03-01T12:00:00Z.", name)
		}
		return t
	}
	q := audit.Query{
		Actor: query.Get("actor"), Action: query.Get("action"), Target: query.Get("target"),
		From: moment("from"), To: moment("to"), Offset: p.offset(), Limit: p.Limit,
	}
	faults.merge(q.Issues())
	if err := faults.err(); err != nil {
		return err
	}
	entries, total, err := s.Audit.List(r.Context(), q)
	if err != nil {
		return err
	}
	noStore(w)
	writeList(w, p, entries, total, newAuditJSON)
	return nil
}

func newAuditJSON(e audit.Entry) auditJSON {
	return auditJSON{
		ID: e.ID, At: timestamp(e.At), Actor: actorJSON{string(e.Actor.Kind), e.Actor.ID, e.Actor.Name}, Action: string(e.Action),
		Target: targetJSON(e.Target), Address: e.Address, RequestID: e.RequestID, Details: e.Details,
	}
}

// setUp serves POST /auth/setup.
func (s *Server) setUp(w http.ResponseWriter, r *http.Request) error {
	in, err := readJSON(w, r, s.Accounts.SetupIssues)
	if err != nil {
		return err
	}
	t, err := s.Accounts.SetUp(r.Context(), in)
	if err != nil {
		return err
	}
	writeTokens(w, http.StatusCreated, t, "The administrator is created and signed in.")
	return nil
}

// setupPage serves GET /setup, where the set-up link leads. With an administrator
// there, there is nothing to set up.
func (s *Server) setupPage(w http.ResponseWriter, r *http.Request) error {
	needed, err := s.Accounts.NeedsSetup(r.Context())
	if err != nil {
		return err
	}
	if !needed {
		return account.ErrSetup
	}
	return setupForm(w, r)
}
