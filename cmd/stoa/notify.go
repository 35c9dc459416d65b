package main

import (
	"context"
	"log/slog"
	"net"

	"stoa/internal/operate/settings"
)

// States that stoa reports to the service manager.
const (
	notifyReady    = "READY=1"
	notifyStopping = "STOPPING=1"
)

// notify reports a state to the service manager, by the protocol of sd_notify(3), if there is one. A
// failure is logged: with Type=notify, the service manager will take the start for failed.
func notify(ctx context.Context, log *slog.Logger, state string) {
	path := settings.NotifySocket.Value()
	if path == "" {
		return
	}
	// The net package takes a name that begins with @ for an abstract one, as systemd
	// writes it.
	conn, err := new(net.Dialer).DialContext(context.WithoutCancel(ctx), "unixgram", path)
	if err == nil {
		_, err = conn.Write([]byte(state))
		_ = conn.Close()
	}
	if err != nil {
		log.WarnContext(ctx, "the service manager was not told", slog.String("state", state), slog.Any("err", err))
	}
}
