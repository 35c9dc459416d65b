package main

import (
	"context"
	"fmt"
	"text/tabwriter"
	"time"

	"stoa/internal/account"
	"stoa/internal/app"
)

type keysCmd struct {
	Rotate keysRotateCmd `cmd:"" help:"Let the next key sign, and make another one after it (docs/operating.md)."`
	List   keysListCmd   `cmd:"" help:"List the keys and their stages."`
}

type keysRotateCmd struct {
	storage

	Now bool `help:"Do not wait until the next key has been published for 15 minutes. Services that verify tokens with a copy of the JWKS may refuse new ones until they fetch it again." env:"STOA_KEYS_ROTATE_NOW"`
}

// Run rotates the keys. Not having to is no failure.
func (c keysRotateCmd) Run(ctx context.Context, std streams) error {
	return c.with(ctx, std, func(a *app.App) error {
		r, err := a.Accounts.RotateKeys(asOperator(ctx), c.Now)
		if err != nil {
			return explain(err)
		}
		from := r.NextFrom.Format(time.RFC3339)
		if r.Rotated {
			fmt.Fprintf(std.out, "rotated: %s signs now; running servers notice within a minute\nnext: %s, may sign from %s\n", r.Current, r.Next, from)
		} else {
			fmt.Fprintf(std.out, "not rotated: %s goes on signing; the next key, %s, may sign from %s\n", r.Current, r.Next, from)
		}
		for _, id := range r.Dropped {
			fmt.Fprintf(std.out, "dropped: %s; nothing it signed is valid any more\n", id)
		}
		return nil
	})
}

type keysListCmd struct{ storage }

// Run prints one line a key, the oldest first.
func (c keysListCmd) Run(ctx context.Context, std streams) error {
	return c.with(ctx, std, func(a *app.App) error {
		keys, err := a.Accounts.Keys(ctx)
		if err != nil {
			return err
		}
		tab := tabwriter.NewWriter(std.out, 0, 0, 2, ' ', 0)
		fmt.Fprintln(tab, "KEY\tSTAGE\tSINCE\tTHEN")
		for _, k := range keys {
			then := ""
			switch k.Stage {
			case account.StageNext:
				then = "may sign from " + k.Until.Format(time.RFC3339)
			case account.StageCurrent:
				then = "signs until stoa keys rotate"
			case account.StagePrevious:
				then = "verifies until " + k.Until.Format(time.RFC3339)
			}
			fmt.Fprintf(tab, "%s\t%s\t%s\t%s\n", k.ID, k.Stage, k.Since.Format(time.RFC3339), then)
		}
		return tab.Flush()
	})
}
