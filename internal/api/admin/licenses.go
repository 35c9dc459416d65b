package admin

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"stoa/internal/api/web"
	"stoa/internal/api/wire"
	"stoa/internal/base/errs"
	"stoa/internal/shop/license"
)

// managedLicense is a license as administrators see it: with the name of its tier and the addresses of
// its owner and its bill.
type managedLicense struct {
	wire.License

	TierName  string `json:"tierName"`
	UserEmail string `json:"userEmail,omitempty"`
	// BilledEmail is by whom a guest's license is known.
	BilledEmail string `json:"billedEmail,omitempty"`
}

func (h *Handlers) managedLicense(l license.Listed) managedLicense {
	return managedLicense{wire.NewLicense(l, h.Now()), l.TierName, l.UserEmail, l.BilledEmail}
}

// writeLicense answers with a license and the ETag of its state, unless err is not nil.
func (h *Handlers) writeLicense(ctx context.Context, w http.ResponseWriter, l license.Listed, err error) error {
	if err != nil {
		return err
	}
	web.SetETag(w, web.VersionTag(l.License.Version))
	web.NoStore(w)
	web.WriteData(w, http.StatusOK, former(ctx, h.managedLicense)(l))
	return nil
}

// licenseFilters are the parameters that select licenses.
var licenseFilters = []string{"q", "product", "user", "status"}

// licenseQuery reads which licenses a request wants, of those that the caller may find.
func licenseQuery(r *http.Request) license.Query {
	v := r.URL.Query()
	return license.Query{
		Search: v.Get("q"), Masked: !seesPeople(r.Context()), NoFormer: !seesFormer(r.Context()),
		ProductSlug: v.Get("product"), UserID: v.Get("user"), Status: license.Status(v.Get("status")),
	}
}

// ListLicenses serves GET /api/v1/admin/licenses.
func (h *Handlers) ListLicenses(w http.ResponseWriter, r *http.Request) error {
	var faults errs.Issues
	web.OnlyParams(r, &faults, append(licenseFilters, "sort")...)
	p, q := web.ReadPage(r, &faults), licenseQuery(r)
	q.Sort, q.Limit, q.Offset = r.URL.Query().Get("sort"), p.Limit, p.Offset()
	if err := web.Refusal(faults, q.Issues); err != nil {
		return err
	}
	found, total, err := h.Licenses.Find(r.Context(), q)
	if err != nil {
		return err
	}
	web.NoStore(w)
	web.WriteList(w, p, found, total, former(r.Context(), h.managedLicense))
	return nil
}

// GetLicense serves GET /api/v1/admin/licenses/{id}.
func (h *Handlers) GetLicense(w http.ResponseWriter, r *http.Request) error {
	l, err := h.Licenses.Get(r.Context(), r.PathValue("id"))
	return h.writeLicense(r.Context(), w, l, err)
}

// licenseLookUp is the body of a search by key. A key must not be in an address.
type licenseLookUp struct {
	LicenseKey string `json:"licenseKey"`
}

func (in licenseLookUp) issues() (faults errs.Issues) {
	faults.Require("licenseKey", in.LicenseKey)
	return faults
}

// LookUpLicense serves POST /api/v1/admin/licenses/lookup.
func (h *Handlers) LookUpLicense(w http.ResponseWriter, r *http.Request) error {
	in, err := web.ReadJSON(w, r, licenseLookUp.issues)
	if err != nil {
		return err
	}
	l, err := h.Licenses.GetByKey(r.Context(), in.LicenseKey)
	return h.writeLicense(r.Context(), w, l, err)
}

// licenseChange is the body of a change. Absent fields stay; with an expiresAt of
// null the license never ends.
type licenseChange struct {
	Features     *[]string       `json:"features"`
	MaxInstances *int            `json:"maxInstances"`
	ExpiresAt    json.RawMessage `json:"expiresAt"`
}

// change returns the change, and its faults of type.
func (in licenseChange) change() (ch license.Change, faults errs.Issues) {
	ch = license.Change{Features: in.Features, MaxInstances: in.MaxInstances}
	if in.ExpiresAt != nil {
		var at *time.Time
		if err := json.Unmarshal(in.ExpiresAt, &at); err != nil {
			faults.Add("expiresAt", errs.CodeWrongType, "expiresAt must be a time like 2030-03-01T12:00:00Z, or null.")
		} else if at == nil {
			ch.Perpetual = true
		} else {
			ch.ExpiresAt = at
		}
	}
	return ch, faults
}

// ChangeLicense serves PATCH /api/v1/admin/licenses/{id}.
func (h *Handlers) ChangeLicense(w http.ResponseWriter, r *http.Request) error {
	in, faults, err := web.ReadFields[licenseChange](w, r)
	if err != nil {
		return err
	}
	ch, wrong := in.change()
	faults.Merge(wrong)
	if err := web.Refusal(faults, ch.Issues); err != nil {
		return err
	}
	l, err := h.Licenses.Change(r.Context(), r.PathValue("id"), ch, web.IfMatch(r))
	return h.writeLicense(r.Context(), w, l, err)
}

// RenewLicense serves POST /api/v1/admin/licenses/{id}/renew.
func (h *Handlers) RenewLicense(w http.ResponseWriter, r *http.Request) error {
	in, err := web.ReadInput(w, r, license.Renewal.Issues)
	if err != nil {
		return err
	}
	l, err := h.Licenses.Renew(r.Context(), r.PathValue("id"), in, web.IfMatch(r))
	return h.writeLicense(r.Context(), w, l, err)
}

// RevokeLicense serves POST /api/v1/admin/licenses/{id}/revoke.
func (h *Handlers) RevokeLicense(w http.ResponseWriter, r *http.Request) error {
	l, err := h.Licenses.Revoke(r.Context(), r.PathValue("id"), web.IfMatch(r))
	return h.writeLicense(r.Context(), w, l, err)
}

// ListActivations serves GET /api/v1/admin/licenses/{id}/activations.
func (h *Handlers) ListActivations(w http.ResponseWriter, r *http.Request) error {
	p, err := web.ReadOnlyPage(r)
	if err != nil {
		return err
	}
	found, total, err := h.Licenses.ListActivations(r.Context(), r.PathValue("id"), p.Limit, p.Offset())
	if err != nil {
		return err
	}
	web.NoStore(w)
	web.WriteList(w, p, found, total, wire.NewActivation)
	return nil
}

// FreeActivation serves DELETE /api/v1/admin/licenses/{id}/activations/{instanceId}.
func (h *Handlers) FreeActivation(w http.ResponseWriter, r *http.Request) error {
	l, err := h.Licenses.DeactivateByID(r.Context(), r.PathValue("id"), r.PathValue("instanceId"))
	return h.writeLicense(r.Context(), w, l, err)
}

// licenseGrant is the body of the grant of a license.
type licenseGrant struct {
	ProductSlug  string          `json:"productSlug"`
	TierID       string          `json:"tierId"`
	UserID       string          `json:"userId"`
	Features     *[]string       `json:"features"`
	MaxInstances *int            `json:"maxInstances"`
	ExpiresAt    json.RawMessage `json:"expiresAt"`
}

// request returns the grant, and its faults of type.
func (in licenseGrant) request() (license.GrantRequest, errs.Issues) {
	ch, faults := licenseChange{Features: in.Features, MaxInstances: in.MaxInstances, ExpiresAt: in.ExpiresAt}.change()
	return license.GrantRequest{ProductSlug: in.ProductSlug, TierID: in.TierID, UserID: in.UserID, Change: ch}, faults
}

// GrantLicense serves POST /api/v1/admin/licenses.
func (h *Handlers) GrantLicense(w http.ResponseWriter, r *http.Request) error {
	type granted struct {
		managedLicense

		LicenseKey string `json:"licenseKey"`
	}

	in, faults, err := web.ReadFields[licenseGrant](w, r)
	if err != nil {
		return err
	}
	req, wrong := in.request()
	faults.Merge(wrong)
	if faults.Len() > 0 { // one answer also names the faults of product, tier and user
		found, err := h.Licenses.GrantIssues(r.Context(), req)
		if err != nil {
			return err
		}
		faults.Merge(found)
		return faults.Err()
	}
	l, key, err := h.Licenses.Grant(r.Context(), req)
	if err != nil {
		return err
	}
	web.SetETag(w, web.VersionTag(l.License.Version))
	w.Header().Set("Location", "/api/v1/admin/licenses/"+l.License.ID)
	web.NoStore(w)
	web.WriteData(w, http.StatusCreated, granted{h.managedLicense(l), key.Reveal()})
	return nil
}
