package admin_test

import (
	"encoding/csv"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"stoa/internal/account"
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
licenses.csv id,createdAt,productSlug,tierId,userId,userEmail,type,status,trial,maxInstances,currentInstances,expiresAt,revokedAt
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

// Security: what buyers write does not run in a spreadsheet.
func TestWhatBuyersWroteIsNoFormulaInATable(t *testing.T) {
	t.Parallel()

	a := testkit.New(t)
	a.ImportCatalog(t)
	admin := a.Admin(t, "root").Access
	a.Do(t, testkit.Post("", testkit.Products+"/mail-pack/purchase", map[string]any{
		"tierId": "once", "paymentMethod": "card",
		"billingInfo": map[string]any{"name": "=HYPERLINK(\"x\")", "email": "-1+ada@example.com", "company": "@SUM(A1)"},
	}))
	row := tableOf(t, a.Do(t, testkit.Get(admin, "/api/v1/admin/orders.csv")))[0]
	for name, want := range map[string]string{
		"billingName": "'=HYPERLINK(\"x\")", "billingEmail": "'-1+ada@example.com", "billingCompany": "'@SUM(A1)",
	} {
		if row[name] != want {
			t.Errorf("%s: %q, want %q", name, row[name], want)
		}
	}
}

// Security: a table shows no more of people than its list.
func TestTablesAreMaskedAsTheirLists(t *testing.T) {
	t.Parallel()

	a := testkit.New(t)
	s := newShelfOfOrders(t, a)
	analyst := a.Register(t, "nil")
	if _, err := a.Accounts.UpdateUser(t.Context(), analyst.UserID, account.UserChange{Role: "ANALYST"}); err != nil {
		t.Fatal(err)
	}
	for _, list := range []string{"orders", "licenses", "users"} {
		res := a.Do(t, testkit.Get(analyst.Access, "/api/v1/admin/"+list+".csv"))
		if list == "users" && res.Status == http.StatusForbidden {
			continue
		}
		tableOf(t, res)
		for _, secret := range []string{"bob@", "ada@", "Ada@", "ADA@"} {
			if strings.Contains(string(res.Body), secret) {
				t.Errorf("the table of %s shows %q", list, secret)
			}
		}
	}
	if got := tableOf(t, a.Do(t, testkit.Get(analyst.Access, "/api/v1/admin/orders.csv?q=bob@example.com"))); len(got) != 0 {
		t.Errorf("an address finds %v", got)
	}
	for path, want := range map[string]string{
		"orders.csv?status=lost&sort=amount": "status,sort", "licenses.csv?status=lost&page=2": "page,status", "users.csv?active=maybe": "active",
	} {
		res := a.Do(t, testkit.Get(s.admin, "/api/v1/admin/"+path))
		if res.Status != http.StatusBadRequest {
			t.Errorf("%s: %v, want %s refused", path, res, want)
		}
	}
}
