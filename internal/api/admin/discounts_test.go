package admin_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/testkit"
)

const discounts = "/api/v1/admin/discounts"

func TestDiscountsAreManaged(t *testing.T) {
	t.Parallel()

	testkit.OnEngines(t, func(t *testing.T, a *testkit.App) {
		a.ImportCatalog(t)
		root := a.Admin(t, "root").Access
		made := manage(t, a, root, "POST", discounts, `{"code":"launch-20","percentOff":12.5,"products":["mail-pack"],"tiers":["once"],
			"startsAt":"2030-03-01T00:00:00Z","endsAt":"2031-03-01T00:00:00Z","maxUses":10,"oncePerCustomer":true,"duration":"forever"}`, 201)
		path, tag := discounts+"/"+made.Text(t, "data.id"), made.Header.Get("ETag")
		if made.Header.Get("Location") != path || tag == "" {
			t.Errorf("Location %q, ETag %q", made.Header.Get("Location"), tag)
		}
		want := map[string]any{
			"id": made.Text(t, "data.id"), "code": "LAUNCH-20", "percentOff": 12.5, "products": []any{"mail-pack"}, "tiers": []any{"once"},
			"startsAt": "2030-03-01T00:00:00.000Z", "endsAt": "2031-03-01T00:00:00.000Z", "maxUses": 10.0, "oncePerCustomer": true,
			"duration": "forever", "active": true, "uses": 0.0, "createdAt": made.Text(t, "data.createdAt"), "updatedAt": made.Text(t, "data.createdAt"),
		}
		if got := manage(t, a, root, "GET", path, nil, 200).Get(t, "data"); !cmp.Equal(got, any(want)) {
			t.Error(cmp.Diff(got, any(want)))
		}
		manage(t, a, root, "POST", discounts, `{"code":"LAUNCH-20","amountOff":5,"currency":"EUR"}`, 409)
		a.Clock.Advance(time.Second) // so that the next is the first of the list
		other := manage(t, a, root, "POST", discounts, `{"code":"FIVE","amountOff":5,"currency":"EUR"}`, 201)
		if got := other.Get(t, "data.amountOff"); got != 5.0 || other.Text(t, "data.currency") != "EUR" || other.Text(t, "data.duration") != "once" {
			t.Errorf("the other is %s", other.Body)
		}
		for q, want := range map[string]string{"": "FIVE LAUNCH-20", "?q=launch": "LAUNCH-20", "?q=none": "", "?limit=1&page=2": "LAUNCH-20"} {
			var codes []string
			items, _ := manage(t, a, root, "GET", discounts+q, nil, 200).Get(t, "data.items").([]any)
			for _, it := range items {
				codes = append(codes, it.(map[string]any)["code"].(string))
			}
			if got := strings.Join(codes, " "); got != want {
				t.Errorf("%q lists %q, want %q", q, got, want)
			}
		}

		changed := manage(t, a, root, "PATCH", path, `{"percentOff":50,"endsAt":null,"code":"SPRING"}`, 200, tag)
		if changed.Get(t, "data.percentOff") != 50.0 || changed.Text(t, "data.code") != "SPRING" || changed.Header.Get("ETag") == tag {
			t.Errorf("changed is %s", changed.Body)
		}
		testkit.WantError(t, manage(t, a, root, "PATCH", path, `{"active":false}`, 412, tag), 412, "PRECONDITION_FAILED")
		testkit.WantError(t, manage(t, a, root, "DELETE", path, nil, 412, tag), 412, "PRECONDITION_FAILED")
		same := manage(t, a, root, "PATCH", path, strings.TrimSuffix(strings.TrimSpace(strings.TrimPrefix(string(changed.Body), `{"success":true,"data":`)), "}"), 200)
		if same.Header.Get("ETag") != changed.Header.Get("ETag") {
			t.Error("sending back what was read changed it")
		}
		manage(t, a, root, "PATCH", path, `{"code":"FIVE"}`, 409)
		manage(t, a, root, "DELETE", path, nil, 200, changed.Header.Get("ETag"))
		manage(t, a, root, "DELETE", path, nil, 404)
		manage(t, a, root, "GET", path, nil, 404)

		id := made.Text(t, "data.id")
		wantLog := []string{
			"discount.create discount:" + id, "discount.create discount:" + other.Text(t, "data.id"), "discount.update discount:" + id,
			"discount.delete discount:" + id,
		}
		if got := audited(t, a, root, "discount"); !slices.Equal(got, wantLog) {
			t.Errorf("audit log = %q, want %q", got, wantLog)
		}
	})
}

func TestAUsedDiscountKeepsItsCode(t *testing.T) {
	t.Parallel()

	a := testkit.NewShop(t)
	root := a.Admin(t, "root").Access
	made := manage(t, a, root, "POST", discounts, `{"code":"LAUNCH","percentOff":10}`, 201)
	path := discounts + "/" + made.Text(t, "data.id")
	manage(t, a, "", "POST", testkit.Products+"/mail-pack/purchase", `{"tierId":"once","paymentMethod":"card","discountCode":"launch"}`, 200)

	used := manage(t, a, root, "GET", path, nil, 200)
	if used.Get(t, "data.uses") != 1.0 || used.Header.Get("ETag") != made.Header.Get("ETag") {
		t.Errorf("after a use it is %s, with ETag %s", used.Body, used.Header.Get("ETag"))
	}
	testkit.WantError(t, manage(t, a, root, "PATCH", path, `{"code":"OTHER","percentOff":20}`, 409), 409, "CONFLICT")
	testkit.WantError(t, manage(t, a, root, "DELETE", path, nil, 409), 409, "CONFLICT")
	if got := manage(t, a, root, "PATCH", path, `{"code":"launch","percentOff":20}`, 200).Get(t, "data.percentOff"); got != 20.0 {
		t.Errorf("percentOff = %v", got)
	}
}

func TestEveryFaultOfADiscountIsNamed(t *testing.T) {
	t.Parallel()

	a := testkit.NewShop(t)
	root := a.Admin(t, "root").Access
	made := manage(t, a, root, "POST", discounts, `{"code":"LAUNCH","percentOff":10}`, 201)
	path := discounts + "/" + made.Text(t, "data.id")
	for _, tt := range []struct{ method, path, body, want string }{
		{"POST", discounts, `{}`, "code required, percentOff required"},
		{
			"POST", discounts, `{"code":"A","percentOff":101,"products":["mail-pack","none"],"tiers":["once","only"],"maxUses":0,"typo":1}`,
			"typo unknown_field, code invalid, percentOff out_of_range, maxUses out_of_range, products[1] unknown_value, tiers[1] unknown_value",
		},
		{"POST", discounts, `{"code":"ABC","percentOff":1,"tiers":["only","nothing"]}`, "tiers[1] unknown_value"},
		{"PATCH", path, `{"percentOff":0,"endsAt":"soon","products":["none"]}`, "percentOff out_of_range, endsAt wrong_type, products[0] unknown_value"},
		{"PATCH", path, `{"use":1}`, "use unknown_field"},
	} {
		res := manage(t, a, root, tt.method, tt.path, tt.body, http.StatusBadRequest)
		if got := strings.Join(named(t, res), ", "); got != tt.want {
			t.Errorf("%s = %q, want %q", tt.body, got, tt.want)
		}
	}
	manage(t, a, root, "PATCH", discounts+"/none", `{"typo":1}`, 404)
}
