package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"stoa/internal/app/datafolder"
	"stoa/internal/data/database"
	"stoa/internal/keep/rewrap"
	"stoa/internal/operate/settings"
	"stoa/internal/store"
	"stoa/internal/trust/masterkey"
	"stoa/internal/trust/seal"
)

type keysRewrapCmd struct {
	datafolder.Folder

	Wait   time.Duration
	Settle time.Duration
	Reuse  bool `name:"reuse-old-key"`
}

// Run replaces the master key, or goes on with it.
func (c keysRewrapCmd) Run(ctx context.Context, std streams) (err error) {
	at, err := c.OpenExisting(ctx, std.err)
	if err != nil {
		return err
	}
	keys, err := c.keys(std)
	if err != nil {
		return err
	}
	db, err := database.Open(at)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	if err := store.CheckSchema(ctx, db, version()); err != nil {
		return err
	}
	began := time.Now()
	done, err := rewrap.Rewrap{
		DB: db, Known: keys, Wait: c.Wait, Settle: c.Settle, Reuse: c.Reuse,
		Printf: func(format string, args ...any) { fmt.Fprintf(std.err, format+"\n", args...) },
	}.Run(asOperator(ctx))
	if errors.Is(err, rewrap.ErrNotAll) {
		return fmt.Errorf("%w\nGive them both keys, STOA_MASTER_KEY and STOA_MASTER_KEY_NEXT or the files %s and %s, "+
			"restart them, and run this command again (docs/keys.md)", err, masterkey.File, masterkey.NextFile)
	}
	if errors.Is(err, rewrap.ErrExchanged) {
		return fmt.Errorf("%w\nAre the two keys exchanged? %s is the old one and %s the new one. Nothing was changed",
			err, settings.MasterKey.Env, settings.MasterKeyNext.Env)
	}
	if errors.Is(err, rewrap.ErrRetired) {
		return fmt.Errorf("%w\nAre the two keys exchanged? %s is the old one and %s the new one, also to run this command "+
			"once more after it has finished. To put the old key back, add --reuse-old-key (docs/keys.md)",
			err, settings.MasterKey.Env, settings.MasterKeyNext.Env)
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(std.out, "%s replaces %s: %d values were sealed again, in %s\n",
		done.New, done.Old, done.Sealed, time.Since(began).Round(time.Second))
	for _, what := range done.Unreadable {
		fmt.Fprintf(std.out, "neither key opens %s: it was left as it is\n", what)
	}
	return c.finish(std, done.New)
}

// keys returns the two keys. If the present one is in the data folder, it makes the other one.
func (c keysRewrapCmd) keys(std streams) ([]*seal.Key, error) {
	known, err := masterkey.Known(settings.MasterKey.Value(), settings.MasterKeyNext.Value(), c.Data)
	if err != nil {
		return nil, err
	}
	if len(known.Known()) == 2 {
		return known.Known(), nil
	}
	if settings.MasterKey.Value() != "" || settings.MasterKeyNext.Value() != "" {
		return nil, fmt.Errorf("set %s to a new key, made by openssl rand -hex 32, for this command and for all stoa "+
			"processes on this database, beside %s, and restart them first", settings.MasterKeyNext.Env, settings.MasterKey.Env)
	}
	next, err := masterkey.CreateNext(c.Data)
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(std.err, "a new key is in %s in the data folder; processes with this data folder notice it\n",
		masterkey.NextFile)
	return append(known.Known(), next), nil
}

// finish puts the new key where the old one was, or says what is left to do.
func (c keysRewrapCmd) finish(std streams, sealing *seal.Key) error {
	if settings.MasterKey.Value() == "" && settings.MasterKeyNext.Value() == "" {
		// Another run may have done so, and one after it may have made the next key.
		next, err := masterkey.LoadNext("", c.Data)
		if err == nil && next != nil && next.ID() == sealing.ID() {
			err = masterkey.Promote(c.Data)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		fmt.Fprintf(std.out, "%s has the new key, %s the old one. Restart stoa at your convenience: until then it still "+
			"knows the old key. Plain backups made before need the old key; delete it when you keep none of them.\n",
			masterkey.File, masterkey.PreviousFile)
		return nil
	}
	fmt.Fprintf(std.out, "Now set %s to the new key for all processes, remove %s, and restart them one after another. "+
		"Plain backups made before need the old key.\n", settings.MasterKey.Env, settings.MasterKeyNext.Env)
	return nil
}
