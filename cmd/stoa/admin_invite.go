package main

import (
	"context"
	"fmt"
	"strings"

	"stoa/internal/account/invite"
	"stoa/internal/app"
	"stoa/internal/app/datafolder"
	"stoa/internal/base/reqctx"
)

type adminInviteCmd struct {
	datafolder.Folder

	Email     string
	Role      string
	PublicURL string
}

// Run prints the link of an invitation. Nothing is mailed, so that it works where mail does not.
func (c adminInviteCmd) Run(ctx context.Context, std streams) error {
	ctx = asOperator(ctx)
	return with(ctx, std, c.Folder, func(a *app.App) error {
		made, link, err := a.Invitations.Print(ctx, invite.Form{Email: c.Email, Role: reqctx.Role(c.Role)})
		if err != nil {
			return explain(err)
		}
		fmt.Fprintf(std.out, "invited %s to the role %s, until %s. Give them this link, which works once:\n%s\n",
			made.Email, made.Role, made.ExpiresAt.Format("2006-01-02 15:04 UTC"), link)
		return nil
	}, func(cfg *app.Config) { cfg.PublicURL = strings.TrimRight(c.PublicURL, "/") })
}
