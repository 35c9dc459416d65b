package main

import (
	"context"
	"fmt"

	"stoa/internal/app"
	"stoa/internal/app/datafolder"
)

type adminPromoteCmd struct {
	datafolder.Folder

	Email string
}

// Run gives the user the role ADMIN. Doing it again changes nothing.
func (c adminPromoteCmd) Run(ctx context.Context, std streams) error {
	ctx = asOperator(ctx)
	return with(ctx, std, c.Folder, func(a *app.App) error {
		u, err := a.Accounts.Promote(ctx, c.Email)
		if err != nil {
			return explain(err)
		}
		fmt.Fprintf(std.out, "%s (%s) is an administrator\n", u.Email, u.ID)
		if !u.Active {
			fmt.Fprintln(std.out, "the account is deactivated: another administrator must activate it")
		}
		return nil
	})
}
