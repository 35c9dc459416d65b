package app

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"stoa/internal/operate/system"
	"stoa/internal/store"
	"stoa/internal/trust/masterkey"
	"stoa/internal/trust/seal"
)

// errStopping is the state of a process that is shutting down.
var errStopping = errors.New("stoa is stopping")

// errOtherKey is the state of a process that does not have the database's current master key.
var errOtherKey = errors.New("the database belongs to another master key: start stoa with that one")

// ready returns the state of everything that this process needs to serve requests.
func (a *App) ready(ctx context.Context) []system.Condition {
	process := system.Condition{Name: "process", Ready: true, Required: true}
	if a.stopping.Load() { // reported at once, unlike the others
		process.Ready, process.Err = false, errStopping
	}
	return append([]system.Condition{process}, a.readiness.Conditions(ctx)...)
}

// needs returns what this process needs. Only the parts without which it can answer nothing are
// Required: if another part that all replicas share breaks, a load balancer has no better replica,
// and requests that work without the part should still be served. schema is the version of the
// schema at the start.
func (a *App) needs(cfg Config, schema int64) []system.Need {
	list := []system.Need{
		{Name: system.PartDatabase, Required: true, Run: a.DB.Ping},
		{Name: "migrations", Required: true, Run: func(ctx context.Context) error {
			version, err := store.SchemaVersion(ctx, a.DB)
			if err == nil && version < schema { // a newer schema comes from a replica of the next version
				err = fmt.Errorf("the schema has version %d and had %d when stoa started", version, schema)
			}
			return err
		}},
		{Name: "masterKey", Required: true, Run: func(ctx context.Context) error {
			stored, found, err := store.NewSettings(a.DB).Find(ctx, store.SettingMasterKeyCheck)
			if err != nil {
				return err
			}
			proves := func(key *seal.Key) bool { return masterkey.Proves(key, stored) }
			if !found || !slices.ContainsFunc(cfg.MasterKey.Known(), proves) {
				return errOtherKey
			}
			return nil
		}},
		{Name: system.PartStorage, Run: func(ctx context.Context) error { return a.checkStorage(ctx, cfg) }},
		{Name: system.PartWriting, Run: func(context.Context) error { return a.writing(cfg) }},
		{Name: system.PartPlugins, Run: func(ctx context.Context) error { _, err := a.checkNode(ctx); return err }},
	}
	if a.redis != nil {
		list = append(list, system.Need{
			Name: system.PartRedis, Run: func(ctx context.Context) error { return a.redis.Ping(ctx).Err() },
		})
	}
	return list
}
