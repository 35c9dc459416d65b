package main

import (
	"context"
	"fmt"

	"stoa/internal/app"
)

type adminResetPasswordCmd struct {
	storage
	passwords

	Email         string `required:"" help:"E-mail address of the user." env:"STOA_RESET_EMAIL" placeholder:"ADDRESS"`
	PasswordStdin bool   `help:"Read the password from the first line of standard input. Without it and without STOA_ADMIN_PASSWORD, a password is generated and printed." env:"STOA_RESET_PASSWORD_STDIN"`
}

// Run replaces the password and prints one it made up, once.
func (c adminResetPasswordCmd) Run(ctx context.Context, std streams) error {
	ctx = asOperator(ctx)
	password, made, err := newPassword(std, c.PasswordStdin)
	if err != nil {
		return err
	}
	return c.with(ctx, std, func(a *app.App) error {
		u, err := a.Accounts.ReplacePassword(ctx, c.Email, password)
		if err != nil {
			return explain(err)
		}
		fmt.Fprintf(std.out, "new password for %s (%s); all sessions have ended\n", u.Email, u.ID)
		if made {
			fmt.Fprintf(std.out, "password: %s\n", password)
		}
		return nil
	}, c.apply)
}
