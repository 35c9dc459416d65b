package main

import (
	"context"
	"log/slog"
	"net"
	"os"
)

// What stoa tells the service manager.
const (
	notifyReady    = "READY=1"
	notifyStopping = "STOPPING=1"
)

// notify tells the service manager a state, by the protocol of sd_notify(3). It does
// nothing without one. A service manager that cannot be told is logged: with
// Type=notify, it will take the start for failed.
func notify(ctx context.Context, log *slog.Logger, state string) {
	path := os.Getenv("NOTIFY_SOCKET")
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
