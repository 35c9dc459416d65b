package httpapi

import (
	"net/http"

	"stoa/internal/market"
)

// licenseAnswer says that a licence was activated or deactivated (spec A).
type licenseAnswer struct {
	Success bool        `json:"success"`
	License licenseInfo `json:"license"`
}

func writeLicense(w http.ResponseWriter, g market.Grant) {
	noStore(w) // it holds the key
	writeJSON(w, http.StatusOK, licenseAnswer{Success: true, License: toLicenseInfo(g)})
}

// deactivateLicense serves POST /api/marketplace/products/{slug}/deactivate.
func (s *Server) deactivateLicense(w http.ResponseWriter, r *http.Request) error {
	in, err := readJSON(w, r, market.UseRequest.Issues)
	if err != nil {
		return err
	}
	grant, err := s.Market.Deactivate(r.Context(), r.PathValue("slug"), in)
	if err != nil {
		return err
	}
	writeLicense(w, grant)
	return nil
}

// ownLicense is a licence as its owner sees it.
type ownLicense struct {
	licenseInfo

	ProductSlug          string `json:"productSlug"`
	ProductName          string `json:"productName"`
	Paid                 bool   `json:"paid"`
	DevelopmentInstances int    `json:"developmentInstances"`
}

// listOwnLicenses serves GET /api/marketplace/licenses.
func (s *Server) listOwnLicenses(w http.ResponseWriter, r *http.Request) error {
	type response struct {
		Licenses   []ownLicense `json:"licenses"`
		Pagination pagination   `json:"pagination"`
	}

	var faults issues
	p := readPage(r, &faults)
	if err := faults.err(); err != nil {
		return err
	}
	found, total, err := s.Market.OwnLicenses(r.Context(), p.slice())
	if err != nil {
		return err
	}
	out := response{Licenses: make([]ownLicense, len(found)), Pagination: p.of(total)}
	for i, l := range found {
		out.Licenses[i] = ownLicense{
			licenseInfo: toLicenseInfo(market.Grant{Usage: market.Usage{License: l.License}, Key: l.Key, Status: l.Status}),
			ProductSlug: l.ProductSlug, ProductName: l.ProductName, Paid: l.License.Paid, DevelopmentInstances: l.License.DevelopmentInstances,
		}
	}
	noStore(w)
	writeJSON(w, http.StatusOK, out)
	return nil
}

func (p page) slice() market.Slice { return market.Slice{Offset: p.offset(), Limit: p.Limit} }

// activationJSON is an instance that uses a licence.
type activationJSON struct {
	InstanceID  string    `json:"instanceId"`
	Development bool      `json:"development"`
	ActivatedAt timestamp `json:"activatedAt"`
}

func toActivation(a market.Activation) activationJSON {
	return activationJSON{InstanceID: a.InstanceID, Development: a.Development, ActivatedAt: timestamp(a.At)}
}

// listOwnActivations serves GET /api/marketplace/licenses/{id}/activations.
func (s *Server) listOwnActivations(w http.ResponseWriter, r *http.Request) error {
	type response struct {
		Activations []activationJSON `json:"activations"`
		Pagination  pagination       `json:"pagination"`
	}

	var faults issues
	p := readPage(r, &faults)
	if err := faults.err(); err != nil {
		return err
	}
	found, total, err := s.Market.OwnActivations(r.Context(), r.PathValue("id"), p.slice())
	if err != nil {
		return err
	}
	noStore(w)
	writeJSON(w, http.StatusOK, response{Activations: shown(found, toActivation), Pagination: p.of(total)})
	return nil
}

// freeOwnActivation serves DELETE /api/marketplace/licenses/{id}/activations/{instanceId}.
func (s *Server) freeOwnActivation(w http.ResponseWriter, r *http.Request) error {
	grant, err := s.Market.FreeOwn(r.Context(), r.PathValue("id"), r.PathValue("instanceId"))
	if err != nil {
		return err
	}
	writeLicense(w, grant)
	return nil
}
