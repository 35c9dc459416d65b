package main

import (
	"context"
	"fmt"

	"stoa/internal/app"
)

type adminPromoteCmd struct {
	storage

	Email string `required:"" help:"E-mail address of the user." env:"STOA_PROMOTE_EMAIL" placeholder:"ADDRESS"`
}

// Run gives the user the role ADMIN. Doing it again changes nothing.
func (c adminPromoteCmd) Run(ctx context.Context, std streams) error {
	ctx = asOperator(ctx)
	return c.with(ctx, std, func(a *app.App) error {
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
