package main

import (
	"bufio"
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"strings"

	"stoa/internal/app"
)

type adminCmd struct {
	Create adminCreateCmd `cmd:"" help:"Create an administrator."`
}

type adminCreateCmd struct {
	storage

	Email         string `required:"" help:"E-mail address to sign in with." env:"STOA_ADMIN_EMAIL" placeholder:"ADDRESS"`
	Username      string `help:"Name to show; the part of the e-mail address before the @ if left out." env:"STOA_ADMIN_USERNAME"`
	PasswordStdin bool   `help:"Read the password from the first line of standard input. Without it and without STOA_ADMIN_PASSWORD a password is made up and printed." env:"STOA_ADMIN_PASSWORD_STDIN"`
}

// Run creates the administrator and prints a password it made up, once.
func (c adminCreateCmd) Run(ctx context.Context, std streams) error {
	password, made := os.Getenv(envAdminPassword), false
	switch {
	case c.PasswordStdin:
		line, err := bufio.NewReader(std.in).ReadString('\n')
		if err != nil && line == "" {
			return errors.New("no password on standard input")
		}
		password = strings.TrimRight(line, "\r\n")
	case password == "":
		password, made = rand.Text(), true
	}
	name, _, _ := strings.Cut(c.Email, "@")
	return c.with(ctx, std, func(a *app.App) error {
		user, err := a.Accounts.CreateAdmin(ctx, c.Email, cmp.Or(c.Username, name), password)
		if err != nil {
			return explain(err)
		}
		fmt.Fprintf(std.out, "created administrator %s (%s)\n", user.Email, user.ID)
		if made {
			fmt.Fprintf(std.out, "password: %s\n", password)
		}
		return nil
	})
}
