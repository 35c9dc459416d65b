package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"time"

	"stoa/bench/measure"
)

// firstAnswerWithin is how long one purchase may take until the plugin answers.
const firstAnswerWithin = time.Minute

// buy buys every product of the market for another stoa, and shows how long it took from the payment to the
// first answer of each plugin.
func buy(ctx context.Context, o measure.Options, dir string, m *market) (err error) {
	b, err := startStoa(ctx, o, "--data="+filepath.Join(dir, "buyer"), "--market-allow=127.0.0.1/32")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.Stop()) }()
	var added struct{ Data struct{ Market string } }
	if err := b.post(ctx, "/api/v1/admin/markets",
		map[string]any{"url": m.url, "rootFingerprint": m.fingerprint}, &added); err != nil {
		return err
	}
	var took []time.Duration
	for _, slug := range m.products {
		d, err := buyOne(ctx, b, m, added.Data.Market, slug)
		if err != nil {
			return fmt.Errorf("%s: %w", slug, err)
		}
		took = append(took, d)
	}
	slices.Sort(took)
	n := len(took)
	median, p95, longest := took[n/2], took[(n*95+99)/100-1], took[n-1]
	fmt.Printf("payment to the first answer, %d purchases: median %s, p95 %s (at most 15s), longest %s (at most 1m)\n\n",
		n, median.Round(time.Millisecond), p95.Round(time.Millisecond), longest.Round(time.Millisecond))
	return nil
}

// buyOne buys a product and returns how long after the payment the plugin answered.
func buyOne(ctx context.Context, b stoa, m *market, id, slug string) (time.Duration, error) {
	var started struct{ Data struct{ CheckoutURL string } }
	if err := b.post(ctx, "/api/v1/admin/markets/"+id+"/purchases", map[string]any{
		"productSlug": slug, "tierId": "pro", "grants": []string{"storage:read"},
	}, &started); err != nil {
		return 0, err
	}
	checkout, err := url.Parse(started.Data.CheckoutURL)
	if err != nil {
		return 0, err
	}
	guest := stoa{url: m.url}
	if err := guest.post(ctx, "/api/marketplace/products/"+slug+"/purchase", map[string]any{
		"tierId": "pro", "paymentMethod": "card", "handoffId": checkout.Query().Get("handoff"),
	}, new(any)); err != nil {
		return 0, err
	}
	paid := time.Now()
	for time.Since(paid) < firstAnswerWithin {
		if _, err = measure.Send(ctx, http.DefaultClient, http.MethodGet,
			b.url+"/api/v1/shop/plugins/"+slug+"/api/hello", "", "", nil); err == nil {
			return time.Since(paid), nil
		}
		time.Sleep(10 * time.Millisecond)
	}
	return 0, fmt.Errorf("no answer after %s: %w", firstAnswerWithin, err)
}
