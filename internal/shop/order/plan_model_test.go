package order_test

import (
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"stoa/internal/base/errs"
	"stoa/internal/shop/order"
	"stoa/internal/shop/payment"
	"stoa/internal/testkit/dbtest"
)

// modelPlans are the tiers of the model: their prices, and for how many months.
var modelPlans = map[string]struct {
	price  int64
	months int
}{
	"tiny": {500, 1}, "small": {1000, 1}, "middle": {2000, 1}, "large": {3000, 1}, "huge": {4000, 1},
	"year": {10000, 12}, "years": {20000, 12},
}

// modelTiers are those that rapid draws from.
var modelTiers = slices.Sorted(maps.Keys(modelPlans))

// step is an order of the license in the model.
type step struct {
	id     string
	kind   order.Kind
	tier   string
	status order.Status
	later  bool       // a change that begins, or began, with a period
	until  time.Time  // the end of the term that any other change is priced for
	term   *modelTerm // that a renewal made longer, or that goes unless a change stands
	event  string     // the id of its payment, once it was told
	paid   payment.Event
}

// months are those of its plan.
func (s *step) months() int { return modelPlans[s.tier].months }

// modelTerm is a term of the license: it has the months with which it began, and those of renewals that stand.
type modelTerm struct {
	anchor time.Time
	months int
	// before is the term that a change ended with this one. It goes on once none of the changes stands that have this
	// term: the one that began it, and those to further plans of the same period.
	before *modelTerm
}

// licenseModel is what a license and its orders should be. steps are in the order in which they took effect, those that
// did not are at the end.
type licenseModel struct {
	steps   []*step
	next    *step
	revoked bool
	last    *modelTerm // to have begun
}

// goesOn returns the term that a term is a part of by now: itself, unless what began it was taken back.
func (m *licenseModel) goesOn(t *modelTerm) *modelTerm {
	for t.before != nil && t.months == 0 {
		t = t.before
	}
	return t
}

// term is the present one.
func (m *licenseModel) term() *modelTerm { return m.goesOn(m.last) }

// expires is as many months after the anchor, by the calendar.
func (m *licenseModel) expires() time.Time {
	t := m.term()
	months := t.months
	for _, s := range m.steps {
		if s.kind == order.Renewal && s.status == order.Paid && s.term != nil && m.goesOn(s.term) == t {
			months += s.months()
		}
	}
	end := t.anchor.AddDate(0, months, 0)
	for end.Day() < t.anchor.Day() && end.Day() < 4 { // there is no such day in that month
		end = end.AddDate(0, 0, -1)
	}
	return end
}

// tier is that of the last change which stands and has begun.
func (m *licenseModel) tier() (tier string) {
	for _, s := range m.steps {
		if s.kind != order.Renewal && s.status == order.Paid && s != m.next {
			tier = s.tier
		}
	}
	return tier
}

// coming returns the tier of the next period.
func (m *licenseModel) coming() string {
	if m.next != nil {
		return m.next.tier
	}
	return m.tier()
}

func (m *licenseModel) open() *step {
	for _, s := range m.steps {
		if s.status == order.Pending {
			return s
		}
	}
	return nil
}

// settle does what a payment of a step does.
func (m *licenseModel) settle(s *step, now time.Time) {
	if s.status != order.Pending {
		return
	}
	if s.kind == order.Renewal && s.tier != m.coming() {
		s.status = order.Cancelled // what it was to renew was refunded
		return
	}
	if s.kind == order.Change && !s.later && !s.until.Equal(m.expires()) {
		s.status = order.Cancelled // a renewal or another change was refunded
		return
	}
	before := m.tier()
	s.status = order.Paid
	for i, other := range m.steps { // it takes effect now
		if other == s {
			m.steps = append(append(m.steps[:i:i], m.steps[i+1:]...), s)
			break
		}
	}
	switch {
	case s.kind == order.Renewal:
		if !now.Before(m.expires()) {
			m.last = &modelTerm{anchor: now}
		}
		if s.term = m.last; m.next != nil {
			m.begins(m.next, before, now)
		}
		m.next = nil
	case s.later:
		m.next = s
	default:
		m.begins(s, before, now)
	}
}

// begins does what the beginning of a plan does. before is the tier that the license had.
func (m *licenseModel) begins(s *step, before string, now time.Time) {
	switch t := m.term(); {
	case !s.later && s.months() != modelPlans[before].months:
		if !now.After(t.anchor) {
			now = t.anchor.Add(time.Millisecond) // terms are told apart by their beginnings
		}
		m.last = &modelTerm{anchor: now, months: s.months(), before: t}
		s.term = m.last
	case t.before != nil && s.months() == t.months:
		s.term = t
	}
}

// refund does what a refund of a step does.
func (m *licenseModel) refund(s *step) {
	if s.status != order.Paid {
		return
	}
	s.status = order.Refunded
	switch {
	case s.kind == "":
		m.revoked = true
		for _, other := range m.steps {
			switch other.status {
			case order.Paid:
				other.status = order.Refunded
			case order.Pending:
				other.status = order.Cancelled
			case order.Refunded, order.Cancelled:
			}
		}
	case s == m.next:
		m.next = nil
	case s.kind == order.Change && s.term != nil && !slices.ContainsFunc(m.steps, func(other *step) bool {
		return other.kind == order.Change && other.term == s.term && other.status == order.Paid
	}):
		s.term.months = 0
	}
}

// planMachine does with a license what rapid draws, on the shop and on its model.
type planMachine struct {
	*testing.T
	*licenseModel

	s        *shop
	base     order.Order
	services []*order.Service
}

func (m *planMachine) some(rt *rapid.T) *step { return rapid.SampledFrom(m.steps).Draw(rt, "order") }

func (m *planMachine) service(rt *rapid.T) *order.Service {
	return rapid.SampledFrom(m.services).Draw(rt, "service")
}

// TestPlansFollowTheirModel lets two services on one database do what owners, administrators, the provider and time do
// with a license, and compares it and its orders with a model after each step.
func TestPlansFollowTheirModel(t *testing.T) {
	t.Parallel()

	dbtest.OnEngines(t, func(t *testing.T, url string) {
		s := openShopAt(t, url)
		s.sellPlans(t)
		other := *s.Service
		rapid.Check(t, func(rt *rapid.T) {
			tier := rapid.SampledFrom([]string{"middle", "year"}).Draw(rt, "bought")
			m := &planMachine{T: t, s: s, base: s.subscribes(t, tier, true), services: []*order.Service{s.Service, &other}}
			m.licenseModel = &licenseModel{last: &modelTerm{anchor: s.license(t, m.base).Anchor, months: modelPlans[tier].months}}
			m.steps = []*step{{
				id: m.base.ID, tier: tier, status: order.Paid, event: "paid-" + m.base.ID, paid: s.paidNow(m.base, true),
			}}
			rt.Repeat(map[string]func(*rapid.T){
				"change": m.askChange, "renew": m.askRenewal, "pay": m.pay, "expire": m.expire, "cancel": m.cancel,
				"refund": m.askRefund, "refund at the provider": m.refundThere, "time": m.pass, "": m.check,
			})
		})
	})
}

func (m *planMachine) askChange(rt *rapid.T) {
	tier := rapid.SampledFrom(modelTiers).Draw(rt, "tier")
	b, err := m.service(rt).ChangePlan(ada(m.T), m.base.LicenseID, order.ChangeRequest{TierID: tier})
	withdrawn := m.next != nil && tier == m.tier() && m.open() == nil
	switch refused := m.revoked || m.open() != nil || tier == m.tier() || m.next != nil; {
	case withdrawn && !m.revoked:
		m.next.status, m.next = order.Refunded, nil
		if err != nil {
			rt.Fatalf("withdraw: %v", err)
		}
	case refused:
		if errs.KindOf(err) != errs.Conflict {
			rt.Fatalf("change to %s = %+v, %v", tier, b, err)
		}
	case err != nil:
		rt.Fatalf("change to %s: %v", tier, err)
	default:
		c := &step{id: b.OrderID, kind: order.Change, tier: tier, status: order.Pending}
		from, to := modelPlans[m.tier()], modelPlans[tier]
		c.later = to.months <= from.months && to.price*int64(from.months) < from.price*int64(to.months)
		c.until = m.expires()
		m.steps = append(m.steps, c)
		if !b.Due {
			m.settle(c, m.s.clock.Now())
		}
	}
}

func (m *planMachine) askRenewal(rt *rapid.T) {
	tier := m.coming()
	b, err := m.service(rt).Renew(ada(m.T), m.base.LicenseID, order.RenewalRequest{})
	if m.revoked || m.open() != nil {
		if errs.KindOf(err) != errs.Conflict {
			rt.Fatalf("renewal = %+v, %v", b, err)
		}
		return
	}
	if err != nil {
		rt.Fatal(err)
	}
	m.steps = append(m.steps, &step{id: b.OrderID, kind: order.Renewal, tier: tier, status: order.Pending})
}

// pay tells of a payment: also twice, and too late.
func (m *planMachine) pay(rt *rapid.T) {
	o := m.some(rt)
	stored := m.s.order(m.T, o.id)
	if stored.Amount.Minor == 0 {
		return
	}
	if o.event == "" {
		o.event, o.paid = "paid-"+o.id, m.s.paidNow(stored, true)
	}
	m.s.tell(m.T, o.paid)
	m.settle(o, o.paid.At)
}

func (m *planMachine) expire(rt *rapid.T) {
	o := m.some(rt)
	if m.s.order(m.T, o.id).Amount.Minor == 0 {
		return
	}
	e := failed(m.s.order(m.T, o.id))
	e.At = m.s.clock.Now()
	m.s.tell(m.T, e)
	if o.status == order.Pending {
		o.status = order.Cancelled
	}
}

func (m *planMachine) cancel(rt *rapid.T) {
	o := m.some(rt)
	if _, err := m.service(rt).Cancel(admin(m.T), o.id); err == nil && o.status == order.Pending {
		o.status = order.Cancelled
	} else if o.status == order.Pending {
		rt.Fatal(err)
	}
}

func (m *planMachine) askRefund(rt *rapid.T) {
	o := m.some(rt)
	if o.kind == "" && rapid.IntRange(0, 7).Draw(rt, "all") > 0 {
		return // nothing happens after it
	}
	_, err := m.service(rt).Refund(admin(m.T), o.id, order.RefundRequest{})
	if err != nil && !errors.Is(err, order.ErrNotRefundable) {
		rt.Fatalf("refund: %v", err)
	}
	m.refund(o)
}

// refundThere tells that a payment was refunded: also before it tells of the payment.
func (m *planMachine) refundThere(rt *rapid.T) {
	o := m.some(rt)
	stored := m.s.order(m.T, o.id)
	if stored.Amount.Minor == 0 || o.kind == "" && rapid.IntRange(0, 7).Draw(rt, "all") > 0 {
		return
	}
	if o.event == "" {
		o.event, o.paid = "paid-"+o.id, m.s.paidNow(stored, true)
	}
	if o.status == order.Pending {
		o.status = order.Refunded // what it is paid for never begins
	}
	e := o.paid
	e.ID, e.Kind, e.At, e.Minor = "back-"+o.id, payment.Refunded, m.s.clock.Now(), 0
	m.s.tell(m.T, e)
	m.refund(o)
}

func (m *planMachine) pass(rt *rapid.T) {
	m.s.clock.Advance(time.Duration(rapid.IntRange(1, 40).Draw(rt, "days")) * 24 * time.Hour)
}

func (m *planMachine) check(rt *rapid.T) {
	if err := m.services[1].CancelOrphans(m.Context(), slog.New(slog.DiscardHandler)); err != nil {
		rt.Fatal(err)
	}
	if fault := m.s.differs(m.T, m.base, m.licenseModel); fault != "" {
		rt.Fatal(fault)
	}
}

// differs returns what of a license and its orders is not as in the model.
func (s *shop) differs(t *testing.T, base order.Order, m *licenseModel) string {
	t.Helper()
	l := s.license(t, base)
	if l.RevokedAt.IsZero() == m.revoked {
		return fmt.Sprintf("revoked at %s, want %v", l.RevokedAt, m.revoked)
	}
	standing := 0
	for _, want := range m.steps {
		got := s.order(t, want.id)
		if got.Status() != want.status {
			return fmt.Sprintf("the %s of %s is %s, want %s", want.kind, want.tier, got.Status(), want.status)
		}
		if got.Status() == order.Paid {
			standing++
		}
		if got.Status() == order.Cancelled && !got.PaidAt.IsZero() && got.RefundedAt.IsZero() {
			return "a late payment was kept"
		}
		paid, err := s.store.PaymentsOf(t.Context(), want.id)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range paid {
			if p.Refunded > p.Minor || got.Status() == order.Refunded && p.Left() != 0 {
				return fmt.Sprintf("%d of %d are refunded of an order that is %s", p.Refunded, p.Minor, got.Status())
			}
		}
	}
	if m.revoked {
		if standing > 0 {
			return "a license that a refund revoked has a paid order"
		}
		return ""
	}
	next := ""
	if m.next != nil {
		next = m.next.id
	}
	if l.TierID != m.tier() || l.Next.OrderID != next || !l.ExpiresAt.Equal(m.expires()) {
		return fmt.Sprintf("it has %s until %s, next %q; want %s until %s, next %q",
			l.TierID, l.ExpiresAt, l.Next.OrderID, m.tier(), m.expires(), next)
	}
	return ""
}
