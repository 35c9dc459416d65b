package wire

import (
	"stoa/internal/api/web"
	"stoa/internal/shop/review"
)

// Review is a review as everybody sees it.
type Review struct {
	ID        string        `json:"id"`
	Rating    int           `json:"rating"`
	Title     string        `json:"title,omitempty"`
	Text      string        `json:"text,omitempty"`
	Author    string        `json:"author"`
	CreatedAt web.Timestamp `json:"createdAt"`
	UpdatedAt web.Timestamp `json:"updatedAt"`
}

// NewReview returns the JSON form of r.
func NewReview(r review.Review) Review {
	return Review{
		ID: r.ID, Rating: r.Rating, Title: r.Title, Text: r.Text, Author: r.Author,
		CreatedAt: web.Timestamp(r.CreatedAt), UpdatedAt: web.Timestamp(r.UpdatedAt),
	}
}
