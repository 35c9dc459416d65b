package platform

import (
	"net/http"

	"stoa/internal/account"
	"stoa/internal/api/web"
	"stoa/internal/api/wire"
	"stoa/internal/base/errs"
	"stoa/internal/shop/license"
	"stoa/internal/shop/order"
)

// ListProducts serves GET /api/v1/platform/products: the published products.
func (h *Handlers) ListProducts(w http.ResponseWriter, r *http.Request) error {
	var faults errs.Issues
	q, p := wire.ReadProductFilter(r, &faults)
	if err := web.Refusal(faults, q.Issues); err != nil {
		return err
	}
	q.Language = wire.ReadLanguage(r)
	found, err := h.Catalog.List(r.Context(), q)
	if err != nil {
		return err
	}
	web.NoStore(w)
	web.WriteList(w, p, found.Products, found.Total, wire.NewProductItem)
	return nil
}

// GetProduct serves GET /api/v1/platform/products/{slug}.
func (h *Handlers) GetProduct(w http.ResponseWriter, r *http.Request) error {
	p, err := h.Catalog.Published(r.Context(), r.PathValue("slug"))
	if err != nil {
		return err
	}
	web.NoStore(w)
	web.WriteData(w, http.StatusOK, wire.NewProductPage(p.In(wire.ReadLanguage(r))))
	return nil
}

// ListOrders serves GET /api/v1/platform/orders. Orders cannot be searched by e-mail address: that would
// reveal addresses to plugins without the permission to see them.
func (h *Handlers) ListOrders(w http.ResponseWriter, r *http.Request) error {
	var faults errs.Issues
	web.OnlyParams(r, &faults, "status", "product", "user")
	p, v := web.ReadPage(r, &faults), r.URL.Query()
	q := order.Query{
		Status: order.Status(v.Get("status")), Product: v.Get("product"), UserID: v.Get("user"),
		Limit: p.Limit, Offset: p.Offset(),
	}
	if err := web.Refusal(faults, q.Issues); err != nil {
		return err
	}
	found, total, err := h.Orders.Find(r.Context(), q)
	if err != nil {
		return err
	}
	web.NoStore(w)
	web.WriteList(w, p, found, total, orderFor(r))
	return nil
}

// GetOrder serves GET /api/v1/platform/orders/{id}.
func (h *Handlers) GetOrder(w http.ResponseWriter, r *http.Request) error {
	o, err := h.Orders.Get(r.Context(), r.PathValue("id"))
	return write(w, o, err, orderFor(r))
}

// orderFor returns the function that makes the JSON form of an order for the calling plugin.
func orderFor(r *http.Request) func(order.Listed) wire.Order {
	emails := may(installed(r), ReadEmails)
	return func(o order.Listed) wire.Order {
		out := wire.NewOrder(o)
		if !emails {
			out.BillingInfo, out.OrderBill = nil, out.Anonymous()
		}
		return out
	}
}

// ListLicenses serves GET /api/v1/platform/licenses.
func (h *Handlers) ListLicenses(w http.ResponseWriter, r *http.Request) error {
	var faults errs.Issues
	web.OnlyParams(r, &faults, "product", "user", "status")
	p, v := web.ReadPage(r, &faults), r.URL.Query()
	q := license.Query{
		ProductSlug: v.Get("product"), UserID: v.Get("user"), Status: license.Status(v.Get("status")),
		Limit: p.Limit, Offset: p.Offset(),
	}
	if err := web.Refusal(faults, q.Issues); err != nil {
		return err
	}
	found, total, err := h.Licenses.Find(r.Context(), q)
	if err != nil {
		return err
	}
	web.NoStore(w)
	web.WriteList(w, p, found, total, h.license)
	return nil
}

// GetLicense serves GET /api/v1/platform/licenses/{id}.
func (h *Handlers) GetLicense(w http.ResponseWriter, r *http.Request) error {
	l, err := h.Licenses.Get(r.Context(), r.PathValue("id"))
	return write(w, l, err, h.license)
}

func (h *Handlers) license(l license.Listed) wire.License { return wire.NewLicense(l, h.Now()) }

// user is a user as plugins see them.
type user struct {
	ID       string  `json:"id"`
	Username string  `json:"username"`
	Role     string  `json:"role"`
	Avatar   *string `json:"avatar"`
	Email    string  `json:"email,omitempty"` // with users:email
}

// ListUsers serves GET /api/v1/platform/users. Like orders, users cannot be searched.
func (h *Handlers) ListUsers(w http.ResponseWriter, r *http.Request) error {
	var faults errs.Issues
	web.OnlyParams(r, &faults)
	p := web.ReadPage(r, &faults)
	if err := faults.Err(); err != nil {
		return err
	}
	found, total, err := h.Accounts.ListUsers(r.Context(), account.UserQuery{Limit: p.Limit, Offset: p.Offset()})
	if err != nil {
		return err
	}
	web.NoStore(w)
	web.WriteList(w, p, found, total, userFor(r))
	return nil
}

// GetUser serves GET /api/v1/platform/users/{id}.
func (h *Handlers) GetUser(w http.ResponseWriter, r *http.Request) error {
	u, err := h.Accounts.User(r.Context(), r.PathValue("id"))
	return write(w, u, err, userFor(r))
}

// userFor returns the function that makes the JSON form of a user for the calling plugin.
func userFor(r *http.Request) func(account.User) user {
	emails := may(installed(r), ReadEmails)
	return func(u account.User) user {
		full := wire.NewUser(u)
		out := user{ID: full.ID, Username: full.Username, Role: full.Role, Avatar: full.Avatar}
		if emails {
			out.Email = full.Email
		}
		return out
	}
}

// write answers with show(v), unless err is not nil.
func write[T, J any](w http.ResponseWriter, v T, err error, show func(T) J) error {
	if err != nil {
		return err
	}
	web.NoStore(w)
	web.WriteData(w, http.StatusOK, show(v))
	return nil
}
