package main

import (
	"context"
	"fmt"

	"stoa/internal/app"
	"stoa/internal/app/datafolder"
	"stoa/internal/operate/settings"
)

type adminResetPasswordCmd struct {
	datafolder.Folder
	settings.Passwords

	Email         string
	PasswordStdin bool
}

// Run replaces the password with one for a single sign-in, and prints it if it made it up.
func (c adminResetPasswordCmd) Run(ctx context.Context, std streams) error {
	ctx = asOperator(ctx)
	password, made, err := newPassword(std, c.PasswordStdin)
	if err != nil {
		return err
	}
	return with(ctx, std, c.Folder, func(a *app.App) error {
		u, err := a.Accounts.ReplacePassword(ctx, c.Email, password)
		if err != nil {
			return explain(err)
		}
		fmt.Fprintf(std.out, "new password for %s (%s); all sessions have ended\n", u.Email, u.ID)
		fmt.Fprint(std.out,
			"It signs in once, and is gone then. Within 10 minutes of that sign-in, set the next password on\n"+
				"the account page (/account/sign-in), or with POST /auth/password (docs/operating.md).\n"+
				"If that session is lost, use \"Forgot your password?\" (needs mail), or run this command again.\n")
		if made {
			fmt.Fprintf(std.out, "password: %s\n", password)
		}
		return nil
	}, policy(c.Passwords))
}
