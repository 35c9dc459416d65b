package admin

import (
	"net/http"
	"strings"

	"stoa/internal/api/web"
	"stoa/internal/base/errs"
	"stoa/internal/base/permission"
	"stoa/internal/base/reqctx"
	"stoa/internal/trust/audit"
)

// auditEntry is an entry of the audit log on the wire.
type auditEntry struct {
	ID        string        `json:"id"`
	At        web.Timestamp `json:"at"`
	Actor     auditActor    `json:"actor"`
	Behalf    *auditBehalf  `json:"onBehalfOf,omitempty"`
	Action    string        `json:"action"`
	Target    auditTarget   `json:"target"`
	Address   string        `json:"address,omitempty"`
	RequestID string        `json:"requestId,omitempty"`
	Details   audit.Details `json:"details"`
}

type auditActor struct {
	Kind string `json:"kind"`
	ID   string `json:"id"`
	Name string `json:"name,omitempty"`
}

// auditBehalf is the user as whom somebody of the staff did something.
type auditBehalf struct {
	ID   string `json:"id"`
	Name string `json:"name,omitempty"`
}

type auditTarget struct {
	Type string `json:"type"`
	ID   string `json:"id"`
}

func newAuditEntry(e audit.Entry) auditEntry {
	var behalf *auditBehalf
	if e.Behalf.ID != "" {
		behalf = &auditBehalf{e.Behalf.ID, e.Behalf.Name}
	}
	return auditEntry{
		Behalf: behalf,
		ID:     e.ID, At: web.Timestamp(e.At),
		Actor: auditActor{string(e.Actor.Kind), e.Actor.ID, e.Actor.Name}, Action: string(e.Action),
		Target: auditTarget(e.Target), Address: e.Address, RequestID: e.RequestID, Details: e.Details,
	}
}

// ListAudit serves GET /api/v1/admin/audit.
func (h *Handlers) ListAudit(w http.ResponseWriter, r *http.Request) error {
	var faults errs.Issues
	web.OnlyParams(r, &faults, "q", "actor", "action", "target", "from", "to", "sort")
	p, v := web.ReadPage(r, &faults), r.URL.Query()
	q := audit.Query{
		Search: v.Get("q"), Masked: !seesPeople(r.Context()), NoTails: !seesTails(r.Context()),
		Customers: !reqctx.CallerFrom(r.Context()).May(permission.ReadAudit),
		Actor:     v.Get("actor"), Action: v.Get("action"), Target: v.Get("target"),
		From: web.ReadTime(r, "from", &faults), To: web.ReadTime(r, "to", &faults),
		Sort: v.Get("sort"), Limit: p.Limit, Offset: p.Offset(),
	}
	if err := web.Refusal(faults, q.Issues); err != nil {
		return err
	}
	if q.Masked && strings.TrimPrefix(q.Sort, "-") == "actor" { // the order would tell what is masked
		q.Sort = ""
	}
	entries, total, err := h.Audit.List(r.Context(), q)
	if err != nil {
		return err
	}
	web.NoStore(w)
	web.WriteList(w, p, entries, total, shown(r.Context(), newAuditEntry))
	return nil
}
