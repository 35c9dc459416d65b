package app

import (
	"fmt"
	"path/filepath"

	"stoa/internal/blob"
	"stoa/internal/market"
	"stoa/internal/market/payment"
	"stoa/internal/store"
)

// buildMarket makes the market and the files it shows.
func (a *App) buildMarket(cfg Config) error {
	media, err := blob.Open(filepath.Join(cfg.DataDir, "media"))
	if err != nil {
		return err
	}
	a.media = media
	a.Market = &market.Service{
		Catalogue: store.NewCatalogue(a.DB), Sales: store.NewSales(a.DB), Licenses: store.NewLicenses(a.DB), Reviews: store.NewReviews(a.DB), Media: media,
		Payments: payment.Test{}, Keys: market.NewKeys(cfg.MasterKey), Now: cfg.Now,
	}
	switch cfg.Payments {
	case "", "test":
	case "live":
		a.Market.Payments = payment.None{}
	default:
		return fmt.Errorf("payments: %q is neither test nor live", cfg.Payments)
	}
	return nil
}
