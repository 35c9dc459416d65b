package store

import (
	"context"
	"encoding/json"
	"fmt"

	"stoa/internal/data/database"
)

// terms is what lists of orders and licenses show of a product.
type terms struct {
	tiers      map[string]string // the current names of its tiers, by id
	refundDays int
}

// termsOf returns what lists show of products, by id. A list asks
// once for all of its products: a product's detail is too large to be read again for every row.
func termsOf(
	ctx context.Context, q database.Querier, productIDs map[string]bool,
) (map[string]terms, error) {
	names := make(map[string]terms, len(productIDs))
	if len(productIDs) == 0 {
		return names, nil
	}
	args := make([]any, 0, len(productIDs))
	for id := range productIDs {
		args = append(args, id)
	}
	type tiers struct{ productID, detail string }
	list, err := database.All(ctx, q, func(row database.Scanner) (t tiers, err error) {
		err = row.Scan(&t.productID, &t.detail)
		return t, err
	}, `SELECT id, detail FROM products WHERE id IN (`+places(1, len(args))+`)`, args...)
	if err != nil {
		return nil, err
	}
	for _, t := range list {
		var detail struct {
			Tiers      []struct{ ID, Name string } `json:"tiers"`
			RefundDays int                         `json:"refundDays"`
		}
		if err := json.Unmarshal([]byte(t.detail), &detail); err != nil {
			return nil, fmt.Errorf("store: product %s: detail: %w", t.productID, err)
		}
		tiers := make(map[string]string, len(detail.Tiers))
		for _, tier := range detail.Tiers {
			tiers[tier.ID] = tier.Name
		}
		names[t.productID] = terms{tiers, detail.RefundDays}
	}
	return names, nil
}
