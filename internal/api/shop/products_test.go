package shop_test

import (
	"fmt"
	"strings"
	"testing"

	"stoa/internal/testkit"
)

func TestProductList(t *testing.T) {
	t.Parallel()
	a := testkit.NewShop(t)

	tests := []struct {
		query, want string // slugs in order
		total       float64
	}{
		{"", "mail-pack bare", 2},
		{"?category=marketing", "mail-pack", 1},
		{"?category=secret", "", 0},
		{"?category=%00", "VALIDATION_ERROR category", 0},
		{"?page=2&limit=1", "bare", 2},
		{"?page=3&limit=1", "", 2},
		{"?page=1000001&limit=100", "", 2},
		{"?page=9223372036854775807&limit=100", "", 2},
		{"?page=99999999999999999999", "", 2},
		{"?page=&limit=", "mail-pack bare", 2},
		{"?limit=100", "mail-pack bare", 2},
		{"?sort=price", "bare mail-pack", 2},
		{"?sort=newest", "bare mail-pack", 2},
		{"?sort=name", "bare mail-pack", 2},
		{"?sort=rating", "mail-pack bare", 2},
		{"?sort=downloads", "mail-pack bare", 2},
		{"?q=MAIL+sends", "mail-pack", 1},
		{"?q=%25", "", 0},
		{"?q=_are", "", 0},
		{"?featured=true", "mail-pack", 1},
		{"?featured=false", "bare", 1},
		{"?trending=true", "", 0},
		{"?page=0", "VALIDATION_ERROR page", 0},
		{"?page=-99999999999999999999", "VALIDATION_ERROR page", 0},
		{"?limit=0", "VALIDATION_ERROR limit", 0},
		{"?limit=101", "VALIDATION_ERROR limit", 0},
		{"?page=x&limit=-1&sort=best&featured=1", "VALIDATION_ERROR page limit featured sort", 0},
	}
	for _, tt := range tests {
		t.Run(tt.query, func(t *testing.T) {
			t.Parallel()

			res := a.Fetch(t, testkit.Products+tt.query)
			if want, invalid := strings.CutPrefix(tt.want, "VALIDATION_ERROR "); invalid {
				testkit.WantFlatError(t, res, 400, "VALIDATION_ERROR")
				if got := testkit.IssuePaths(t, res); got != want {
					t.Errorf("issues = %q, want %q", got, want)
				}
				return
			}
			var slugs []string
			for _, p := range res.JSON(t)["products"].([]any) {
				slugs = append(slugs, p.(map[string]any)["slug"].(string))
			}
			if got := strings.Join(slugs, " "); got != tt.want || res.Get(t, "pagination.total") != tt.total {
				t.Errorf("products = %q of %v, want %q of %v", got, res.Get(t, "pagination.total"), tt.want, tt.total)
			}
			if got := fmt.Sprint(res.Get(t, "filters.categories")); got != "[marketing other]" {
				t.Errorf("categories = %s", got)
			}
		})
	}
}

func TestUnpublishedProductsAreNotShown(t *testing.T) {
	t.Parallel()
	a := testkit.NewShop(t)

	for _, slug := range []string{"hidden", "nope", "UPPER", "%00", strings.Repeat("a", 200)} {
		testkit.WantFlatError(t, a.Fetch(t, testkit.Products+"/"+slug), 404, "NOT_FOUND")
	}
}
