package extension

import (
	"cmp"
	"net/http"
	"slices"

	"stoa/internal/api/web"
	"stoa/internal/api/wire"
	"stoa/internal/base/paging"
	"stoa/internal/data/idempotency"
	"stoa/internal/extension"
	"stoa/internal/market/operation"
	"stoa/internal/market/remote"
	"stoa/internal/shop/release"
)

// PublishPackage serves PUT /api/v1/admin/products/{slug}/package.
func (h *Handlers) PublishPackage(w http.ResponseWriter, r *http.Request) error {
	kind := extension.Kind(cmp.Or(r.URL.Query().Get("kind"), string(extension.Plugin)))
	if err := h.Installer.CheckKind(kind); err != nil {
		return err
	}
	slug := r.PathValue("slug")
	if _, err := h.Releases.Products.Get(r.Context(), slug); err != nil { // before 50 MiB are sent for nothing
		return err
	}
	up, err := h.receive(w, r, kind)
	if err != nil {
		return err
	}
	defer up.Close()
	published, created, err := h.Releases.Publish(r.Context(), slug, kind, up)
	if err != nil {
		return err
	}
	status := http.StatusOK
	if created {
		status = http.StatusCreated
	}
	web.WriteData(w, status, wire.NewManagedPackage(published))
	return nil
}

// publishedVersion is a version of a product's package, and when it was published.
type publishedVersion struct {
	wire.ManagedPackage

	PublishedAt web.Timestamp  `json:"publishedAt"`
	WithdrawnAt *web.Timestamp `json:"withdrawnAt,omitempty"`
}

func newPublishedVersion(r release.Release) publishedVersion {
	v := publishedVersion{ManagedPackage: wire.NewManagedPackage(r), PublishedAt: web.Timestamp(r.PublishedAt)}
	if !r.WithdrawnAt.IsZero() {
		at := web.Timestamp(r.WithdrawnAt)
		v.WithdrawnAt = &at
	}
	return v
}

// PublishedVersions serves GET /api/v1/admin/products/{slug}/packages.
func (h *Handlers) PublishedVersions(w http.ResponseWriter, r *http.Request) error {
	page, err := web.ReadOnlyPage(r)
	if err != nil {
		return err
	}
	list, err := h.Releases.List(r.Context(), r.PathValue("slug"))
	if err != nil {
		return err
	}
	web.WriteList(w, page, paging.Cut(list, page.Limit, page.Offset()), len(list), newPublishedVersion)
	return nil
}

// WithdrawVersion serves DELETE /api/v1/admin/products/{slug}/packages/{version}.
func (h *Handlers) WithdrawVersion(w http.ResponseWriter, r *http.Request) error {
	withdrawn, err := h.Releases.Withdraw(r.Context(), r.PathValue("slug"), r.PathValue("version"))
	if err != nil {
		return err
	}
	web.WriteData(w, http.StatusOK, newPublishedVersion(withdrawn))
	return nil
}

// InstallFromMarket serves POST /api/v1/admin/market/{slug}/install.
func (h *Handlers) InstallFromMarket(w http.ResponseWriter, r *http.Request) error {
	type request struct {
		LicenseKey string `json:"licenseKey"`
	}

	req, err := web.ReadJSON[request](w, r, nil)
	if err != nil {
		return err
	}
	return h.installOwn(w, r, r.PathValue("slug"), operation.NewInstall{LicenseKey: req.LicenseKey})
}

// installOwn installs the package of a product of this stoa.
func (h *Handlers) installOwn(w http.ResponseWriter, r *http.Request, product string, in operation.NewInstall) error {
	res, err := h.Operations.InstallOwn(r.Context(), product, in, idempotency.Seed(r.Context()))
	if err != nil {
		return err
	}
	return h.writeResult(w, r, res)
}

// update is a newer version of an installed package.
type update struct {
	Market           string `json:"market"`
	Kind             string `json:"kind"`
	Slug             string `json:"slug"`
	InstalledVersion string `json:"installedVersion"`
	Version          string `json:"version"`
	ProductSlug      string `json:"productSlug"`
	ProductName      string `json:"productName"`
}

// MarketUpdates serves GET /api/v1/admin/market/updates.
func (h *Handlers) MarketUpdates(w http.ResponseWriter, r *http.Request) error {
	page, err := web.ReadOnlyPage(r)
	if err != nil {
		return err
	}
	own, err := h.Releases.Updates(r.Context())
	if err != nil {
		return err
	}
	others, err := h.Operations.Updates(r.Context())
	if err != nil {
		return err
	}
	var list []update
	for _, u := range own {
		list = append(list, update{
			remote.Self, string(u.Kind), u.Slug, u.InstalledVersion, u.Version, u.ProductSlug, u.ProductName,
		})
	}
	for _, u := range others {
		list = append(list, update{
			u.Origin.Market, string(u.Kind), u.Slug, u.InstalledVersion, u.Version, u.Origin.Product, u.Origin.ProductName,
		})
	}
	slices.SortFunc(list, func(a, b update) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Slug, b.Slug))
	})
	shown := func(u update) update { return u }
	web.WriteList(w, page, paging.Cut(list, page.Limit, page.Offset()), len(list), shown)
	return nil
}
