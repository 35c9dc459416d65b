package app

import (
	"stoa/internal/store"
	"stoa/internal/trust/keyring"
)

// ring returns a new Ring for the keys of a purpose.
func (a *App) ring(cfg Config, purpose keyring.Purpose) *keyring.Ring {
	return &keyring.Ring{
		Store: store.NewKeyring(a.DB), Purpose: purpose, Box: cfg.MasterKey.Box(purpose.Box()), Now: cfg.Now,
	}
}

// rings returns the keys of all purposes that the console shows and rotates.
func (a *App) rings() []*keyring.Ring {
	return []*keyring.Ring{a.Accounts.Ring, a.LicenseKeys, a.Accounts.PluginRing}
}

// Ring returns the Ring of the purpose with that name, or nil.
func (a *App) Ring(name string) *keyring.Ring {
	for _, ring := range append(a.rings(), a.Market.Ring) {
		if ring.Purpose.Name == name {
			return ring
		}
	}
	return nil
}
