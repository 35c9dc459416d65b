package store

import (
	"context"
	"encoding/json"
	"fmt"

	"stoa/internal/data/database"
)

// tierNames returns the current names of tiers of products, by product and tier id. A list asks
// once for all of its products: a product's detail is too large to be read again for every row.
func tierNames(
	ctx context.Context, q database.Querier, productIDs map[string]bool,
) (map[string]map[string]string, error) {
	names := make(map[string]map[string]string, len(productIDs))
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
			Tiers []struct{ ID, Name string } `json:"tiers"`
		}
		if err := json.Unmarshal([]byte(t.detail), &detail); err != nil {
			return nil, fmt.Errorf("store: product %s: detail: %w", t.productID, err)
		}
		names[t.productID] = make(map[string]string, len(detail.Tiers))
		for _, tier := range detail.Tiers {
			names[t.productID][tier.ID] = tier.Name
		}
	}
	return names, nil
}
