package main

import (
	"context"
	"fmt"
	"text/tabwriter"
	"time"

	"stoa/internal/account"
	"stoa/internal/app"
	"stoa/internal/app/datafolder"
	"stoa/internal/market/origin"
	"stoa/internal/shop/license"
	"stoa/internal/trust/keyring"
)

type keysCmd struct {
	Rotate keysRotateCmd `cmd:"" help:"Rotate the keys: the next key starts to sign, and a new next key is created (docs/operating.md)."`
	List   keysListCmd   `cmd:"" help:"List the keys and their stages."`

	Rewrap keysRewrapCmd `cmd:"" help:"Replace the master key while stoa runs: everything that it protects is sealed with a new one (docs/keys.md). Run it again if it was interrupted."`

	API keysAPICmd `cmd:"" name:"api" help:"List and revoke API keys (docs/operating.md)."`

	Withdraw keysWithdrawCmd `cmd:"" help:"Delete all keys of a purpose because they leaked, and create new ones. Withdrawing account keys signs everyone out (docs/operating.md)."`
}

// keyPurpose is the flag of all three commands.
type keyPurpose struct {
	Purpose string
}

type keysRotateCmd struct {
	datafolder.Folder
	keyPurpose

	Now bool
}

// Run rotates the keys. Not having to is no failure.
func (c keysRotateCmd) Run(ctx context.Context, std streams) error {
	return with(ctx, std, c.Folder, func(a *app.App) error {
		if c.Purpose == origin.KeyPurpose.Name {
			if _, err := a.Market.Root(ctx); err != nil {
				return explain(err)
			}
		}
		r, err := a.Ring(c.Purpose).Rotate(asOperator(ctx), c.Now)
		if err != nil {
			return explain(err)
		}
		from := r.NextFrom.Format(time.RFC3339)
		if r.Rotated {
			fmt.Fprintf(std.out, "rotated: %s signs now; running servers notice within a minute\nnext: %s, may sign from %s\n",
				r.Current, r.Next, from)
		} else {
			fmt.Fprintf(std.out, "not rotated: %s keeps signing; the next key, %s, may sign from %s\n", r.Current, r.Next, from)
		}
		for _, id := range r.Dropped {
			fmt.Fprintf(std.out, "dropped: %s; nothing it signed is valid now\n", id)
		}
		return nil
	})
}

type keysWithdrawCmd struct {
	datafolder.Folder
	keyPurpose
}

// Run withdraws the keys.
func (c keysWithdrawCmd) Run(ctx context.Context, std streams) error {
	return with(ctx, std, c.Folder, func(a *app.App) error {
		w, err := a.Ring(c.Purpose).Withdraw(asOperator(ctx))
		if err != nil {
			return explain(err)
		}
		for _, id := range w.Withdrawn {
			fmt.Fprintf(std.out, "withdrawn: %s; nothing it signed is valid now\n", id)
		}
		fmt.Fprintf(std.out, "%s signs now; running servers notice within a minute\nnext: %s\n", w.Current, w.Next)
		switch c.Purpose {
		case account.KeyPurpose.Name:
			fmt.Fprintln(std.out, "Everyone must sign in again.")
		case license.KeyPurpose.Name:
			fmt.Fprintln(std.out, "Apps in use trust the withdrawn keys, not the new ones, until they are updated.")
		case origin.KeyPurpose.Name:
			fmt.Fprintln(std.out, "Nothing is signed until the root names the new keys: run stoa market root renew.")
		}
		return nil
	})
}

type keysListCmd struct {
	datafolder.Folder
	keyPurpose
}

// Run prints one line a key, the oldest first.
func (c keysListCmd) Run(ctx context.Context, std streams) error {
	return with(ctx, std, c.Folder, func(a *app.App) error {
		keys, err := a.Ring(c.Purpose).List(ctx)
		if err != nil {
			return err
		}
		tab := tabwriter.NewWriter(std.out, 0, 0, 2, ' ', 0)
		fmt.Fprintln(tab, "KEY\tSTAGE\tSINCE\tTHEN")
		for _, k := range keys {
			then := ""
			switch k.Stage {
			case keyring.StageNext:
				then = "may sign from " + k.Until.Format(time.RFC3339)
			case keyring.StageCurrent:
				then = "signs until stoa keys rotate"
			case keyring.StagePrevious:
				then = "verifies until " + k.Until.Format(time.RFC3339)
			}
			fmt.Fprintf(tab, "%s\t%s\t%s\t%s\n", k.ID, k.Stage, k.Since.Format(time.RFC3339), then)
		}
		return tab.Flush()
	})
}
