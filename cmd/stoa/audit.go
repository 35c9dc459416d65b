package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"time"

	"stoa/internal/app"
	"stoa/internal/app/datafolder"
	"stoa/internal/trust/audit/export"
)

type auditCmd struct {
	Export auditExportCmd `cmd:"" help:"Write the audit log to standard output as JSON lines, in the order of recording, while stoa runs (docs/monitoring.md)."`
}

type auditExportCmd struct {
	datafolder.Folder

	After int64
	From  time.Time
	To    time.Time
}

// Run exports the audit log.
func (c auditExportCmd) Run(ctx context.Context, std streams) error {
	return with(ctx, std, c.Folder, func(a *app.App) error {
		out := bufio.NewWriter(std.out)
		cursor, n, err := export.Write(ctx, a.AuditLog(), export.Selection{After: c.After, From: c.From, To: c.To}, out)
		if err := errors.Join(err, out.Flush()); err != nil {
			return err
		}
		fmt.Fprintf(std.err, "%d entries; continue with --after %d\n", n, cursor)
		return nil
	})
}
