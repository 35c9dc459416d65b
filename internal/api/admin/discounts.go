package admin

import (
	"encoding/json"
	"net/http"

	"stoa/internal/api/web"
	"stoa/internal/base/errs"
	"stoa/internal/shop/discount"
)

// managedDiscount is a discount on the wire.
type managedDiscount struct {
	ID              string            `json:"id"`
	Code            string            `json:"code"`
	PercentOff      json.Number       `json:"percentOff,omitempty"`
	AmountOff       json.Number       `json:"amountOff,omitempty"`
	Currency        string            `json:"currency,omitempty"`
	Products        []string          `json:"products,omitempty"`
	Tiers           []string          `json:"tiers,omitempty"`
	Duration        discount.Duration `json:"duration"`
	StartsAt        web.Timestamp     `json:"startsAt,omitzero"`
	EndsAt          web.Timestamp     `json:"endsAt,omitzero"`
	MaxUses         int               `json:"maxUses,omitempty"`
	OncePerCustomer bool              `json:"oncePerCustomer,omitempty"`
	Active          bool              `json:"active"`
	Uses            int               `json:"uses"`
	CreatedAt       web.Timestamp     `json:"createdAt"`
	UpdatedAt       web.Timestamp     `json:"updatedAt"`
}

func newDiscount(d discount.Discount) managedDiscount {
	out := managedDiscount{
		ID: d.ID, Code: d.Code, Products: d.Products, Tiers: d.Tiers, Duration: d.Duration,
		StartsAt: web.Timestamp(d.StartsAt), EndsAt: web.Timestamp(d.EndsAt), MaxUses: d.MaxUses,
		OncePerCustomer: d.OncePerCustomer, Active: d.Active, Uses: d.Uses,
		CreatedAt: web.Timestamp(d.CreatedAt), UpdatedAt: web.Timestamp(d.UpdatedAt),
	}
	if d.Percent > 0 {
		out.PercentOff = d.PercentOff()
	} else {
		out.AmountOff, out.Currency = d.Amount.Amount(), d.Amount.Currency
	}
	return out
}

// ListDiscounts serves GET /api/v1/admin/discounts.
func (h *Handlers) ListDiscounts(w http.ResponseWriter, r *http.Request) error {
	var faults errs.Issues
	web.OnlyParams(r, &faults, "q")
	p := web.ReadPage(r, &faults)
	q := discount.Query{Search: r.URL.Query().Get("q"), Limit: p.Limit, Offset: p.Offset()}
	if err := web.Refusal(faults, q.Issues); err != nil {
		return err
	}
	found, total, err := h.Discounts.Find(r.Context(), q)
	if err != nil {
		return err
	}
	web.NoStore(w)
	web.WriteList(w, p, found, total, newDiscount)
	return nil
}

// CreateDiscount serves POST /api/v1/admin/discounts.
func (h *Handlers) CreateDiscount(w http.ResponseWriter, r *http.Request) error {
	in, faults, err := web.ReadChange[discount.Form, managedDiscount](w, r)
	if err != nil {
		return err
	}
	if faults.Len() > 0 { // one answer also names what the domain finds
		found, err := h.Discounts.CreateIssues(r.Context(), in)
		if err != nil {
			return err
		}
		faults.Merge(found)
		return faults.Err()
	}
	d, err := h.Discounts.Create(r.Context(), in)
	if err != nil {
		return err
	}
	w.Header().Set("Location", "/api/v1/admin/discounts/"+d.ID)
	return writeDiscount(w, http.StatusCreated, d)
}

// GetDiscount serves GET /api/v1/admin/discounts/{id}.
func (h *Handlers) GetDiscount(w http.ResponseWriter, r *http.Request) error {
	d, err := h.Discounts.Get(r.Context(), r.PathValue("id"))
	if err != nil {
		return err
	}
	return writeDiscount(w, http.StatusOK, d)
}

// ChangeDiscount serves PATCH /api/v1/admin/discounts/{id}.
func (h *Handlers) ChangeDiscount(w http.ResponseWriter, r *http.Request) error {
	in, faults, err := web.ReadChange[discount.Form, managedDiscount](w, r)
	if err != nil {
		return err
	}
	if faults.Len() > 0 {
		found, err := h.Discounts.ChangeIssues(r.Context(), r.PathValue("id"), in)
		if err != nil {
			return err
		}
		faults.Merge(found)
		return faults.Err()
	}
	d, err := h.Discounts.Change(r.Context(), r.PathValue("id"), in, web.IfMatch(r))
	if err != nil {
		return err
	}
	return writeDiscount(w, http.StatusOK, d)
}

// DeleteDiscount serves DELETE /api/v1/admin/discounts/{id}.
func (h *Handlers) DeleteDiscount(w http.ResponseWriter, r *http.Request) error {
	if err := h.Discounts.Delete(r.Context(), r.PathValue("id"), web.IfMatch(r)); err != nil {
		return err
	}
	web.WriteDone(w, "The discount is deleted. Its code is unknown now.")
	return nil
}

func writeDiscount(w http.ResponseWriter, status int, d discount.Discount) error {
	web.SetETag(w, web.VersionTag(d.Version))
	web.NoStore(w)
	web.WriteData(w, status, newDiscount(d))
	return nil
}
