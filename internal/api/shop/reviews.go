package shop

import (
	"net/http"

	"stoa/internal/api/web"
	"stoa/internal/api/wire"
	"stoa/internal/shop/review"
)

// ListReviews serves GET /api/marketplace/products/{slug}/reviews.
func (h *Handlers) ListReviews(w http.ResponseWriter, r *http.Request) error {
	type response struct {
		Reviews    []wire.Review  `json:"reviews"`
		Pagination web.Pagination `json:"pagination"`
	}

	p, err := web.OnlyPage(r)
	if err != nil {
		return err
	}
	found, total, err := h.Reviews.ListShown(r.Context(), r.PathValue("slug"), p.Limit, p.Offset())
	if err != nil {
		return err
	}
	web.WriteJSON(w, http.StatusOK, response{Reviews: web.Items(found, wire.NewReview), Pagination: p.Of(total)})
	return nil
}

// WriteReview serves POST /api/marketplace/products/{slug}/reviews.
func (h *Handlers) WriteReview(w http.ResponseWriter, r *http.Request) error {
	type response struct {
		wire.Review

		Hidden bool `json:"hidden"`
	}

	in, err := web.ReadInput(w, r, review.Request.Issues)
	if err != nil {
		return err
	}
	review, created, err := h.Reviews.Write(r.Context(), r.PathValue("slug"), in)
	if err != nil {
		return err
	}
	status := http.StatusOK
	if created {
		status = http.StatusCreated
	}
	web.WriteJSON(w, status, response{Review: wire.NewReview(review), Hidden: review.Hidden})
	return nil
}

// WithdrawReview serves DELETE /api/marketplace/products/{slug}/reviews.
func (h *Handlers) WithdrawReview(w http.ResponseWriter, r *http.Request) error {
	type response struct {
		Success bool `json:"success"`
	}

	if err := h.Reviews.Withdraw(r.Context(), r.PathValue("slug")); err != nil {
		return err
	}
	web.WriteJSON(w, http.StatusOK, response{Success: true})
	return nil
}
