package extension

import (
	"net/http"

	"stoa/internal/api/web"
	"stoa/internal/base/errs"
	"stoa/internal/base/paging"
	"stoa/internal/market/remote"
)

// shownMarket is a market on the wire (contract 9.4).
type shownMarket struct {
	Market      string        `json:"market"`
	Name        string        `json:"name"`
	URL         string        `json:"url"`
	Fingerprint *string       `json:"rootFingerprint"`
	State       remote.State  `json:"state"`
	Reason      *string       `json:"reason"`
	CheckedAt   web.Timestamp `json:"checkedAt,omitzero"`
	AddedAt     web.Timestamp `json:"addedAt,omitzero"`
}

func (h *Handlers) showMarket(m remote.Market) shownMarket {
	state, reason := m.At(h.Now())
	return shownMarket{
		Market: m.ID, Name: m.Name, URL: m.URL, Fingerprint: orNull(m.Fingerprint), State: state, Reason: orNull(reason),
		CheckedAt: web.Timestamp(m.CheckedAt), AddedAt: web.Timestamp(m.AddedAt),
	}
}

func orNull(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

// ListMarkets serves GET /api/v1/admin/markets.
func (h *Handlers) ListMarkets(w http.ResponseWriter, r *http.Request) error {
	page, err := web.ReadOnlyPage(r)
	if err != nil {
		return err
	}
	list, err := h.Markets.List(r.Context())
	if err != nil {
		return err
	}
	web.WriteList(w, page, paging.Cut(list, page.Limit, page.Offset()), len(list), h.showMarket)
	return nil
}

// newMarket is the body of POST /api/v1/admin/markets.
type newMarket struct {
	URL         string `json:"url"`
	Fingerprint string `json:"rootFingerprint"`
}

func (m newMarket) issues() errs.Issues { return remote.Issues(m.URL, m.Fingerprint) }

// AddMarket serves POST /api/v1/admin/markets.
func (h *Handlers) AddMarket(w http.ResponseWriter, r *http.Request) error {
	in, err := web.ReadStrictly(w, r, newMarket.issues)
	if err != nil {
		return err
	}
	m, err := h.Markets.Add(r.Context(), in.URL, in.Fingerprint)
	if err != nil {
		return err
	}
	web.WriteData(w, http.StatusCreated, h.showMarket(m))
	return nil
}

// RemoveMarket serves DELETE /api/v1/admin/markets/{market}.
func (h *Handlers) RemoveMarket(w http.ResponseWriter, r *http.Request) error {
	if err := h.Markets.Remove(r.Context(), r.PathValue("market")); err != nil {
		return err
	}
	web.WriteDone(w, "The market is removed. What is known of it is forgotten.")
	return nil
}

// CheckMarket serves POST /api/v1/admin/markets/{market}/check.
func (h *Handlers) CheckMarket(w http.ResponseWriter, r *http.Request) error {
	m, err := h.Markets.Check(r.Context(), r.PathValue("market"))
	if err != nil {
		return err
	}
	web.WriteData(w, http.StatusOK, h.showMarket(m))
	return nil
}
