package shop_test

import (
	"net/http"
	"strings"
	"testing"

	"stoa/internal/testkit"
)

func TestReviewsAreRefusedWithAllTheirFaults(t *testing.T) {
	t.Parallel()
	a := testkit.NewShop(t)
	ada := a.Register(t, "ada")
	a.BuyKey(t, ada.Access, "free")

	tests := []struct {
		name, slug, body string
		status           int
		code, issues     string
	}{
		{"nothing", "mail-pack", `{}`, 400, "VALIDATION_ERROR", "rating"},
		{
			"every fault at once", "mail-pack",
			`{"rating":0,"title":"a\nb","text":"\u0000"}`, 400, "VALIDATION_ERROR", "rating title text",
		},
		{
			"wrong types", "mail-pack", `{"rating":"5","title":5,"text":[]}`,
			400, "VALIDATION_ERROR", "rating title text",
		},
		{"half a star", "mail-pack", `{"rating":4.5}`, 400, "VALIDATION_ERROR", "rating"},
		{"six stars", "mail-pack", `{"rating":6}`, 400, "VALIDATION_ERROR", "rating"},
		{
			"a title too long", "mail-pack",
			`{"rating":5,"title":"` + strings.Repeat("ä", 201) + `"}`, 400, "VALIDATION_ERROR", "title",
		},
		{
			"a text too long", "mail-pack",
			`{"rating":5,"text":"` + strings.Repeat("ä", 5001) + `"}`, 400, "VALIDATION_ERROR", "text",
		},
		{"unknown product", "nope", `{"rating":5}`, 404, "NOT_FOUND", ""},
		{"unpublished product", "hidden", `{"rating":5}`, 404, "NOT_FOUND", ""},
		{
			"as long as can be", "mail-pack",
			`{"rating":5,"title":" ` + strings.Repeat("ä", 200) + ` ","text":"` + strings.Repeat("ä", 5000) + `"}`,
			201, "", "",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()

			res := a.Do(t, testkit.Post(ada.Access, testkit.Products+"/"+tt.slug+"/reviews", tt.body))
			if tt.code == "" && res.Status == tt.status {
				return
			}
			testkit.WantFlatError(t, res, tt.status, tt.code)
			if got := testkit.IssuePaths(t, res); got != tt.issues {
				t.Errorf("issues = %q, want %q", got, tt.issues)
			}
		})
	}
}

func TestReviewsNeedAUserAndAPublishedProduct(t *testing.T) {
	t.Parallel()
	a := testkit.NewShop(t)
	ada := a.Register(t, "ada")
	for name, res := range map[string]testkit.Response{
		"a guest writes":  a.Send(t, testkit.Reviews, `{"rating":5}`),
		"a guest deletes": a.Do(t, testkit.Delete("", testkit.Reviews)),
	} {
		if res.Status != http.StatusUnauthorized || res.Text(t, "error") != "UNAUTHORIZED" {
			t.Errorf("%s = %d %s", name, res.Status, res.Body)
		}
	}
	testkit.WantFlatError(t, a.Fetch(t, testkit.Products+"/hidden/reviews"), 404, "NOT_FOUND")
	testkit.WantFlatError(t, a.Fetch(t, testkit.Reviews+"?page=0&limit=101"), 400, "VALIDATION_ERROR")
	testkit.WantFlatError(t, a.Do(t, testkit.Delete(ada.Access, testkit.Products+"/nope/reviews")), 404, "NOT_FOUND")
}

func TestOnlyAdministratorsManageReviews(t *testing.T) {
	t.Parallel()
	a := testkit.NewShop(t)
	ada, root := a.Register(t, "ada"), a.Admin(t, "root")
	for _, tt := range []struct {
		method, path, token, body string
		status                    int
		code                      string
	}{
		{http.MethodGet, "", "", "", 401, "UNAUTHORIZED"},
		{http.MethodGet, "", ada.Access, "", 403, "FORBIDDEN"},
		{http.MethodGet, "?hidden=perhaps&product=%00&page=x", root.Access, "", 400, "VALIDATION_ERROR"},
		{http.MethodGet, "?hidden=1", root.Access, "", 400, "VALIDATION_ERROR"},
		{http.MethodPatch, "/nope", ada.Access, `{"hidden":true}`, 403, "FORBIDDEN"},
		{http.MethodPatch, "/nope", root.Access, `{"hidden":true}`, 404, "NOT_FOUND"},
		{http.MethodPatch, "/nope", root.Access, `{}`, 400, "VALIDATION_ERROR"},
		{http.MethodPatch, "/%00", root.Access, `{"hidden":true}`, 404, "NOT_FOUND"},
		{http.MethodDelete, "/nope", "", "", 401, "UNAUTHORIZED"},
		{http.MethodDelete, "/nope", root.Access, "", 404, "NOT_FOUND"},
	} {
		res := a.Do(t, testkit.Request{
			Method: tt.method, Path: "/api/v1/admin/reviews" + tt.path, Token: tt.token, Body: tt.body,
		})
		if res.Status != tt.status || res.Text(t, "error.code") != tt.code {
			t.Errorf("%s %s %s = %d %s, want %d %s", tt.method, tt.path, tt.body, res.Status, res.Body, tt.status,
				tt.code)
		}
	}
}
