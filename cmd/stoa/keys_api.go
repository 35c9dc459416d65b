package main

import (
	"context"
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"stoa/internal/account/apikey"
	"stoa/internal/app"
	"stoa/internal/app/datafolder"
	"stoa/internal/base/permission"
)

type keysAPICmd struct {
	List   keysAPIListCmd   `cmd:"" help:"List the API keys of users and service accounts, without their secrets."`
	Revoke keysAPIRevokeCmd `cmd:"" help:"Revoke an API key, whoever has it. Programs that use it get no answers any more."`
}

type keysAPIListCmd struct {
	datafolder.Folder
}

// keysAtOnce is how many keys are read at once.
const keysAtOnce = 100

// Run prints one line a key, the newest first.
func (c keysAPIListCmd) Run(ctx context.Context, std streams) error {
	return with(ctx, std, c.Folder, func(a *app.App) error {
		tab := tabwriter.NewWriter(std.out, 0, 0, 2, ' ', 0)
		fmt.Fprintln(tab, "KEY\tNAME\tOF\tENDS\tLAST USED\tSCOPES")
		for q := (apikey.Query{Limit: keysAtOnce}); ; q.Offset += q.Limit {
			keys, total, err := a.Keys.List(ctx, q)
			if err != nil {
				return err
			}
			for _, k := range keys {
				fmt.Fprintln(tab, strings.Join(columnsOf(k), "\t"))
			}
			if q.Offset+q.Limit >= total {
				return tab.Flush()
			}
		}
	})
}

func columnsOf(k apikey.Listed) []string {
	at := func(t time.Time) string {
		if t.IsZero() {
			return "never"
		}
		return t.Format(time.RFC3339)
	}
	used := at(k.LastUsedAt)
	if k.LastAddress != "" {
		used += " from " + k.LastAddress
	}
	holder := "user " + k.Holder
	if k.Kind() == apikey.Service {
		holder = "service account " + k.Holder
	}
	scopes := permission.Join(k.Scopes.Names())
	if k.BeyondCreator() {
		scopes += " (its creator's role fell)"
	}
	return []string{k.ID, k.Name, holder, at(k.ExpiresAt), used, scopes}
}

type keysAPIRevokeCmd struct {
	datafolder.Folder

	Key string `arg:"" help:"The key's id, as stoa keys api list shows it: the 12 characters behind stoa_pk_ or stoa_sk_."`
}

// Run revokes a key.
func (c keysAPIRevokeCmd) Run(ctx context.Context, std streams) error {
	return with(ctx, std, c.Folder, func(a *app.App) error {
		if err := a.Keys.Revoke(asOperator(ctx), permission.All(), c.Key); err != nil {
			return explain(err)
		}
		fmt.Fprintf(std.out, "revoked: %s opens nothing now\n", c.Key)
		return nil
	})
}
