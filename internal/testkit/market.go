package testkit

import (
	"crypto/ed25519"
	"crypto/sha256"
	"testing"

	"stoa/internal/app"
	"stoa/internal/data/database"
	"stoa/internal/trust/seal"
)

// RootKey returns a root key of the market of every App. They are numbered from 0.
func RootKey(i byte) ed25519.PrivateKey {
	seed := sha256.Sum256([]byte{'r', 'o', 'o', 't', i})
	return ed25519.NewKeyFromSeed(seed[:])
}

// AsMarket is an Option: the App is a market, with RootKey(0). It comes after the options that choose the database.
func AsMarket(tb testing.TB, cfg *app.Config) {
	tb.Helper()
	InitMarket(tb, *cfg, 1, RootKey(0))
	cfg.Market = true
}

// InitMarket makes the stoa with that configuration a market, as stoa market init does.
func InitMarket(tb testing.TB, cfg app.Config, threshold int, keys ...ed25519.PrivateKey) {
	tb.Helper()
	key, err := seal.ParseKey(MasterKey)
	if err != nil {
		tb.Fatal(err)
	}
	cfg.MasterKey, cfg.Market, cfg.Deliver, cfg.PublicURL = seal.NewKeys(key), false, false, "http://localhost"
	if !database.IsPostgres(cfg.DatabaseURL) {
		migrated(tb, cfg.DatabaseURL)
	}
	a, err := app.New(tb.Context(), cfg)
	if err != nil {
		tb.Fatal(err)
	}
	_, err = a.Market.Init(tb.Context(), keys, threshold)
	if err := a.Close(ctxAfterTest(tb)); err != nil {
		tb.Fatal(err)
	}
	if err != nil {
		tb.Fatal(err)
	}
}
