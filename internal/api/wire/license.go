package wire

import (
	"time"

	"stoa/internal/api/web"
	"stoa/internal/shop/license"
)

// Activation is an instance that uses a license.
type Activation struct {
	InstanceID  string        `json:"instanceId"`
	Development bool          `json:"development"`
	ActivatedAt web.Timestamp `json:"activatedAt"`
}

// NewActivation returns the JSON form of a.
func NewActivation(a license.Activation) Activation {
	return Activation{InstanceID: a.InstanceID, Development: a.Development, ActivatedAt: web.Timestamp(a.At)}
}

// License is a license as administrators and plugins see it: without its key.
type License struct {
	ID                   string         `json:"id"`
	ProductID            string         `json:"productId"`
	ProductSlug          string         `json:"productSlug"`
	ProductName          string         `json:"productName"`
	TierID               string         `json:"tierId"`
	UserID               string         `json:"userId"`
	Type                 license.Type   `json:"type"`
	Status               license.Status `json:"status"`
	Paid                 bool           `json:"paid"`
	Features             []string       `json:"features"`
	MaxInstances         int            `json:"maxInstances"`
	CurrentInstances     int            `json:"currentInstances"`
	DevelopmentInstances int            `json:"developmentInstances"`
	PeriodMonths         int            `json:"periodMonths,omitempty"`
	ExpiresAt            web.Timestamp  `json:"expiresAt,omitzero"`
	Ends                 bool           `json:"ends,omitempty"`
	Trial                bool           `json:"trial,omitempty"`
	Next                 *NextPlan      `json:"next,omitempty"`
	RevokedAt            web.Timestamp  `json:"revokedAt,omitzero"`
	CreatedAt            web.Timestamp  `json:"createdAt"`
	Demo                 bool           `json:"demo,omitempty"`
}

// NextPlan is the tier that a license has from its next period on.
type NextPlan struct {
	TierID string        `json:"tierId"`
	At     web.Timestamp `json:"at,omitzero"` // absent if the license was given no end since
}

// NewNextPlan returns the JSON form of l.Next; nil if nothing changes.
func NewNextPlan(l license.License) *NextPlan {
	if l.Next.None() {
		return nil
	}
	return &NextPlan{l.Next.TierID, web.Timestamp(l.ExpiresAt)}
}

// NewLicense returns the JSON form of a license at now.
func NewLicense(listed license.Listed, now time.Time) License {
	l := listed.License
	return License{
		ID: l.ID, ProductID: l.ProductID, ProductSlug: listed.ProductSlug,
		ProductName: listed.ProductName, TierID: l.TierID, UserID: l.UserID,
		Type: l.Type, Status: l.StatusAt(now), Paid: l.Paid,
		Features: web.OrEmpty(l.Features), MaxInstances: l.MaxInstances,
		CurrentInstances: l.Instances, DevelopmentInstances: l.DevelopmentInstances, PeriodMonths: l.Months,
		ExpiresAt: web.Timestamp(l.ExpiresAt), Ends: l.Ends, Trial: l.Trial, Next: NewNextPlan(l),
		RevokedAt: web.Timestamp(l.RevokedAt), CreatedAt: web.Timestamp(l.CreatedAt), Demo: l.Demo,
	}
}
