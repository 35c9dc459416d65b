package app

import (
	"context"
	"log/slog"
	"time"

	"stoa/internal/operate/ops"
	"stoa/internal/store"
	"stoa/internal/trust/audit/export"
)

// AuditLog returns the audit log, to be exported.
func (a *App) AuditLog() export.Log { return store.NewAuditExport(a.DB) }

// streamAudit sends the audit log in the background, if it is to be sent anywhere.
func (a *App) streamAudit(ctx context.Context, cfg Config) {
	if cfg.AuditStream == nil {
		return
	}
	log := store.NewAuditExport(a.DB)
	a.metrics.WatchAuditStream(func() (ops.AuditLag, error) { //nolint:contextcheck // Prometheus asks, whenever it does
		looking, cancel := context.WithTimeout(context.Background(), 2*time.Second)
		defer cancel()
		lag, err := log.Lag(looking, export.StreamName)
		if err != nil {
			cfg.Log.WarnContext(looking, "the lag of the audit stream cannot be read", slog.Any("err", err))
		}
		return ops.AuditLag(lag), err
	})
	stream := &export.Stream{Log: log, Cursors: log, To: cfg.AuditStream, Logger: cfg.Log}
	a.background.Go(func() { stream.Run(ctx) })
}
