package admin_test

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/app"
	"stoa/internal/shop/license"
	"stoa/internal/testkit"
)

// A product that a catalog file has is sent to the API as it stands there.
func TestACurrencyOnceIsThatOfEveryTier(t *testing.T) {
	t.Parallel()

	a := testkit.New(t)
	admin := a.Admin(t, "ada").Access
	made := manage(t, a, admin, http.MethodPost, managed, draft("cards", map[string]any{
		"currency": "USD", "pricingTiers": []any{map[string]any{"id": "pro", "name": "Pro", "price": 9.9}},
	}), http.StatusCreated)
	if tiers := made.Get(t, "data.pricingTiers").([]any); tiers[0].(map[string]any)["currency"] != "USD" {
		t.Errorf("tiers = %v", tiers)
	}
	if _, told := made.Get(t, "data").(map[string]any)["currency"]; told {
		t.Errorf("answers name the currency at each price: %s", made.Body)
	}
}

func TestAProductFromDraftToSale(t *testing.T) {
	t.Parallel()

	testkit.OnEngines(t, func(t *testing.T, a *testkit.App) {
		admin := a.Admin(t, "ada").Access
		made := manage(t, a, admin, http.MethodPost, managed, draft("cards", nil), http.StatusCreated)
		if got := made.Header.Get("Location"); got != managed+"/cards" {
			t.Errorf("Location = %q", got)
		}
		// Only administrators see a draft.
		if res := a.Fetch(t, testkit.Products+"/cards"); res.Status != http.StatusNotFound {
			t.Errorf("the draft's page = %d", res.Status)
		}
		testkit.WantFlatError(t,
			a.Send(t, testkit.Products+"/cards/purchase", map[string]any{"tierId": "pro", "paymentMethod": "card"}),
			http.StatusBadRequest, "PURCHASE_FAILED")
		if res := a.Fetch(t, testkit.Products); len(res.Get(t, "products").([]any)) != 0 {
			t.Errorf("the list holds the draft: %s", res.Body)
		}
		shown := manage(t, a, admin, http.MethodGet, managed+"/cards", nil, http.StatusOK)
		if diff := cmp.Diff(shown.JSON(t), made.JSON(t)); diff != "" ||
			shown.Header.Get("ETag") != made.Header.Get("ETag") {
			t.Errorf("shown (-got +want):\n%s", diff)
		}
		manage(t, a, admin, http.MethodPost, managed, draft("cards", nil), http.StatusConflict)

		sale := manage(t, a, admin, http.MethodPatch, managed+"/cards",
			map[string]any{"published": true, "featured": true, "trending": true}, http.StatusOK)
		if sale.Header.Get("ETag") == made.Header.Get("ETag") {
			t.Error("the ETag is the same after a change")
		}
		public := a.Fetch(t, testkit.Products+"/cards")
		if public.Status != http.StatusOK || public.Get(t, "featured") != true || public.Get(t, "trending") != true {
			t.Errorf("after publishing: %d %s", public.Status, public.Body)
		}
		res := a.Send(t, testkit.Products+"/cards/purchase", map[string]any{"tierId": "pro", "paymentMethod": "card"})
		if res.Status != http.StatusOK {
			t.Fatalf("purchase = %d %s", res.Status, res.Body)
		}
		now := manage(t, a, admin, http.MethodGet, managed+"/cards", nil, http.StatusOK)
		if now.Get(t, "data.shown.downloadCount") != 1.0 || now.Get(t, "data.downloadCount") != 0.0 ||
			now.Header.Get("ETag") != sale.Header.Get("ETag") {
			t.Errorf("after the purchase: ETag %s (was %s), %s", now.Header.Get("ETag"), sale.Header.Get("ETag"),
				now.Body)
		}
		testkit.WantError(t, a.Do(t, testkit.Delete(admin, managed+"/cards")), http.StatusConflict, "CONFLICT")

		// What was sold keeps working after the product is withdrawn.
		manage(t, a, admin, http.MethodPatch, managed+"/cards", map[string]any{"published": false}, http.StatusOK)
		res = a.Send(t, testkit.Products+"/cards/activate", map[string]any{
			"licenseKey": res.Text(t, "licenseKey"), "instanceId": "shop.example",
		})
		if res.Status != http.StatusOK || res.Get(t, "license.maxInstances") != 2.0 {
			t.Errorf("activate = %d %s", res.Status, res.Body)
		}
	})
}

func TestEveryFaultOfAProductIsNamed(t *testing.T) {
	t.Parallel()

	a := testkit.New(t)
	admin := a.Admin(t, "ada").Access
	res := manage(t, a, admin, http.MethodPost, managed, map[string]any{
		"slug": "Not A Slug", "name": 2024, "category": "",
		"shortDescription": strings.Repeat("x", 201), "icon": "./i.svg",
		"screenshots": []any{"http://example.com/a.png", "/media/nope.png"},
		"rating":      5.1, "position": 1_000_001, "featured": "yes", "createdAt": "soon",
		"unknown": []any{}, "pricingTiers": []any{
			map[string]any{"id": "t", "name": "T", "price": 1.999, "currency": "EUR", "more": 1},
			map[string]any{"id": "t", "name": "T", "price": "9", "currency": "EUR", "maxInstances": 0},
			map[string]any{"id": "u", "name": "U", "price": 1},
		},
		"comparison": map[string]any{
			"columns": []any{"t", "x"}, "rows": []any{map[string]any{"feature": "f", "values": map[string]any{"t": 1}}},
		},
	}, http.StatusBadRequest)
	want := []string{
		"category required", "description required", "name wrong_type",
		"shortDescription out_of_range", "featured wrong_type",
		"position out_of_range", "createdAt wrong_type", "slug invalid",
		"rating out_of_range", "icon bad_media", "screenshots[0] bad_media",
		"pricingTiers[0].price out_of_range", "pricingTiers[1].price wrong_type",
		"pricingTiers[1].maxInstances out_of_range", "pricingTiers[1].id duplicate",
		"pricingTiers[2].currency required", "comparison.columns[1] unknown_value",
		"comparison.rows[0].values.t wrong_type", "screenshots[1] bad_media",
	}
	if diff := cmp.Diff(named(t, res), want); diff != "" {
		t.Errorf("issues (-got +want):\n%s\n%s", diff, res.Body)
	}
	// At the limits, and with escapes that JSON has and YAML has not.
	manage(t, a, admin, http.MethodPost, managed,
		`{"slug":"`+strings.Repeat("a", 100)+`","name":"\ud83d\ude00 \/","category":"c","shortDescription":"`+
			strings.Repeat("é", 200)+`",
		"description":"`+strings.Repeat("d", 2000)+`","icon":"https://example.com/i.svg",
		"rating":5,"position":-1000000,"fullDescription":"",
		"pricingTiers":[{"id":"t","name":"T","description":"","price":9.90,"currency":"EUR","billingPeriod":null}]}`,
		http.StatusCreated)
	for _, body := range []string{``, `[]`, `{`, `{"slug":"\ud83d"}`, "{\"slug\":\"\xff\"}"} {
		testkit.WantError(t, a.Do(t, testkit.Post(admin, managed, body)), http.StatusBadRequest, "VALIDATION_ERROR")
	}
	testkit.WantError(t, a.Do(t, testkit.Post(admin, managed, `{"slug":"`+strings.Repeat("x", 1<<20)+`"}`)),
		http.StatusRequestEntityTooLarge, "PAYLOAD_TOO_LARGE")
	testkit.WantError(t, a.Do(t, testkit.Request{
		Method: http.MethodPost, Path: managed, Body: "slug: a",
		Token: admin, Header: http.Header{"Content-Type": {"application/yaml"}},
	}), http.StatusUnsupportedMediaType, "UNSUPPORTED_MEDIA_TYPE")
}

func TestAChangeReplacesWhatItNames(t *testing.T) {
	t.Parallel()

	testkit.OnEngines(t, func(t *testing.T, a *testkit.App) {
		admin := a.Admin(t, "ada").Access
		a.ImportCatalog(t)
		path := managed + "/mail-pack"
		before := manage(t, a, admin, http.MethodGet, path, nil, http.StatusOK)
		a.Clock.Advance(time.Minute)

		// What was shown can be sent back whole and changes nothing.
		same := manage(t, a, admin, http.MethodPatch, path, before.Get(t, "data"), http.StatusOK)
		if diff := cmp.Diff(same.JSON(t), before.JSON(t)); diff != "" ||
			same.Header.Get("ETag") != before.Header.Get("ETag") {
			t.Errorf("sent back (-got +want):\n%s", diff)
		}
		empty := manage(t, a, admin, http.MethodPatch, path, map[string]any{}, http.StatusOK)
		if empty.Header.Get("ETag") != before.Header.Get("ETag") {
			t.Error("a change of nothing has another ETag")
		}

		want := before.Get(t, "data").(map[string]any)
		change := map[string]any{
			"name": "Post Pack", "highlights": []any{"One", "Two"}, "position": -3,
			"downloadCount": 7, "faq": nil, "comparison": nil, "rating": nil, "screenshots": []any{},
		}
		maps.Copy(want, map[string]any{
			"name": "Post Pack", "highlights": []any{"One", "Two"}, "position": -3.0,
			"downloadCount": 7.0, "faq": []any{}, "rating": 0.0, "screenshots": []any{},
		})
		delete(want, "comparison")
		want["updatedAt"] = "2030-03-01T12:01:00.000Z"
		want["shown"] = map[string]any{"rating": 0.0, "reviewCount": 12.0, "downloadCount": 7.0}
		after := manage(t, a, admin, http.MethodPatch, path, change, http.StatusOK)
		if diff := cmp.Diff(after.Get(t, "data"), any(want)); diff != "" {
			t.Errorf("after the change (-got +want):\n%s", diff)
		}

		// The list price follows the tiers until it is given; the full description
		// follows the description.
		res := manage(t, a, admin, http.MethodPatch, path,
			`{"pricingTiers":[{"id":"one","name":"One","price":0.005,"currency":"KWD"}],`+
				`"fullDescription":null,"description":"New."}`, http.StatusOK)
		got := fmt.Sprint(res.Get(t, "data.pricing"), res.Get(t, "data.fullDescription"))
		if got != "map[currency:KWD price:0.005 type:paid]New." {
			t.Errorf("pricing and fullDescription = %s", got)
		}
		res = manage(t, a, admin, http.MethodPatch, path, `{"pricing":{"type":"free"}}`, http.StatusOK)
		if got := fmt.Sprint(res.Get(t, "data.pricing")); got != "map[type:free]" {
			t.Errorf("pricing = %s", got)
		}

		bad := manage(t, a, admin, http.MethodPatch, path, map[string]any{
			"slug": "other", "createdAt": "2020-01-01", "name": nil, "pricingTiers": []any{}, "icon": "/media/none.svg",
		}, http.StatusBadRequest)
		if diff := cmp.Diff(named(t, bad), []string{
			"name required", "pricingTiers required", "slug read_only", "createdAt read_only", "icon bad_media",
		}); diff != "" {
			t.Errorf("issues (-got +want):\n%s\n%s", diff, bad.Body)
		}
		manage(t, a, admin, http.MethodPatch, managed+"/nothing", map[string]any{"name": "A"}, http.StatusNotFound)
		manage(t, a, admin, http.MethodDelete, managed+"/No Slug", nil, http.StatusNotFound)
		manage(t, a, admin, http.MethodGet, managed+"/nothing", nil, http.StatusNotFound)
	})
}

// A comparison that names a tier keeps the tier.
func TestAChangeIsCheckedAgainstTheRest(t *testing.T) {
	t.Parallel()

	a := testkit.NewShop(t)
	admin := a.Admin(t, "ada").Access
	tiers := []any{map[string]any{"id": "once", "name": "Once", "price": 49.9, "currency": "EUR"}}
	res := manage(t, a, admin, http.MethodPatch, managed+"/mail-pack", map[string]any{"pricingTiers": tiers},
		http.StatusBadRequest)
	if got := named(t, res); !slices.Equal(got, []string{"comparison.columns[0] unknown_value"}) {
		t.Errorf("issues = %q", got)
	}
	manage(t, a, admin, http.MethodPatch, managed+"/mail-pack",
		map[string]any{"pricingTiers": tiers, "comparison": nil}, http.StatusOK)
}

// Either it is sold and kept, or it is deleted and nothing was sold.
func TestNoProductIsDeletedWhileItIsSold(t *testing.T) {
	t.Parallel()

	testkit.OnBothEngines(t, func(t *testing.T, a *testkit.App) {
		admin := a.Admin(t, "ada").Access
		for i := range 8 {
			slug := fmt.Sprint("p", i)
			manage(t, a, admin, http.MethodPost, managed, draft(slug, map[string]any{"published": true}),
				http.StatusCreated)
			var (
				wg       sync.WaitGroup
				bought   testkit.Response
				deletion testkit.Response
			)
			wg.Go(func() {
				bought = a.Send(t, testkit.Products+"/"+slug+"/purchase", map[string]any{
					"tierId": "pro", "paymentMethod": "card",
				})
			})
			wg.Go(func() { deletion = a.Do(t, testkit.Delete(admin, managed+"/"+slug)) })
			wg.Wait()
			switch {
			case bought.Status == http.StatusOK && deletion.Status == http.StatusConflict:
			case bought.Status == http.StatusBadRequest && bought.Text(t, "error") == "PURCHASE_FAILED" &&
				deletion.Status == http.StatusOK:
			default:
				t.Errorf("purchase %d %s, deletion %d %s", bought.Status, bought.Body, deletion.Status, deletion.Body)
			}
		}
	})
}

// A slug may be given to another product soon after: licenses are looked up by
// what the slug means in the database, and replicas do not remember it for
// long.
func TestADeletedSlugIsForgottenOnEveryReplica(t *testing.T) {
	t.Parallel()

	testkit.Replicas(t, func(t *testing.T, a, b *testkit.App, _ *sql.DB) {
		admin := a.Admin(t, "ada").Access
		path, typo := managed+"/cards", "STOA-AAAAA-AAAAA-AAAAA-AAAAA-AAAAA-AAAAA"
		manage(t, a, admin, http.MethodPost, managed, draft("cards", map[string]any{"published": true}),
			http.StatusCreated)
		testkit.WantRefused(t, a.Verify(t, "cards", typo, "x"), "not_found")
		testkit.WantRefused(t, b.Verify(t, "cards", typo, "x"), "not_found")

		manage(t, a, admin, http.MethodDelete, path, nil, http.StatusOK)
		testkit.WantFlatError(t, a.Verify(t, "cards", typo, "x"), http.StatusNotFound, "NOT_FOUND")
		testkit.WantRefused(t, b.Verify(t, "cards", typo, "x"), "not_found") // for a second

		manage(t, a, admin, http.MethodPost, managed, draft("cards", map[string]any{"published": true}),
			http.StatusCreated)
		res := a.Send(t, testkit.Products+"/cards/purchase", map[string]any{"tierId": "pro", "paymentMethod": "card"})
		use := map[string]any{"licenseKey": res.Text(t, "licenseKey"), "instanceId": "shop.example"}
		if res := b.Send(t, testkit.Products+"/cards/activate", use); res.Status != http.StatusOK {
			t.Errorf("activate at the other replica = %d %s", res.Status, res.Body)
		}
		if res := b.Verify(t, "cards", res.Text(t, "licenseKey"), "shop.example"); res.Get(t, "valid") != true {
			t.Errorf("verify at the other replica = %s", res.Body)
		}

		manage(t, a, admin, http.MethodPost, managed, draft("gone", map[string]any{"published": true}),
			http.StatusCreated)
		testkit.WantRefused(t, b.Verify(t, "gone", typo, "x"), "not_found")
		manage(t, a, admin, http.MethodDelete, managed+"/gone", nil, http.StatusOK)
		b.Clock.Advance(time.Second)
		testkit.WantFlatError(t, b.Verify(t, "gone", typo, "x"), http.StatusNotFound, "NOT_FOUND")
	})
}

func TestOnlyAdministratorsManageTheCatalog(t *testing.T) {
	t.Parallel()

	a := testkit.NewShop(t)
	user := a.Register(t, "bob").Access
	for _, op := range []string{
		"GET " + managed, "POST " + managed, "GET " + managed + "/bare",
		"PATCH " + managed + "/bare", "DELETE " + managed + "/bare",
		"POST /api/v1/admin/media", "GET /api/v1/admin/catalog", "POST /api/v1/admin/catalog",
	} {
		method, path, _ := strings.Cut(op, " ")
		testkit.WantError(t, a.Do(t, testkit.Request{Method: method, Path: path, Body: "{}"}), http.StatusUnauthorized,
			"UNAUTHORIZED")
		testkit.WantError(t, a.Do(t, testkit.Request{Method: method, Path: path, Body: "{}", Token: user}),
			http.StatusForbidden, "FORBIDDEN")
	}
}

func TestCatalogOperationsAreAudited(t *testing.T) {
	t.Parallel()

	testkit.OnEngines(t, func(t *testing.T, a *testkit.App) {
		ada := a.Admin(t, "ada")
		manage(t, a, ada.Access, http.MethodPost, managed, draft("cards", nil), http.StatusCreated)
		manage(t, a, ada.Access, http.MethodPatch, managed+"/cards",
			map[string]any{"featured": true, "name": "Cards", "description": "Long."}, http.StatusOK)
		manage(t, a, ada.Access, http.MethodPatch, managed+"/cards", map[string]any{"name": "Cards"}, http.StatusOK)
		manage(t, a, ada.Access, http.MethodPatch, managed+"/cards", map[string]any{"name": ""}, http.StatusBadRequest)
		manage(t, a, ada.Access, http.MethodPatch, managed+"/cards", map[string]any{"pricingTiers": []any{
			map[string]any{"id": "pro", "name": "Pro", "price": 12, "currency": "EUR", "billingPeriod": "monthly", "maxInstances": 2},
		}}, http.StatusOK)
		manage(t, a, ada.Access, http.MethodDelete, managed+"/cards", nil, http.StatusOK)
		upload(t, a, ada.Access, "image/svg+xml", testkit.SVG, http.StatusCreated)
		a.Do(t, testkit.Post(ada.Access, "/api/v1/admin/catalog", `{"products":[]}`))

		entries := manage(t, a, ada.Access, http.MethodGet, "/api/v1/admin/audit?actor="+ada.UserID, nil,
			http.StatusOK).Get(t, "data.items").([]any)
		var got []string
		for _, e := range entries {
			e := e.(map[string]any)
			details, err := json.Marshal(e["details"])
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, fmt.Sprint(e["action"], " ", string(details)))
		}
		slices.Reverse(got)
		want := []string{
			`product.create {"published":false,"slug":"cards"}`,
			`product.update {"fields":["name","featured"],"published":false,"slug":"cards"}`,
			`product.update {"fields":["pricingTiers"],"prices":{"Pro":{"from":"9.90 EUR","to":"12.00 EUR"}},` +
				`"published":false,"slug":"cards"}`,
			`product.delete {"slug":"cards"}`,
			fmt.Sprintf(`media.upload {"bytes":%d}`, len(testkit.SVG)),
		}
		if diff := cmp.Diff(got, want); diff != "" {
			t.Errorf("audit log (-got +want):\n%s", diff)
		}
	})
}

// A product that was never for sale is not found by any route of the shop.
func TestADraftLooksLikeNoProduct(t *testing.T) {
	t.Parallel()

	testkit.OnEngines(t, func(t *testing.T, a *testkit.App) {
		admin, user := a.Admin(t, "ada").Access, a.Register(t, "bob").Access
		manage(t, a, admin, http.MethodPost, managed, draft("cards", nil), http.StatusCreated)
		use := func(key string) map[string]any {
			return map[string]any{"licenseKey": key, "instanceId": "shop.example"}
		}
		const typo, unknown = "STOA-AAAAA-AAAAA-AAAAA-AAAAA-AAAAA-AAAAA", "STOA-00000-00000-00000-00000-00000-00000"
		ask := func(slug string) (answers []string) {
			at := testkit.Products + "/" + slug
			for _, key := range []string{typo, unknown, license.NewKey().Reveal()} {
				query := "?licenseKey=" + key + "&instanceId=shop.example"
				for _, res := range []testkit.Response{
					a.Fetch(t, at+"/license/verify"+query), a.Fetch(t, at+"/license/lease"+query),
					a.Send(t, at+"/activate", use(key)), a.Send(t, at+"/deactivate", use(key)),
				} {
					answers = append(answers,
						fmt.Sprint(res.Status, res.Header.Get("X-License-Code"), string(res.Body)))
				}
			}
			for _, res := range []testkit.Response{
				a.Fetch(t, at), a.Fetch(t, at+"/reviews"), a.Do(t, testkit.Delete(user, at+"/reviews")),
				a.Send(t, at+"/purchase", map[string]any{"tierId": "pro", "paymentMethod": "card"}),
				a.Do(t, testkit.Post(user, at+"/reviews", map[string]any{"rating": 5})),
			} {
				answers = append(answers, fmt.Sprint(res.Status, string(res.Body)))
			}
			return answers
		}
		if diff := cmp.Diff(ask("cards"), ask("nothing")); diff != "" {
			t.Errorf("a draft (-got +want):\n%s", diff)
		}

		// Published, it is found; withdrawn without a sale, it is not; once
		// sold, it always is.
		manage(t, a, admin, http.MethodPatch, managed+"/cards", map[string]any{"published": true}, http.StatusOK)
		testkit.WantRefused(t, a.Verify(t, "cards", typo, "x"), "not_found")
		manage(t, a, admin, http.MethodPatch, managed+"/cards", map[string]any{"published": false}, http.StatusOK)
		if diff := cmp.Diff(ask("cards"), ask("nothing")); diff != "" {
			t.Errorf("withdrawn before a sale (-got +want):\n%s", diff)
		}
		manage(t, a, admin, http.MethodPatch, managed+"/cards", map[string]any{"published": true}, http.StatusOK)
		key := a.Send(t, testkit.Products+"/cards/purchase", map[string]any{
			"tierId": "pro", "paymentMethod": "card",
		}).Text(t, "licenseKey")
		manage(t, a, admin, http.MethodPatch, managed+"/cards", map[string]any{"published": false}, http.StatusOK)
		testkit.WantRefused(t, a.Verify(t, "cards", typo, "x"), "not_found")
		if res := a.Send(t, testkit.Products+"/cards/activate", use(key)); res.Status != http.StatusOK {
			t.Errorf("activate of a withdrawn product = %d %s", res.Status, res.Body)
		}
		if res := a.Verify(t, "cards", key, "shop.example"); res.Get(t, "valid") != true {
			t.Errorf("verify of a withdrawn product = %s", res.Body)
		}
	})
}

// Sending back what GET shows with one price changed changes that price only.
func TestAWholeProductCanBeEdited(t *testing.T) {
	t.Parallel()

	a := testkit.New(t)
	admin := a.Admin(t, "ada").Access
	path := managed + "/cards"
	manage(t, a, admin, http.MethodPost, managed, draft("cards", nil), http.StatusCreated)
	edit := func(change func(p map[string]any)) map[string]any {
		p := manage(t, a, admin, http.MethodGet, path, nil, http.StatusOK).Get(t, "data").(map[string]any)
		change(p)
		return manage(t, a, admin, http.MethodPatch, path, p, http.StatusOK).Get(t, "data").(map[string]any)
	}
	price := func(to float64) func(map[string]any) {
		return func(p map[string]any) { p["pricingTiers"].([]any)[0].(map[string]any)["price"] = to }
	}
	if got := edit(price(19.9))["pricing"].(map[string]any)["price"]; got != 19.9 {
		t.Errorf("the list price after a change of the tier = %v, want 19.9", got)
	}
	if got := edit(func(p map[string]any) { p["description"] = "New." })["fullDescription"]; got != "New." {
		t.Errorf("fullDescription after a change of the description = %v", got)
	}
	// Explicit values stay.
	manage(t, a, admin, http.MethodPatch, path,
		map[string]any{
			"pricing": map[string]any{"type": "paid", "price": 5, "currency": "EUR"}, "fullDescription": "Full.",
		}, http.StatusOK)
	got := edit(price(29.9))
	if got["pricing"].(map[string]any)["price"] != 5.0 || got["fullDescription"] != "Full." {
		t.Errorf("after pricing was given: %v, %v", got["pricing"], got["fullDescription"])
	}
}

// A lost picture is a fault only of a change that names it for the first time.
func TestALostPictureKeepsNothingFromBeingChanged(t *testing.T) {
	t.Parallel()

	dir := t.TempDir()
	a := testkit.New(t, func(_ testing.TB, cfg *app.Config) { cfg.DataDir = dir })
	admin := a.Admin(t, "ada").Access
	kept := upload(t, a, admin, "image/svg+xml", testkit.SVG, http.StatusCreated).Text(t, "data.path")
	path := managed + "/cards"
	manage(t, a, admin, http.MethodPost, managed,
		draft("cards", map[string]any{"icon": kept, "screenshots": []any{kept}}), http.StatusCreated)
	manage(t, a, admin, http.MethodPost, managed, draft("other", nil), http.StatusCreated)
	manage(t, a, admin, http.MethodPost, managed, draft("plain", map[string]any{"icon": kept}), http.StatusCreated)
	if err := os.Remove(filepath.Join(dir, "media", strings.TrimPrefix(kept, "/media/"))); err != nil {
		t.Fatal(err)
	}
	whole := manage(t, a, admin, http.MethodGet, path, nil, http.StatusOK).Get(t, "data").(map[string]any)
	whole["name"] = "New"
	manage(t, a, admin, http.MethodPatch, path, whole, http.StatusOK)
	manage(t, a, admin, http.MethodPatch, managed+"/plain", map[string]any{"icon": kept, "name": "New"}, http.StatusOK)
	export := manage(t, a, admin, http.MethodGet, "/api/v1/admin/catalog?format=json", nil, http.StatusOK)
	manage(t, a, admin, http.MethodPost, "/api/v1/admin/catalog", export.Body, http.StatusOK)

	res := manage(t, a, admin, http.MethodPatch, managed+"/other", map[string]any{"icon": kept}, http.StatusBadRequest)
	if got := named(t, res); !slices.Equal(got, []string{"icon bad_media"}) {
		t.Errorf("issues = %q", got)
	}
	manage(t, a, admin, http.MethodPost, managed, draft("third", map[string]any{"icon": kept}), http.StatusBadRequest)
}
