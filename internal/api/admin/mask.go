package admin

import (
	"context"

	"stoa/internal/base/mask"
	"stoa/internal/base/permission"
	"stoa/internal/base/reqctx"
	"stoa/internal/shop/order"
)

// seesPeople reports whether the caller sees addresses of people, what buyers wrote, and the ends of keys.
func seesPeople(ctx context.Context) bool { return reqctx.CallerFrom(ctx).May(permission.ReadEmails) }

// seesTails reports whether the caller finds things by the end of a key.
func seesTails(ctx context.Context) bool { return reqctx.CallerFrom(ctx).May(permission.ReadLicenses) }

// seesFormer reports whether the caller sees what those who left wrote on their bills: whoever keeps the books does.
func seesFormer(ctx context.Context) bool { return reqctx.CallerFrom(ctx).May(permission.RefundOrders) }

// former is shown for orders and licenses, some of which are of people who left.
func former[V any, T interface {
	maskable[T]
	ownedBy() string
}](ctx context.Context, of func(V) T) func(V) T {
	of = shown(ctx, of)
	if seesFormer(ctx) {
		return of
	}
	return func(v V) T {
		one := of(v)
		if one.ownedBy() == reqctx.Deleted {
			return one.masked()
		}
		return one
	}
}

// maskable is an answer with something about people in it.
type maskable[T any] interface{ masked() T }

// shown returns of, whose answers are masked if the caller does not see people.
func shown[V any, T maskable[T]](ctx context.Context, of func(V) T) func(V) T {
	if seesPeople(ctx) {
		return of
	}
	return func(v V) T { return of(v).masked() }
}

func (u managedUser) masked() managedUser {
	u.Email = mask.Email(u.Email)
	return u
}

func (o managedOrder) masked() managedOrder {
	o.UserEmail = mask.Email(o.UserEmail)
	if b := o.BillingInfo; b != nil {
		o.BillingInfo = &order.BillingInfo{Name: mask.Name(b.Name), Email: mask.Email(b.Email)}
	}
	o.OrderBill = o.Anonymous()
	return o
}

func (o managedOrder) ownedBy() string { return o.UserID } //nolint:unused // former calls it

func (l managedLicense) ownedBy() string { return l.UserID } //nolint:unused // as above

func (l managedLicense) masked() managedLicense {
	l.UserEmail, l.BilledEmail = mask.Email(l.UserEmail), mask.Email(l.BilledEmail)
	return l
}

func (e auditEntry) masked() auditEntry {
	e.Actor.Name = mask.Within(e.Actor.Name)
	if e.Behalf != nil {
		e.Behalf = &auditBehalf{e.Behalf.ID, mask.Within(e.Behalf.Name)}
	}
	if e.Details != nil {
		e.Details, _ = mask.Values(map[string]any(e.Details)).(map[string]any)
	}
	return e
}
