package admin

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"

	"stoa/internal/account/impersonate"
	"stoa/internal/api/web"
	"stoa/internal/api/wire"
	"stoa/internal/base/errs"
)

// impersonation is one as staff see it.
type impersonation struct {
	ID        string        `json:"id"`
	Staff     wire.Person   `json:"staff"`
	User      wire.Person   `json:"user"`
	Reason    string        `json:"reason"`
	Write     bool          `json:"write"`
	StartedAt web.Timestamp `json:"startedAt"`
	EndsAt    web.Timestamp `json:"endsAt"`
	EndedAt   web.Timestamp `json:"endedAt,omitzero"`
}

func newImpersonation(i impersonate.Impersonation) impersonation {
	return impersonation{
		ID: i.ID, Staff: wire.Person(i.Staff), User: wire.Person(i.User), Reason: i.Reason, Write: i.Writable,
		StartedAt: web.Timestamp(i.CreatedAt), EndsAt: web.Timestamp(i.EndsAt), EndedAt: web.Timestamp(i.EndedAt),
	}
}

// peeked is how much of a body CheckImpersonation reads. One with the longest reason is shorter.
const peeked = 16 << 10

// CheckImpersonation refuses POST /api/v1/admin/users/{id}/impersonate where nobody acts as that user, or as anybody,
// and whoever may not in the way that the body asks for. The body stays to be read; its faults are told later.
func (h *Handlers) CheckImpersonation(r *http.Request) error {
	head, err := io.ReadAll(io.LimitReader(r.Body, peeked))
	r.Body = struct {
		io.Reader
		io.Closer
	}{io.MultiReader(bytes.NewReader(head), r.Body), r.Body}
	var in struct {
		Write bool `json:"write"`
	}
	asks := err == nil && json.Unmarshal(head, &in) == nil && in.Write
	return h.StandIns.Check(r.Context(), r.PathValue("id"), asks)
}

// Impersonate serves POST /api/v1/admin/users/{id}/impersonate.
func (h *Handlers) Impersonate(w http.ResponseWriter, r *http.Request) error {
	in, err := web.ReadStrictly(w, r, impersonate.Request.Issues)
	if err != nil {
		return err
	}
	started, err := h.StandIns.Start(r.Context(), r.PathValue("id"), in)
	if err != nil {
		return err
	}
	type session struct {
		ID     string        `json:"id"`
		EndsAt web.Timestamp `json:"endsAt"`
	}
	web.WriteData(w, http.StatusCreated, struct {
		Access    string  `json:"access_token"`
		TokenType string  `json:"token_type"`
		ExpiresIn int64   `json:"expires_in"`
		Session   session `json:"session"`
	}{started.Access, "Bearer", int64(started.Lasts.Seconds()), session{started.ID, web.Timestamp(started.EndsAt)}})
	return nil
}

// ListImpersonations serves GET /api/v1/admin/impersonations.
func (h *Handlers) ListImpersonations(w http.ResponseWriter, r *http.Request) error {
	var faults errs.Issues
	web.OnlyParams(r, &faults, "userId", "open")
	p := web.ReadPage(r, &faults)
	q := impersonate.Query{UserID: r.URL.Query().Get("userId"), Limit: p.Limit, Offset: p.Offset()}
	if open := web.ReadBool(r, "open", &faults); open != nil {
		q.Open = *open
	}
	faults.Merge(q.Issues())
	if err := faults.Err(); err != nil {
		return err
	}
	list, total, err := h.StandIns.List(r.Context(), q)
	if err != nil {
		return err
	}
	web.WriteList(w, p, list, total, newImpersonation)
	return nil
}

// EndImpersonation serves DELETE /api/v1/admin/impersonations/{id}.
func (h *Handlers) EndImpersonation(w http.ResponseWriter, r *http.Request) error {
	ended, err := h.StandIns.End(r.Context(), r.PathValue("id"))
	if err != nil {
		return err
	}
	web.WriteData(w, http.StatusOK, newImpersonation(ended))
	return nil
}
