package main

import (
	"bufio"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"os/user"
	"strings"

	"stoa/internal/app"
	"stoa/internal/trust/audit"
)

type adminCmd struct {
	Create        adminCreateCmd        `cmd:"" help:"Create an administrator."`
	Promote       adminPromoteCmd       `cmd:"" help:"Make a user an administrator."`
	ResetPassword adminResetPasswordCmd `cmd:"" help:"Set a new password for a user and end all their sessions."`
}

type adminCreateCmd struct {
	storage
	passwords

	Email         string `required:"" help:"E-mail address to sign in with." env:"STOA_ADMIN_EMAIL" placeholder:"ADDRESS"`
	Username      string `help:"Display name. Without it: the part of the e-mail address before the @." env:"STOA_ADMIN_USERNAME"`
	PasswordStdin bool   `help:"Read the password from the first line of standard input. Without it and without STOA_ADMIN_PASSWORD, a password is generated and printed." env:"STOA_ADMIN_PASSWORD_STDIN"`
}

// Run creates the administrator and prints a password it made up, once.
func (c adminCreateCmd) Run(ctx context.Context, std streams) error {
	password, made, err := newPassword(std, c.PasswordStdin)
	if err != nil {
		return err
	}
	ctx = asOperator(ctx)
	return c.with(ctx, std, func(a *app.App) error {
		user, err := a.Accounts.CreateAdmin(ctx, c.Email, c.Username, password)
		if err != nil {
			return explain(err)
		}
		fmt.Fprintf(std.out, "created administrator %s (%s)\n", user.Email, user.ID)
		if made {
			fmt.Fprintf(std.out, "password: %s\n", password)
		}
		return nil
	}, c.apply)
}

// newPassword returns the first line of standard input, else
// STOA_ADMIN_PASSWORD, else a password it makes up, which is to be printed.
func newPassword(std streams, fromStdin bool) (password string, made bool, err error) {
	if fromStdin {
		line, err := bufio.NewReader(std.in).ReadString('\n')
		if err != nil && line == "" {
			return "", false, errors.New("no password on standard input")
		}
		return strings.TrimRight(line, "\r\n"), false, nil
	}
	if password = os.Getenv(envAdminPassword); password != "" {
		return password, false, nil
	}
	return rand.Text(), true, nil
}

// asOperator returns a context in which the audit log names the user of this
// machine who gave the command.
func asOperator(ctx context.Context) context.Context {
	who := audit.Actor{Kind: audit.CLI, ID: "unknown"}
	if u, err := user.Current(); err == nil {
		who.ID = u.Username
	}
	return audit.As(ctx, who)
}
