package main

import (
	"context"
	"fmt"

	"stoa/internal/app"
	"stoa/internal/app/datafolder"
)

type adminResetFactorCmd struct {
	datafolder.Folder

	Email string
}

// Run removes the second factors at once: whoever has the machine needs no day of delay.
func (c adminResetFactorCmd) Run(ctx context.Context, std streams) error {
	ctx = asOperator(ctx)
	return with(ctx, std, c.Folder, func(a *app.App) error {
		u, err := a.Accounts.ResetFactors(ctx, c.Email)
		if err != nil {
			return explain(err)
		}
		fmt.Fprintf(std.out, "removed the second factors of %s (%s): the password alone signs in\n", u.Email, u.ID)
		return nil
	})
}
