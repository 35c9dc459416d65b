package app

import (
	"stoa/internal/account"
	"stoa/internal/keyring"
	"stoa/internal/market/license"
	"stoa/internal/store"
)

// ring returns a new Ring for the keys of a purpose.
func (a *App) ring(cfg Config, purpose keyring.Purpose) *keyring.Ring {
	return &keyring.Ring{
		Store: store.NewKeyring(a.DB), Purpose: purpose, Box: cfg.MasterKey.Box(purpose.Box()), Now: cfg.Now,
	}
}

// Ring returns the Ring of the purpose with that name, or nil.
func (a *App) Ring(name string) *keyring.Ring {
	switch name {
	case account.KeyPurpose.Name:
		return a.Accounts.Ring
	case license.KeyPurpose.Name:
		return a.LicenseKeys
	}
	return nil
}
