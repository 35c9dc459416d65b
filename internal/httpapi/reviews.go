package httpapi

import (
	"net/http"

	"stoa/internal/errs"
	"stoa/internal/market"
)

// reviewJSON is a review as everybody sees it.
type reviewJSON struct {
	ID        string    `json:"id"`
	Rating    int       `json:"rating"`
	Title     string    `json:"title,omitempty"`
	Text      string    `json:"text,omitempty"`
	Author    string    `json:"author"`
	CreatedAt timestamp `json:"createdAt"`
	UpdatedAt timestamp `json:"updatedAt"`
}

func newReviewJSON(r market.Review) reviewJSON {
	return reviewJSON{
		ID: r.ID, Rating: r.Rating, Title: r.Title, Text: r.Text, Author: r.Author,
		CreatedAt: timestamp(r.CreatedAt), UpdatedAt: timestamp(r.UpdatedAt),
	}
}

// managedReviewJSON is a review as administrators see it.
type managedReviewJSON struct {
	reviewJSON

	Hidden      bool   `json:"hidden"`
	UserID      string `json:"userId"`
	ProductID   string `json:"productId"`
	ProductSlug string `json:"productSlug"`
}

func newManagedReviewJSON(r market.Review) managedReviewJSON {
	return managedReviewJSON{reviewJSON: newReviewJSON(r), Hidden: r.Hidden, UserID: r.UserID, ProductID: r.ProductID, ProductSlug: r.ProductSlug}
}

// listReviews serves GET /api/marketplace/products/{slug}/reviews.
func (s *Server) listReviews(w http.ResponseWriter, r *http.Request) error {
	type response struct {
		Reviews    []reviewJSON `json:"reviews"`
		Pagination pagination   `json:"pagination"`
	}

	var faults issues
	p := readPage(r, &faults)
	if err := faults.err(); err != nil {
		return err
	}
	found, total, err := s.Market.ProductReviews(r.Context(), r.PathValue("slug"), p.offset(), p.Limit)
	if err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, response{Reviews: shown(found, newReviewJSON), Pagination: p.of(total)})
	return nil
}

// writeReview serves POST /api/marketplace/products/{slug}/reviews.
func (s *Server) writeReview(w http.ResponseWriter, r *http.Request) error {
	type response struct {
		reviewJSON

		Hidden bool `json:"hidden"`
	}

	in, err := readJSON(w, r, market.ReviewRequest.Issues)
	if err != nil {
		return err
	}
	review, created, err := s.Market.WriteReview(r.Context(), r.PathValue("slug"), in)
	if err != nil {
		return err
	}
	status := http.StatusOK
	if created {
		status = http.StatusCreated
	}
	writeJSON(w, status, response{reviewJSON: newReviewJSON(review), Hidden: review.Hidden})
	return nil
}

// withdrawReview serves DELETE /api/marketplace/products/{slug}/reviews.
func (s *Server) withdrawReview(w http.ResponseWriter, r *http.Request) error {
	type response struct {
		Success bool `json:"success"`
	}

	if err := s.Market.WithdrawReview(r.Context(), r.PathValue("slug")); err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, response{Success: true})
	return nil
}

// findReviews serves GET /api/v1/admin/reviews.
func (s *Server) findReviews(w http.ResponseWriter, r *http.Request) error {
	var faults issues
	p, query := readPage(r, &faults), r.URL.Query()
	q := market.ReviewQuery{
		ProductSlug: query.Get("product"), Hidden: readBoolean(r, "hidden", &faults), Offset: p.offset(), Limit: p.Limit,
	}
	faults.merge(q.Issues())
	if err := faults.err(); err != nil {
		return err
	}
	found, total, err := s.Market.FindReviews(r.Context(), q)
	if err != nil {
		return err
	}
	noStore(w)
	writeList(w, p, found, total, newManagedReviewJSON)
	return nil
}

// reviewChange is the body of a change to a review by an administrator.
type reviewChange struct {
	Hidden *bool `json:"hidden"`
}

func (in reviewChange) issues() []errs.Issue {
	if in.Hidden == nil {
		return []errs.Issue{{Path: "hidden", Code: "required", Message: "hidden is required."}}
	}
	return nil
}

// hideReview serves PATCH /api/v1/admin/reviews/{id}.
func (s *Server) hideReview(w http.ResponseWriter, r *http.Request) error {
	in, err := readJSON(w, r, reviewChange.issues)
	if err != nil {
		return err
	}
	review, err := s.Market.HideReview(r.Context(), r.PathValue("id"), *in.Hidden)
	if err != nil {
		return err
	}
	noStore(w)
	writeData(w, http.StatusOK, newManagedReviewJSON(review))
	return nil
}

// removeReview serves DELETE /api/v1/admin/reviews/{id}.
func (s *Server) removeReview(w http.ResponseWriter, r *http.Request) error {
	if err := s.Market.RemoveReview(r.Context(), r.PathValue("id")); err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, envelope{Success: true, Message: "The review is deleted."})
	return nil
}
