package admin

import (
	"net/http"

	"stoa/internal/api/web"
	"stoa/internal/api/wire"
	"stoa/internal/base/errs"
	"stoa/internal/shop/review"
)

// managedReview is a review as administrators see it.
type managedReview struct {
	wire.Review

	Hidden      bool   `json:"hidden"`
	UserID      string `json:"userId"`
	ProductID   string `json:"productId"`
	ProductSlug string `json:"productSlug"`
}

func newManagedReview(r review.Review) managedReview {
	return managedReview{
		Review: wire.NewReview(r), Hidden: r.Hidden,
		UserID: r.UserID, ProductID: r.ProductID, ProductSlug: r.ProductSlug,
	}
}

// ListReviews serves GET /api/v1/admin/reviews.
func (h *Handlers) ListReviews(w http.ResponseWriter, r *http.Request) error {
	var faults errs.Issues
	web.OnlyParams(r, &faults, "q", "product", "hidden", "sort")
	p, v := web.ReadPage(r, &faults), r.URL.Query()
	q := review.Query{
		Search: v.Get("q"), Masked: !seesPeople(r.Context()), ProductSlug: v.Get("product"),
		Hidden: web.ReadBool(r, "hidden", &faults), Sort: v.Get("sort"), Limit: p.Limit, Offset: p.Offset(),
	}
	if err := web.Refusal(faults, q.Issues); err != nil {
		return err
	}
	found, total, err := h.Reviews.Find(r.Context(), q)
	if err != nil {
		return err
	}
	web.NoStore(w)
	web.WriteList(w, p, found, total, newManagedReview)
	return nil
}

// reviewChange is the body of a change to a review.
type reviewChange struct {
	Hidden *bool `json:"hidden"`
}

func (in reviewChange) issues() (faults errs.Issues) {
	if in.Hidden == nil {
		faults.Add("hidden", errs.CodeRequired, "hidden is required.")
	}
	return faults
}

// HideReview serves PATCH /api/v1/admin/reviews/{id}.
func (h *Handlers) HideReview(w http.ResponseWriter, r *http.Request) error {
	in, err := web.ReadJSON(w, r, reviewChange.issues)
	if err != nil {
		return err
	}
	review, err := h.Reviews.SetHidden(r.Context(), r.PathValue("id"), *in.Hidden)
	if err != nil {
		return err
	}
	web.NoStore(w)
	web.WriteData(w, http.StatusOK, newManagedReview(review))
	return nil
}

// RemoveReview serves DELETE /api/v1/admin/reviews/{id}.
func (h *Handlers) RemoveReview(w http.ResponseWriter, r *http.Request) error {
	if err := h.Reviews.Remove(r.Context(), r.PathValue("id")); err != nil {
		return err
	}
	web.WriteDone(w, "The review is deleted.")
	return nil
}
