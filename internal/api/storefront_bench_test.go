package httpapi_test

import (
	"io"
	"net/http"
	"testing"

	"stoa/internal/testkit"
)

// BenchmarkProduct compares a product's page with the same product as JSON.
func BenchmarkProduct(b *testing.B) {
	a := testkit.New(b)
	a.ImportCatalog(b)
	for _, tt := range []struct{ name, path, coding string }{
		{"json", "/api/marketplace/products/mail-pack", "identity"},
		{"page", "/p/mail-pack", "identity"},
		{"page gzip", "/p/mail-pack", "gzip"},
		{"catalog json", "/api/marketplace/products", "identity"},
		{"catalog page", "/", "identity"},
	} {
		b.Run(tt.name, func(b *testing.B) {
			req, err := http.NewRequestWithContext(b.Context(), http.MethodGet, a.URL+tt.path, nil)
			if err != nil {
				b.Fatal(err)
			}
			req.Header.Set("Accept", browserAccept)
			req.Header.Set("Accept-Encoding", tt.coding)
			for b.Loop() {
				res, err := a.Client.Do(req)
				if err != nil {
					b.Fatal(err)
				}
				_, _ = io.Copy(io.Discard, res.Body)
				_ = res.Body.Close()
				if res.StatusCode != http.StatusOK {
					b.Fatal(res.Status)
				}
			}
		})
	}
}
