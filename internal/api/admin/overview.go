package admin

import (
	"encoding/json"
	"net/http"
	"slices"

	"stoa/internal/api/web"
	"stoa/internal/base/permission"
	"stoa/internal/base/reqctx"
	"stoa/internal/operate/overview"
	"stoa/internal/shop/product"
)

// bucket summarizes an hour or a day.
type bucket struct {
	From          web.Timestamp `json:"from"`
	Orders        int           `json:"orders"`
	Sales         []money       `json:"sales"`
	Activations   int           `json:"activations"`
	Registrations int           `json:"registrations"`
}

type money struct {
	Amount   json.Number `json:"amount"`
	Currency string      `json:"currency"`
}

func newBucket(b overview.Bucket) bucket {
	return bucket{
		From: web.Timestamp(b.From), Orders: b.Orders, Activations: b.Activations, Registrations: b.Registrations,
		Sales: web.Items(b.Sales, func(m product.Money) money { return money{m.Amount(), m.Currency} }),
	}
}

// concern is something that needs an administrator's attention.
type concern struct {
	Kind           overview.Kind     `json:"kind"`
	Severity       overview.Severity `json:"severity"`
	Count          int               `json:"count"`
	Since          web.Timestamp     `json:"since"`
	Message        string            `json:"message"`
	Slug           string            `json:"slug,omitempty"`
	InstallationID string            `json:"installationId,omitempty"`
	WebhookID      string            `json:"webhookId,omitempty"`
	Purpose        string            `json:"purpose,omitempty"`
}

func newConcern(c overview.Concern) concern {
	return concern{
		Kind: c.Kind, Severity: c.Severity, Count: c.Count, Since: web.Timestamp(c.Since), Message: c.Message,
		Slug: c.Slug, InstallationID: c.InstallationID, WebhookID: c.WebhookID, Purpose: c.Purpose,
	}
}

// dueLicense is the license of a package from a market that is in grace or has lapsed.
type dueLicense struct {
	Kind       string        `json:"kind"`
	Slug       string        `json:"slug"`
	State      string        `json:"state"`
	Reason     *string       `json:"reason"`
	GraceUntil web.Timestamp `json:"graceUntil"`
}

func newDueLicense(l overview.License) dueLicense {
	shown := dueLicense{Kind: l.Kind, Slug: l.Slug, State: l.State, GraceUntil: web.Timestamp(l.GraceUntil)}
	if l.Reason != "" {
		shown.Reason = &l.Reason
	}
	return shown
}

// ShowOverview serves GET /api/v1/admin/overview.
func (h *Handlers) ShowOverview(w http.ResponseWriter, r *http.Request) error {
	type shown struct {
		At        web.Timestamp `json:"at"`
		Hours     []bucket      `json:"hours"`
		Days      []bucket      `json:"days"`
		Demo      bool          `json:"demo,omitempty"`
		Attention []concern     `json:"attention"`
		Licenses  []dueLicense  `json:"licenses"`
	}

	o, err := h.Overview.Get(r.Context())
	if err != nil {
		return err
	}
	caller := reqctx.CallerFrom(r.Context())
	o.Attention = slices.DeleteFunc(o.Attention, func(c overview.Concern) bool {
		return slices.ContainsFunc(c.NeedsAll(), func(p permission.Name) bool { return !caller.May(p) })
	})
	web.NoStore(w)
	web.WriteData(w, http.StatusOK, shown{
		At: web.Timestamp(o.At), Hours: web.Items(o.Hours, newBucket), Days: web.Items(o.Days, newBucket),
		Demo: o.Demo, Attention: web.Items(o.Attention, newConcern), Licenses: web.Items(o.Licenses, newDueLicense),
	})
	return nil
}
