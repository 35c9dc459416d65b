package store_test

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"stoa/internal/account"
	"stoa/internal/base/paging"
	"stoa/internal/base/reqctx"
	"stoa/internal/extension/plugin"
	"stoa/internal/message/webhook"
	"stoa/internal/shop/license"
	"stoa/internal/shop/order"
	"stoa/internal/store"
	"stoa/internal/trust/audit"
)

// sortedRow is a row of a list: its id, and what each order compares first.
type sortedRow struct {
	id   string
	keys map[string]any // int64 or string, by the name of the order
}

// compare compares two rows by the key of an order.
func (r sortedRow) compare(other sortedRow, by string) int {
	if number, is := r.keys[by].(int64); is {
		return cmp.Compare(number, other.keys[by].(int64))
	}
	return cmp.Compare(r.keys[by].(string), other.keys[by].(string))
}

// wantSorted fails the test unless each order sorts by its key, has pages that make up the
// whole list, and is reversed exactly by "-".
func wantSorted(
	t *testing.T, sorts []string, rows int, page func(sort string, limit, offset int) ([]sortedRow, int, error),
) {
	t.Helper()
	lists := map[string][]string{}
	for _, sort := range sorts {
		by, descending := strings.CutPrefix(sort, "-")
		var all []sortedRow
		for offset := 0; offset < rows+2; offset += 2 {
			part, total, err := page(sort, 2, offset)
			if err != nil || total != rows {
				t.Fatalf("%s at %d: %d rows in all, %v; want %d", sort, offset, total, err, rows)
			}
			all = append(all, part...)
		}
		for i, row := range all {
			lists[sort] = append(lists[sort], row.id)
			if i == 0 {
				continue
			}
			if c := all[i-1].compare(row, by); (!descending && c > 0) || (descending && c < 0) {
				t.Errorf("%s: %v stands before %v", sort, all[i-1], row)
			}
		}
		ids := slices.Sorted(slices.Values(lists[sort]))
		if len(slices.Compact(ids)) != rows {
			t.Errorf("%s: the pages have %d different rows, want %d", sort, len(ids), rows)
		}
	}
	for sort, ids := range lists {
		backwards := slices.Clone(lists["-"+sort])
		slices.Reverse(backwards)
		if !strings.HasPrefix(sort, "-") && !slices.Equal(ids, backwards) {
			t.Errorf("%s = %q, but -%s is not its reverse", sort, ids, sort)
		}
	}
}

// wantFollowed fails the test unless a list of the newest entries first is whole when each page begins after the last
// entry of the one before, and counts what it counts on the first page only.
func wantFollowed(t *testing.T, page func(after paging.Mark, limit int) ([]paging.Mark, int, error)) {
	t.Helper()
	whole, rows, err := page(paging.Mark{}, 100)
	if err != nil || len(whole) != rows {
		t.Fatalf("%d of %d rows, %v", len(whole), rows, err)
	}
	for limit := range rows + 1 {
		var got []paging.Mark
		for one, err := range paging.Through(func(after paging.Mark) ([]paging.Mark, error) {
			list, total, err := page(after, limit+1)
			if total > 0 && after.ID != "" {
				t.Errorf("%d rows are counted after %v", total, after)
			}
			return list, err
		}, func(m paging.Mark) paging.Mark { return m }) {
			if got = append(got, one); err != nil {
				t.Fatal(err)
			}
		}
		if !slices.Equal(got, whole) {
			t.Errorf("pages of %d: %v, want %v", limit+1, got, whole)
		}
	}
}

// testSorts checks the orders of every list that can be sorted. Values repeat, so that ties
// occur in each.
func testSorts(t *testing.T, open Open) {
	for name, test := range map[string]func(*testing.T, Open){
		"users": testUserSorts, "orders": testOrderSorts, "licenses": testLicenseSorts, "the audit log": testAuditSorts,
		"webhooks": testWebhookSorts, "instances": testInstanceSorts, "plugins": testPackageSearch,
	} {
		t.Run(name, func(t *testing.T) { t.Parallel(); test(t, open) })
	}
}

func testUserSorts(t *testing.T, open Open) {
	s := store.NewAccount(open(t))
	for i := range 7 {
		c := credentials(fmt.Sprintf("u%d", 7-i))
		c.CreatedAt = T0.Add(time.Duration(i/2) * time.Second)
		c.Role = []reqctx.Role{reqctx.RoleUser, reqctx.RoleAdmin}[i%2]
		mustCreateUser(t, s, c)
	}
	wantSorted(t, account.UserSorts, 7, func(sort string, limit, offset int) (rows []sortedRow, total int, err error) {
		list, total, err := s.ListUsers(t.Context(), account.UserQuery{Sort: sort, Limit: limit, Offset: offset})
		for _, u := range list {
			rows = append(rows, sortedRow{u.ID, map[string]any{
				"created": u.CreatedAt.UnixMilli(), "email": account.Key(u.Email), "username": account.Key(u.Username),
				"role": string(u.Role),
			}})
		}
		return rows, total, err
	})
	wantFollowed(t, func(after paging.Mark, limit int) (marks []paging.Mark, total int, err error) {
		list, total, err := s.ListUsers(t.Context(), account.UserQuery{After: after, Sort: "-created", Limit: limit})
		for _, u := range list {
			marks = append(marks, paging.Mark{At: u.CreatedAt, ID: u.ID})
		}
		return marks, total, err
	})
}

func testOrderSorts(t *testing.T, open Open) {
	s := store.NewOrders(shopDB(t, open))
	for i := range 7 {
		o := Order(fmt.Sprintf("o%d", 7-i), []string{"b", "a"}[i%2], "u1", "", T0.Add(time.Duration(i/2)*time.Second))
		o.Amount.Minor = int64(i % 3)
		if i%2 == 0 {
			o.PaidAt = T0
		}
		mustOrder(t, s, o)
	}
	wantSorted(t, order.Sorts, 7, func(sort string, limit, offset int) (rows []sortedRow, total int, err error) {
		list, total, err := s.FindOrders(t.Context(), order.Query{Sort: sort, Limit: limit, Offset: offset})
		for _, o := range list {
			rows = append(rows, sortedRow{o.ID, map[string]any{
				"created": o.CreatedAt.UnixMilli(), "amount": o.Amount.Minor, "product": o.ProductName,
				"status": string(o.Status()),
			}})
		}
		return rows, total, err
	})
	wantFollowed(t, func(after paging.Mark, limit int) (marks []paging.Mark, total int, err error) {
		list, total, err := s.FindOrders(t.Context(), order.Query{After: after, Limit: limit})
		for _, o := range list {
			marks = append(marks, paging.Mark{At: o.CreatedAt, ID: o.ID})
		}
		return marks, total, err
	})
}

func testLicenseSorts(t *testing.T, open Open) {
	s := store.NewLicenses(shopDB(t, open))
	for i := range 7 {
		l := License(fmt.Sprintf("l%d", 7-i), []string{"b", "a"}[i%2])
		l.CreatedAt = T0.Add(time.Duration(i/2) * time.Second)
		l.ExpiresAt = []time.Time{{}, T0.Add(time.Hour), T0}[i%3]
		if err := s.CreateLicense(t.Context(), l); err != nil {
			t.Fatal(err)
		}
	}
	wantSorted(t, license.Sorts, 7, func(sort string, limit, offset int) (rows []sortedRow, total int, err error) {
		list, total, err := s.ListLicenses(t.Context(), license.Query{Sort: sort, Limit: limit, Offset: offset})
		for _, l := range list {
			ends := l.License.ExpiresAt
			if ends.IsZero() {
				ends = T0.AddDate(1000, 0, 0)
			}
			rows = append(rows, sortedRow{l.License.ID, map[string]any{
				"created": l.License.CreatedAt.UnixMilli(), "expires": ends.UnixMilli(), "product": l.ProductName,
			}})
		}
		return rows, total, err
	})
	wantFollowed(t, func(after paging.Mark, limit int) (marks []paging.Mark, total int, err error) {
		list, total, err := s.ListLicenses(t.Context(), license.Query{After: after, Limit: limit})
		for _, l := range list {
			marks = append(marks, paging.Mark{At: l.License.CreatedAt, ID: l.License.ID})
		}
		return marks, total, err
	})
}

func testAuditSorts(t *testing.T, open Open) {
	s := store.NewAudit(open(t))
	for i := range 7 {
		e := entry(fmt.Sprintf("e%d", 7-i), T0.Add(time.Duration(i/2)*time.Second))
		e.Actor = audit.Actor{Kind: audit.Service, ID: "s", Name: []string{"b", "a"}[i%2]}
		e.Action = []audit.Action{audit.UserRole, audit.KeysRotate}[i/3%2]
		mustRecord(t, s, e)
	}
	wantSorted(t, audit.Sorts, 7, func(sort string, limit, offset int) (rows []sortedRow, total int, err error) {
		list, total, err := s.ListEntries(t.Context(), audit.Query{Sort: sort, Limit: limit, Offset: offset})
		for _, e := range list {
			rows = append(rows, sortedRow{e.ID, map[string]any{
				"at": e.At.UnixMilli(), "actor": e.Actor.Name, "action": string(e.Action),
			}})
		}
		return rows, total, err
	})
}

func testWebhookSorts(t *testing.T, open Open) {
	s := store.NewWebhooks(open(t))
	for i := range 5 {
		at := T0.Add(time.Duration(i/2) * time.Second)
		err := s.CreateWebhook(t.Context(), webhook.Webhook{
			ID: fmt.Sprintf("w%d", 5-i), URL: fmt.Sprintf("https://%c.example/", 'a'+i%2), Events: []string{"order.*"},
			CreatedAt: at, UpdatedAt: at,
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	wantSorted(t, webhook.Sorts, 5, func(sort string, limit, offset int) (rows []sortedRow, total int, err error) {
		list, total, err := s.ListWebhooks(t.Context(), webhook.Query{Sort: sort, Limit: limit, Offset: offset})
		for _, w := range list {
			rows = append(rows, sortedRow{w.ID, map[string]any{"created": w.CreatedAt.UnixMilli(), "url": w.URL}})
		}
		return rows, total, err
	})
	for q, want := range map[string]int{"B.EXAMPLE": 2, "order": 5, "w3": 1, "w": 0, "%": 0, "other.": 0} {
		if list, total, err := s.ListWebhooks(t.Context(), webhook.Query{Search: q, Limit: 9}); err != nil ||
			total != want || len(list) != want {
			t.Errorf("search for %q: %d of %d webhooks, %v; want %d", q, len(list), total, err, want)
		}
	}
}

func testInstanceSorts(t *testing.T, open Open) {
	s := store.NewPlugin(open(t))
	if err := s.CreatePackage(t.Context(), pkg("p1")); err != nil {
		t.Fatal(err)
	}
	for i := range 5 {
		in := inst("p1", fmt.Sprintf("installation-%d", i), fmt.Sprintf("key%d", 5-i))
		in.CreatedAt = T0.Add(time.Duration(i/2) * time.Second)
		in.UpdatedAt = T0.Add(time.Duration(i%2) * time.Hour)
		if err := s.CreateInstance(t.Context(), in); err != nil {
			t.Fatal(err)
		}
	}
	page := func(sort string, limit, offset int) (rows []sortedRow, total int, err error) {
		list, total, err := s.ListInstances(t.Context(), "p1",
			plugin.InstanceQuery{Sort: sort, Limit: limit, Offset: offset})
		for _, in := range list {
			rows = append(rows, sortedRow{in.ID, map[string]any{
				"created": in.CreatedAt.UnixMilli(), "key": in.Key, "updated": in.UpdatedAt.UnixMilli(),
			}})
		}
		return rows, total, err
	}
	wantSorted(t, plugin.InstanceSorts, 5, page)
	for q, want := range map[string]int{"KEY3": 1, "key": 5, "lation-2": 1, "ion": 0, "_": 0} {
		list, total, err := s.ListInstances(t.Context(), "p1", plugin.InstanceQuery{Search: q, Limit: 9})
		if err != nil || total != want || len(list) != want {
			t.Errorf("search for %q: %d of %d instances, %v; want %d", q, len(list), total, err, want)
		}
	}
}
