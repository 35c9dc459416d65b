package store

import (
	"encoding/json"
	"fmt"

	"stoa/internal/shop/product"
)

// productDetail is product.Detail in the JSON of the column detail. Prices are in
// minor units, so no stored number needs rounding.
type productDetail struct {
	FullDescription string                   `json:"fullDescription"`
	Features        []product.FeatureSection `json:"features"`
	Tiers           []productTier            `json:"tiers"`
	FAQ             []product.Question       `json:"faq"`
	Comparison      *product.Comparison      `json:"comparison,omitempty"`
	RefundDays      int                      `json:"refundDays,omitempty"`
}

type productTier struct {
	ID           string   `json:"id"`
	Name         string   `json:"name"`
	Description  string   `json:"description"`
	PriceMinor   int64    `json:"priceMinor"`
	Currency     string   `json:"currency"`
	Unpriced     bool     `json:"unpriced,omitempty"`
	Period       string   `json:"billingPeriod,omitempty"`
	Features     []string `json:"features"`
	Highlighted  bool     `json:"highlighted,omitempty"`
	MaxInstances int      `json:"maxInstances"`
	TrialDays    int      `json:"trialDays,omitempty"`
}

func encodeDetail(d product.Detail) (string, error) {
	out := productDetail{
		FullDescription: d.FullDescription, Features: d.Features, FAQ: d.FAQ, Comparison: d.Comparison,
		RefundDays: d.RefundDays,
	}
	for _, t := range d.Tiers {
		out.Tiers = append(out.Tiers, productTier{
			ID: t.ID, Name: t.Name, Description: t.Description, PriceMinor: t.Price.Minor, Currency: t.Price.Currency,
			Unpriced: t.Unpriced, Period: string(t.Period), Features: t.Features, Highlighted: t.Highlighted,
			MaxInstances: t.MaxInstances, TrialDays: t.TrialDays,
		})
	}
	b, err := json.Marshal(out)
	return string(b), err
}

func decodeDetail(text string) (product.Detail, error) {
	var in productDetail
	if err := json.Unmarshal([]byte(text), &in); err != nil {
		return product.Detail{}, err
	}
	d := product.Detail{
		FullDescription: in.FullDescription, Features: in.Features, FAQ: in.FAQ, Comparison: in.Comparison,
		RefundDays: in.RefundDays,
	}
	for _, t := range in.Tiers {
		d.Tiers = append(d.Tiers, product.Tier{
			ID: t.ID, Name: t.Name, Description: t.Description,
			Price: product.Money{Minor: t.PriceMinor, Currency: t.Currency}, Unpriced: t.Unpriced,
			Period: product.BillingPeriod(t.Period), Features: t.Features,
			Highlighted: t.Highlighted, MaxInstances: t.MaxInstances, TrialDays: t.TrialDays,
		})
	}
	return d, nil
}

// encodeTranslations returns the column translations, which is empty for a product without any.
func encodeTranslations(all map[string]product.Translation) (string, error) {
	if len(all) == 0 {
		return "", nil
	}
	b, err := json.Marshal(all)
	return string(b), err
}

func decodeTranslations(id, text string) (all map[string]product.Translation, err error) {
	if text == "" {
		return nil, nil
	}
	if err := json.Unmarshal([]byte(text), &all); err != nil {
		return nil, fmt.Errorf("store: product %s: translations: %w", id, err)
	}
	return all, nil
}
