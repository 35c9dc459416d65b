package admin_test

import (
	"encoding/csv"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"stoa/internal/testkit"
)

// tableOf returns the rows of a table, as maps from column to cell.
func tableOf(t *testing.T, res testkit.Response) (rows []map[string]string) {
	t.Helper()
	body, marked := strings.CutPrefix(string(res.Body), "\uFEFF")
	if res.Status != http.StatusOK || !marked {
		t.Fatalf("no table: %v", res)
	}
	cells, err := csv.NewReader(strings.NewReader(body)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, cell := range cells[1:] {
		row := map[string]string{}
		for i, name := range cells[0] {
			row[name] = cell[i]
		}
		rows = append(rows, row)
	}
	return rows
}

// column returns the cells of a column.
func column(rows []map[string]string, name string) (cells []string) {
	for _, r := range rows {
		cells = append(cells, r[name])
	}
	return cells
}

const csvHeaders = `orders.csv id,createdAt,kind,status,productSlug,tierId,userId,userEmail,billingName,billingEmail,billingCompany,paymentMethod,currency,discountCode,discount,amount,net,tax,total,taxId,country,invoiceNumber,refunded,paidAt,refundedAt,cancelledAt,licenseId
licenses.csv id,createdAt,productSlug,tierId,userId,userEmail,type,status,trial,maxInstances,currentInstances,` +
	`expiresAt,revokedAt
users.csv id,createdAt,email,username,role,active
`

func TestListsAreSavedAsTables(t *testing.T) {
	t.Parallel()

	testkit.OnEngines(t, func(t *testing.T, a *testkit.App) {
		s := newShelfOfOrders(t, a)
		var headers strings.Builder
		for _, list := range []string{"orders", "licenses", "users"} {
			res := s.Do(t, testkit.Get(s.admin, "/api/v1/admin/"+list+".csv"))
			first, _, _ := strings.Cut(strings.TrimPrefix(string(res.Body), "\uFEFF"), "\r\n")
			headers.WriteString(list + ".csv " + first + "\n")
			name := `attachment; filename="` + list + "-" + a.Clock.Now().UTC().Format(time.DateOnly) + `.csv"`
			if got := res.Header.Get("Content-Disposition"); got != name {
				t.Errorf("%s: %s, want %s", list, got, name)
			}
			log := s.Do(t, testkit.Get(s.admin, "/api/v1/admin/audit?action=export.csv&target=list:"+list))
			if got := log.Get(t, "data.pagination.total"); got != float64(1) {
				t.Errorf("the audit log has %v entries of the table of %s, want 1", got, list)
			}
		}
		if headers.String() != csvHeaders {
			t.Errorf("the columns are\n%swant\n%s", headers.String(), csvHeaders)
		}

		refund := s.Do(t, testkit.Post(s.admin, testkit.AdminOrders+"/"+s.first+"/refund", nil))
		rows := tableOf(t, s.get(t, ".csv?product=mail-pack"))
		if got := column(rows, "id"); !slices.Equal(got, []string{s.third, s.first}) {
			t.Fatalf("orders of the product: %q", got)
		}
		first := rows[1]
		for name, want := range map[string]string{
			"status": "refunded", "userId": "anonymous", "billingEmail": "bob@example.com", "amount": "49.90", "refunded": "49.90",
			"refundedAt": refund.Text(t, "data.refundedAt"), "cancelledAt": "", "discountCode": "", "kind": "", "currency": "EUR",
			"licenseId": refund.Text(t, "data.licenseId"), "createdAt": refund.Text(t, "data.createdAt"),
		} {
			if first[name] != want {
				t.Errorf("%s: %q, want %q", name, first[name], want)
			}
		}
		s.Do(t, testkit.Post(s.admin, "/api/v1/admin/discounts", map[string]any{"code": "SUMMER", "percentOff": 10}))
		s.Do(t, testkit.Post(s.ada, testkit.Products+"/mail-pack/purchase", map[string]any{
			"tierId": "once", "paymentMethod": "card", "discountCode": "summer",
		}))
		less := tableOf(t, s.get(t, ".csv?user="+s.adaID+"&product=mail-pack"))[0]
		if less["discountCode"] != "SUMMER" || less["discount"] != "4.99" || less["amount"] != "44.91" {
			t.Errorf("an order with a code: %v", less)
		}
		monthly := s.Buy(t, s.ada, "monthly").Text(t, "orderId")
		license := s.Do(t, testkit.Get(s.ada, "/api/marketplace/orders/"+monthly)).Text(t, "licenseId")
		s.Do(t, testkit.Post(s.ada, "/api/marketplace/licenses/"+license+"/renew", nil))
		later := tableOf(t, s.get(t, ".csv?user="+s.adaID+"&product=mail-pack"))
		for i, kind := range column(later, "kind") {
			if renewal := later[i]["licenseId"] == license && later[i]["id"] != monthly; renewal != (kind == "renewal") || !renewal && kind != "" {
				t.Errorf("the kind of %v is %q", later[i], kind)
			}
		}
		if !slices.Contains(column(later, "kind"), "renewal") {
			t.Error("no order is a renewal")
		}
		if rows[0]["refunded"] != "0" {
			t.Errorf("nothing was refunded: %q", rows[0]["refunded"])
		}
		revoked := tableOf(t, s.Do(t, testkit.Get(s.admin, "/api/v1/admin/licenses.csv?status=revoked")))
		if len(revoked) != 1 || revoked[0]["id"] != first["licenseId"] || revoked[0]["trial"] != "false" {
			t.Errorf("revoked licenses: %v", revoked)
		}
		users := tableOf(t, s.Do(t, testkit.Get(s.admin, "/api/v1/admin/users.csv?role=USER")))
		if len(users) != 1 || users[0]["email"] != "Ada@example.com" || users[0]["active"] != "true" {
			t.Errorf("users: %v", users)
		}
	})
}

// Security: what buyers and staff write does not run in a spreadsheet.
func TestWhatPeopleWroteIsNoFormulaInATable(t *testing.T) {
	t.Parallel()

	a := testkit.New(t)
	a.ImportCatalog(t)
	admin := a.Admin(t, "root").Access
	manage(t, a, admin, http.MethodPost, managed, draft("odd", map[string]any{
		"published": true, "currency": "USD", "pricingTiers": []any{map[string]any{"id": "=1+1", "name": "Odd", "price": 9.9}},
	}), http.StatusCreated)
	a.Do(t, testkit.Post("", testkit.Products+"/odd/purchase", map[string]any{
		"tierId": "=1+1", "paymentMethod": "card",
		"billingInfo": map[string]any{"name": "=HYPERLINK(\"x\")", "email": "-1+ada@example.com", "company": "@SUM(A1)"},
	}))
	manage(t, a, admin, http.MethodPost, "/api/v1/admin/discounts", map[string]any{"code": "-10-5", "percentOff": 10}, http.StatusCreated)
	a.Do(t, testkit.Post("", testkit.Products+"/odd/purchase", map[string]any{
		"tierId": "=1+1", "paymentMethod": "card", "discountCode": "-10-5",
	}))
	rows := tableOf(t, a.Do(t, testkit.Get(admin, "/api/v1/admin/orders.csv")))
	codes := column(rows, "discountCode")
	if got := slices.Sorted(slices.Values(codes)); !slices.Equal(got, []string{"", "'-10-5"}) {
		t.Fatalf("codes: %q", got)
	}
	row := rows[slices.Index(codes, "")]
	for name, want := range map[string]string{
		"billingName": "'=HYPERLINK(\"x\")", "billingEmail": "'-1+ada@example.com", "billingCompany": "'@SUM(A1)", "tierId": "'=1+1",
	} {
		if row[name] != want {
			t.Errorf("%s: %q, want %q", name, row[name], want)
		}
	}
	if got := tableOf(t, a.Do(t, testkit.Get(admin, "/api/v1/admin/licenses.csv")))[0]["tierId"]; got != "'=1+1" {
		t.Errorf("the tier of the license: %q", got)
	}
}

// What is refused, and a question for the headers alone, takes nothing, and so is not recorded.
func TestOnlyTablesThatAreSentAreRecorded(t *testing.T) {
	t.Parallel()

	a := testkit.New(t)
	admin := a.Admin(t, "root").Access
	for path, want := range map[string]string{
		"orders.csv?status=lost&sort=amount": "sort status", "orders.csv?status=lost": "status", "orders.csv?from=2030-01-02T00:00:00Z&to=2030-01-01T00:00:00Z": "to",
		"licenses.csv?status=lost&page=2": "page status", "licenses.csv?user=%00": "user", "users.csv?active=maybe": "active", "users.csv?role=%25": "role",
	} {
		res := a.Do(t, testkit.Get(admin, "/api/v1/admin/"+path))
		if got := testkit.IssuePaths(t, res); res.Status != http.StatusBadRequest || got != want {
			t.Errorf("%s = %d, faults at %q, want %q", path, res.Status, got, want)
		}
	}
	for _, list := range []string{"orders", "licenses", "users"} {
		head := testkit.Get(admin, "/api/v1/admin/"+list+".csv")
		head.Method = http.MethodHead
		if res := a.Do(t, head); res.Status != http.StatusOK || !strings.HasPrefix(res.Header.Get("Content-Type"), "text/csv") {
			t.Errorf("HEAD of %s = %v", list, res)
		}
	}
	log := a.Do(t, testkit.Get(admin, "/api/v1/admin/audit?action=export.csv"))
	if n := log.Get(t, "data.pagination.total"); n != float64(0) {
		t.Errorf("%v tables are recorded: %s", n, log.Body)
	}
}
