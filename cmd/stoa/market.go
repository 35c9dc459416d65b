package main

import (
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"stoa/internal/app"
	"stoa/internal/app/datafolder"
	"stoa/internal/market/origin"
	"stoa/internal/operate/settings"
)

type marketCmd struct {
	Init marketInitCmd `cmd:"" help:"Make this stoa a market, from which others install (docs/market.md). Then serve with --market on."`
	Root marketRootCmd `cmd:"" help:"Manage the root of the market, by which others trust it."`
}

type marketRootCmd struct {
	Renew marketRenewCmd `cmd:"" help:"Sign the next root, with the keys in use now. A running stoa serves it within seconds."`
}

type marketInitCmd struct {
	datafolder.Folder

	Root      []string `type:"path"`
	Threshold int
}

// Run makes the root keys, each in a file of its own, and the first root. After a failure none of the files is left.
func (c marketInitCmd) Run(ctx context.Context, std streams) error {
	if len(c.Root) > origin.MaxRootKeys || c.Threshold > len(c.Root) {
		return settings.Wrong(fmt.Errorf("--threshold is %d, and --root is given %d times: there must be as many keys as "+
			"are needed, and at most %d", c.Threshold, len(c.Root), origin.MaxRootKeys))
	}
	for _, name := range c.Root {
		if _, err := os.Lstat(name); !errors.Is(err, fs.ErrNotExist) {
			return errors.Join(err, fmt.Errorf("there is a file %s already; a root key gets a new one", name))
		}
	}
	return with(ctx, std, c.Folder, func(a *app.App) error {
		if is, err := a.Market.Exists(ctx); err != nil || is {
			return errors.Join(err, explain(origin.ErrMarket))
		}
		keys, err := c.writeKeys()
		if err != nil {
			return err
		}
		root, err := a.Market.Init(asOperator(ctx), keys, c.Threshold)
		if err != nil {
			return errors.Join(explain(err), c.undo(ctx, a))
		}
		fmt.Fprintf(std.out, "fingerprint: %s\nthe root ends: %s\n", root.Fingerprint, root.ExpiresAt.Format(time.RFC3339))
		fmt.Fprintln(std.err,
			"The root keys are in the files only, and in no backup of stoa. Keep each apart from this machine, "+
				"with a copy: without them the market ends with its root. Now serve with --market on.")
		return nil
	})
}

func (c marketInitCmd) writeKeys() ([]ed25519.PrivateKey, error) {
	keys := make([]ed25519.PrivateKey, 0, len(c.Root))
	for _, name := range c.Root {
		key, err := origin.WriteRootKey(name)
		if err != nil {
			return nil, errors.Join(err, c.removeKeys(len(keys)))
		}
		keys = append(keys, key)
	}
	return keys, nil
}

// undo removes the files after a failure, unless there may be a market that they are for.
func (c marketInitCmd) undo(ctx context.Context, a *app.App) error {
	if is, err := a.Market.Exists(ctx); is || err != nil {
		return errors.Join(err, errors.New("the files with the root keys were left: there may be a market that needs them"))
	}
	return c.removeKeys(len(c.Root))
}

// removeKeys removes the first n files, which this command wrote.
func (c marketInitCmd) removeKeys(n int) error {
	var all []error
	for _, name := range c.Root[:n] {
		all = append(all, os.Remove(name))
	}
	return errors.Join(all...)
}

type marketRenewCmd struct {
	datafolder.Folder

	Root []string `type:"existingfile"`
}

// Run signs the next root.
func (c marketRenewCmd) Run(ctx context.Context, std streams) error {
	keys := make([]ed25519.PrivateKey, len(c.Root))
	for i, name := range c.Root {
		var err error
		if keys[i], err = origin.ReadRootKey(name); err != nil {
			return err
		}
	}
	return with(ctx, std, c.Folder, func(a *app.App) error {
		root, err := a.Market.Renew(asOperator(ctx), keys)
		if err != nil {
			return explain(err)
		}
		fmt.Fprintf(std.out, "renewed: root %d, which ends %s\n", root.Version, root.ExpiresAt.Format(time.RFC3339))
		return nil
	})
}
