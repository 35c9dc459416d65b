package httpapi

import (
	"cmp"
	"encoding/json"
	"net/http"
	"time"

	"stoa/internal/errs"
	"stoa/internal/market"
)

// managedLicense is a licence as administrators see it: without its key.
type managedLicense struct {
	ID                   string               `json:"id"`
	ProductID            string               `json:"productId"`
	ProductSlug          string               `json:"productSlug"`
	ProductName          string               `json:"productName"`
	TierID               string               `json:"tierId"`
	UserID               string               `json:"userId"`
	Type                 market.LicenseType   `json:"type"`
	Status               market.LicenseStatus `json:"status"`
	Paid                 bool                 `json:"paid"`
	Features             []string             `json:"features"`
	MaxInstances         int                  `json:"maxInstances"`
	CurrentInstances     int                  `json:"currentInstances"`
	DevelopmentInstances int                  `json:"developmentInstances"`
	PeriodMonths         int                  `json:"periodMonths,omitempty"`
	ExpiresAt            timestamp            `json:"expiresAt,omitzero"`
	RevokedAt            timestamp            `json:"revokedAt,omitzero"`
	CreatedAt            timestamp            `json:"createdAt"`
}

func (s *Server) toManagedLicense(listed market.ListedLicense) managedLicense {
	l := listed.License
	return managedLicense{
		ID: l.ID, ProductID: l.ProductID, ProductSlug: listed.ProductSlug, ProductName: listed.ProductName, TierID: l.TierID, UserID: l.UserID,
		Type: l.Type, Status: l.StatusAt(s.Now()), Paid: l.Paid, Features: orEmpty(l.Features), MaxInstances: l.MaxInstances,
		CurrentInstances: l.Instances, DevelopmentInstances: l.DevelopmentInstances, PeriodMonths: l.Months,
		ExpiresAt: timestamp(l.ExpiresAt), RevokedAt: timestamp(l.RevokedAt), CreatedAt: timestamp(l.CreatedAt),
	}
}

// writeManagedLicense answers with a licence and the ETag of its state, or with
// what went wrong.
func (s *Server) writeManagedLicense(w http.ResponseWriter, l market.ListedLicense, err error) error {
	if err != nil {
		return err
	}
	w.Header().Set("ETag", etag(l.License.Version))
	noStore(w)
	writeData(w, http.StatusOK, s.toManagedLicense(l))
	return nil
}

// findLicenses serves GET /api/v1/admin/licenses.
func (s *Server) findLicenses(w http.ResponseWriter, r *http.Request) error {
	var faults issues
	p, v := readPage(r, &faults), r.URL.Query()
	q := market.LicenseQuery{ProductSlug: v.Get("product"), UserID: v.Get("user"), Status: market.LicenseStatus(v.Get("status")), Slice: p.slice()}
	faults.merge(q.Issues())
	if err := faults.err(); err != nil {
		return err
	}
	found, total, err := s.Market.FindLicenses(r.Context(), q)
	if err != nil {
		return err
	}
	noStore(w)
	writeList(w, p, found, total, s.toManagedLicense)
	return nil
}

// getLicense serves GET /api/v1/admin/licenses/{id}.
func (s *Server) getLicense(w http.ResponseWriter, r *http.Request) error {
	l, err := s.Market.LicenseByID(r.Context(), r.PathValue("id"))
	return s.writeManagedLicense(w, l, err)
}

// keyQuestion is the body of a search by key, which must not be in an address.
type keyQuestion struct {
	LicenseKey string `json:"licenseKey"`
}

func (q keyQuestion) issues() []errs.Issue {
	var is issues
	if q.LicenseKey == "" {
		is.add("licenseKey", "required", "licenseKey is required.")
	}
	return is
}

// lookUpLicense serves POST /api/v1/admin/licenses/lookup.
func (s *Server) lookUpLicense(w http.ResponseWriter, r *http.Request) error {
	in, err := readJSON(w, r, keyQuestion.issues)
	if err != nil {
		return err
	}
	l, err := s.Market.LookUpLicense(r.Context(), in.LicenseKey)
	return s.writeManagedLicense(w, l, err)
}

// licenseChange is the body of a change. What is absent stays; an expiresAt of
// null is no end.
type licenseChange struct {
	Features     *[]string       `json:"features"`
	MaxInstances *int            `json:"maxInstances"`
	ExpiresAt    json.RawMessage `json:"expiresAt"`
}

// change returns the change and what is wrong with it.
func (in licenseChange) change() (market.LicenseChange, issues) {
	var is issues
	ch := market.LicenseChange{Features: in.Features, MaxInstances: in.MaxInstances}
	if in.ExpiresAt != nil {
		var at *time.Time
		if err := json.Unmarshal(in.ExpiresAt, &at); err != nil {
			is.add("expiresAt", "wrong_type", "expiresAt must be a time like 2030-03-01T12:00:00Z, or null.")
		} else if at == nil {
			ch.Perpetual = true
		} else {
			ch.ExpiresAt = at
		}
	}
	return ch, is
}

func (in licenseChange) issues() []errs.Issue {
	ch, is := in.change()
	is.merge(ch.Issues())
	return is
}

// changeLicense serves PATCH /api/v1/admin/licenses/{id}.
func (s *Server) changeLicense(w http.ResponseWriter, r *http.Request) error {
	in, err := readJSON(w, r, licenseChange.issues)
	if err != nil {
		return err
	}
	ch, _ := in.change()
	l, err := s.Market.ChangeLicense(r.Context(), r.PathValue("id"), ch, market.Match(ifMatch(r)))
	return s.writeManagedLicense(w, l, err)
}

// renewLicense serves POST /api/v1/admin/licenses/{id}/renew.
func (s *Server) renewLicense(w http.ResponseWriter, r *http.Request) error {
	in, err := readJSON(w, r, market.Renewal.Issues)
	if err != nil {
		return err
	}
	l, err := s.Market.RenewListed(r.Context(), r.PathValue("id"), in, market.Match(ifMatch(r)))
	return s.writeManagedLicense(w, l, err)
}

// revokeLicense serves POST /api/v1/admin/licenses/{id}/revoke.
func (s *Server) revokeLicense(w http.ResponseWriter, r *http.Request) error {
	l, err := s.Market.RevokeLicense(r.Context(), r.PathValue("id"), market.Match(ifMatch(r)))
	return s.writeManagedLicense(w, l, err)
}

// listActivations serves GET /api/v1/admin/licenses/{id}/activations.
func (s *Server) listActivations(w http.ResponseWriter, r *http.Request) error {
	var faults issues
	p := readPage(r, &faults)
	if err := faults.err(); err != nil {
		return err
	}
	found, total, err := s.Market.Activations(r.Context(), r.PathValue("id"), p.slice())
	if err != nil {
		return err
	}
	noStore(w)
	writeList(w, p, found, total, toActivation)
	return nil
}

// freeActivation serves DELETE /api/v1/admin/licenses/{id}/activations/{instanceId}.
func (s *Server) freeActivation(w http.ResponseWriter, r *http.Request) error {
	l, err := s.Market.FreeInstance(r.Context(), r.PathValue("id"), r.PathValue("instanceId"))
	return s.writeManagedLicense(w, l, err)
}

// licenseGrant is the body of a licence that is given.
type licenseGrant struct {
	ProductSlug  string          `json:"productSlug"`
	TierID       string          `json:"tierId"`
	UserID       string          `json:"userId"`
	Features     *[]string       `json:"features"`
	MaxInstances *int            `json:"maxInstances"`
	ExpiresAt    json.RawMessage `json:"expiresAt"`
}

func (in licenseGrant) request() (market.GrantRequest, issues) {
	ch, is := licenseChange{Features: in.Features, MaxInstances: in.MaxInstances, ExpiresAt: in.ExpiresAt}.change()
	return market.GrantRequest{ProductSlug: in.ProductSlug, TierID: in.TierID, UserID: in.UserID, Change: ch}, is
}

// grantLicense serves POST /api/v1/admin/licenses.
func (s *Server) grantLicense(w http.ResponseWriter, r *http.Request) error {
	type granted struct {
		managedLicense

		LicenseKey string `json:"licenseKey"`
	}

	// What is not there is looked for before the answer, so that it names all faults.
	var failed error
	in, err := readJSON(w, r, func(in licenseGrant) []errs.Issue { //nolint:contextcheck // it is the request's
		req, is := in.request()
		var more []errs.Issue
		more, failed = s.Market.GrantIssues(r.Context(), req)
		is.merge(more)
		return is
	})
	if err := cmp.Or(failed, err); err != nil {
		return err
	}
	req, _ := in.request()
	l, key, err := s.Market.GrantLicense(r.Context(), req)
	if err != nil {
		return err
	}
	w.Header().Set("ETag", etag(l.License.Version))
	w.Header().Set("Location", "/api/v1/admin/licenses/"+l.License.ID)
	noStore(w)
	writeData(w, http.StatusCreated, granted{s.toManagedLicense(l), key.Reveal()})
	return nil
}
