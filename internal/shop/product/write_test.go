package product_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"stoa/internal/shop/product"
	"stoa/internal/shop/product/producttest"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

func TestAWrittenCatalogIsReadBack(t *testing.T) {
	t.Parallel()

	for _, format := range []product.Format{product.YAML, product.JSON} {
		t.Run(string(format), func(t *testing.T) {
			t.Parallel()

			rapid.Check(t, func(t *rapid.T) {
				products := producttest.Catalog(t)
				var text, again bytes.Buffer
				if err := product.WriteCatalog(&text, format, products); err != nil {
					t.Fatal(err)
				}
				c, err := product.ParseCatalog(text.Bytes())
				if err != nil {
					t.Fatalf("ParseCatalog: %v\n%s", err, text.Bytes())
				}
				if diff := cmp.Diff(c.Products, products, cmpopts.EquateEmpty()); diff != "" {
					t.Fatalf("products (-got +want):\n%s\n%s", diff, text.Bytes())
				}
				if err := product.WriteCatalog(&again, format, c.Products); err != nil ||
					!bytes.Equal(text.Bytes(), again.Bytes()) {
					t.Fatalf("written again (%v):\n%s\nwas:\n%s", err, again.Bytes(), text.Bytes())
				}
			})
		})
	}
}

// Every currency, with amounts that use all of its decimals and none.
func TestEveryCurrencyIsReadBack(t *testing.T) {
	t.Parallel()

	var products []product.Product
	for a := 'A'; a <= 'Z'; a++ {
		for b := 'A'; b <= 'Z'; b++ {
			for c := 'A'; c <= 'Z'; c++ {
				code := string([]rune{a, b, c})
				if _, ok := product.Exponent(code); !ok {
					continue
				}
				p := product.Product{
					Slug: strings.ToLower(
						code,
					), Name: code, Category: "c", ShortDescription: "s", Description: "d", Icon: "/i.svg", Published: true,
					CreatedAt: time.UnixMilli(0).
						UTC(),
					Pricing: product.Pricing{Type: product.Paid, Price: product.Money{Minor: 1, Currency: code}},
					Detail:  product.Detail{FullDescription: "d"},
				}
				for i, minor := range []int64{1, 10, 100, 1000, 10_000, 123_456_789, 1_000_000_000_000} {
					p.Detail.Tiers = append(p.Detail.Tiers,
						product.Tier{ID: fmt.Sprint(i), Name: "T", Price: product.Money{Minor: minor, Currency: code}, MaxInstances: 1})
				}
				products = append(products, p)
			}
		}
	}
	if len(products) < 160 {
		t.Fatalf("there are only %d currencies", len(products))
	}
	for _, format := range []product.Format{product.YAML, product.JSON} {
		var text bytes.Buffer
		if err := product.WriteCatalog(&text, format, products); err != nil {
			t.Fatal(err)
		}
		c, err := product.ParseCatalog(text.Bytes())
		if diff := cmp.Diff(c.Products, products); err != nil || diff != "" {
			t.Errorf("%s: %v, products (-got +want):\n%s", format, err, diff)
		}
	}
}
