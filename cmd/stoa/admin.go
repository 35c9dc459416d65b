package main

import (
	"bufio"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os/user"
	"strings"

	"stoa/internal/app"
	"stoa/internal/app/datafolder"
	"stoa/internal/operate/settings"
	"stoa/internal/trust/audit"
)

type adminCmd struct {
	Create        adminCreateCmd        `cmd:"" help:"Create an administrator."`
	Promote       adminPromoteCmd       `cmd:"" help:"Make a user an administrator."`
	ResetPassword adminResetPasswordCmd `cmd:"" help:"Set a new password for a user and end all their sessions."`

	Invite            adminInviteCmd      `cmd:"" help:"Invite somebody to a role, and print the link."`
	ResetSecondFactor adminResetFactorCmd `cmd:"" help:"Remove the second factors of a user who lost them."`
}

type adminCreateCmd struct {
	datafolder.Folder
	settings.Passwords

	Email         string
	Username      string
	PasswordStdin bool
}

// Run creates the administrator and prints a password it made up, once.
func (c adminCreateCmd) Run(ctx context.Context, std streams) error {
	password, made, err := newPassword(std, c.PasswordStdin)
	if err != nil {
		return err
	}
	ctx = asOperator(ctx)
	return with(ctx, std, c.Folder, func(a *app.App) error {
		user, err := a.Accounts.CreateAdmin(ctx, c.Email, c.Username, password)
		if err != nil {
			return explain(err)
		}
		fmt.Fprintf(std.out, "created administrator %s (%s)\n", user.Email, user.ID)
		if made {
			fmt.Fprintf(std.out, "password: %s\n", password)
		}
		return nil
	}, policy(c.Passwords))
}

// policy sets the rules for passwords.
func policy(p settings.Passwords) func(*app.Config) {
	return func(cfg *app.Config) {
		cfg.SignIn.PasswordPolicy, cfg.SignIn.BreachedPasswords = p.PasswordPolicy, p.BreachedPasswords
	}
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
	if password = settings.AdminPassword.Value(); password != "" {
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
