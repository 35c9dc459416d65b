package main

import (
	"context"
	"fmt"
	"log/slog"

	"stoa/internal/app"
)

// offerSetup prints the set-up link while there is no administrator. The token
// stands in the fragment, which browsers do not send (contract 2.8).
// Whoever reads it can become the administrator, so it is worth nothing once
// there is one, and a new start takes the place of it.
func offerSetup(ctx context.Context, a *app.App, publicURL string, log *slog.Logger, std streams) error {
	token, err := a.Accounts.OpenSetup(ctx)
	if err != nil || token == "" {
		return err
	}
	link := publicURL + "/setup#" + token
	log.WarnContext(ctx, "there is no administrator yet: open the set-up link to create one", slog.String("link", link))
	fmt.Fprintf(std.out, "Create the administrator: %s\n", link)
	return nil
}
