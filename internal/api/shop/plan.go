package shop

import (
	"encoding/json"
	"log/slog"
	"net/http"

	"stoa/internal/api/web"
	"stoa/internal/api/wire"
	"stoa/internal/base/errs"
	"stoa/internal/data/idempotency"
	"stoa/internal/shop/order"
)

// ChangePlan serves POST /api/marketplace/licenses/{id}/change: of the signed-in user.
func (h *Handlers) ChangePlan(w http.ResponseWriter, r *http.Request) error {
	type preview struct {
		AmountDue   json.Number   `json:"amountDue"`
		Credit      json.Number   `json:"credit"`
		Currency    string        `json:"currency"`
		EffectiveAt web.Timestamp `json:"effectiveAt"`
	}

	in, err := web.ReadStrictly(w, r, order.ChangeRequest.Issues)
	if err != nil {
		return err
	}
	if in.Preview {
		q, err := h.Orders.PreviewChange(r.Context(), r.PathValue("id"), in)
		if err != nil {
			return err
		}
		web.NoStore(w)
		web.WriteJSON(w, http.StatusOK, preview{q.Due.Amount(), q.Credit.Amount(), q.Due.Currency, web.Timestamp(q.At)})
		return nil
	}
	in.OrderID = idempotency.Seed(r.Context())
	bought, err := h.Orders.ChangePlan(r.Context(), r.PathValue("id"), in)
	return h.writeBought(w, r, bought, err)
}

// GetLicenseProduct serves GET /api/marketplace/licenses/{id}/product: of the signed-in user. Owners see the product
// also when nobody else can buy it any more, because they can go on with it.
func (h *Handlers) GetLicenseProduct(w http.ResponseWriter, r *http.Request) error {
	l, err := h.Licenses.GetOwn(r.Context(), r.PathValue("id"))
	if err != nil {
		return err
	}
	p, err := h.Catalog.Get(r.Context(), l.ProductSlug)
	if err != nil {
		return err
	}
	web.NoStore(w)
	web.WriteJSON(w, http.StatusOK, wire.NewProductPage(p.In(wire.ReadLanguage(r))))
	return nil
}

// RenewLicense serves POST /api/marketplace/licenses/{id}/renew: of the signed-in user.
func (h *Handlers) RenewLicense(w http.ResponseWriter, r *http.Request) error {
	none := func(order.RenewalRequest) (faults errs.Issues) { return faults }
	in, err := web.ReadOptional(w, r, none)
	if err != nil {
		return err
	}
	if err := h.countCode(w, r, in.DiscountCode); err != nil {
		return err
	}
	in.OrderID = idempotency.Seed(r.Context())
	bought, err := h.Orders.Renew(r.Context(), r.PathValue("id"), in)
	return h.writeBought(w, r, bought, err)
}

// writeBought answers a change or a renewal: as a purchase if there was something to pay, else with the license.
func (h *Handlers) writeBought(w http.ResponseWriter, r *http.Request, bought order.Bought, err error) error {
	type response struct {
		Success bool       `json:"success"`
		License ownLicense `json:"license"`
	}

	if err != nil {
		return h.refused(r, err)
	}
	if bought.OrderID != "" {
		h.placed(r, bought.Confirmation, slog.String("license", r.PathValue("id")))
	}
	wire.MarkPayments(w, h.Orders)
	if bought.Due {
		writeConfirmation(w, r, bought.Confirmation)
		return nil
	}
	l, err := h.Licenses.GetOwn(r.Context(), r.PathValue("id"))
	if err != nil {
		return err
	}
	web.NoStore(w)
	web.WriteJSON(w, http.StatusOK, response{true, newOwnLicense(r.Context(), l)})
	return nil
}
