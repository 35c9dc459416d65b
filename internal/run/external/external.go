// Package external runs plugins that are separate HTTP services, at the externalBaseUrl of their
// manifest. Package relay passes the requests on. This package chooses the address, and connects
// to no address that is private, loopback or otherwise special, unless the operator has allowed
// its network.
package external

import (
	"cmp"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"time"

	"stoa/internal/extension/plugin"
	"stoa/internal/run"
	"stoa/internal/run/egress"
	"stoa/internal/run/relay"
)

// idleTimeout is shorter than the 5 s after which Node.js closes an idle connection.
const idleTimeout = 4 * time.Second

// Config configures a Runtime. Log is required; the zero value of any other field means its
// default.
type Config struct {
	Log *slog.Logger

	// Allow lists private, loopback or otherwise special networks in which plugins may run
	// (STOA_EXTERNAL_ALLOW).
	Allow []netip.Prefix

	// Resolver looks up the names of plugins, by default as the system does.
	Resolver *net.Resolver

	// FirstByte is how long a plugin may take until its answer begins, by default 30 s
	// (contract 5.7). Waiting for the client's upload does not count.
	FirstByte time.Duration
}

// Runtime passes requests to external plugins. It is safe for concurrent use.
type Runtime struct {
	log       *slog.Logger
	firstByte time.Duration
	transport *relay.Transport
}

var _ run.Runtime = (*Runtime)(nil)

// New returns a Runtime with its own connections. The caller closes it.
func New(cfg Config) *Runtime {
	dialer := &net.Dialer{
		Timeout:   relay.DialTimeout,
		KeepAlive: 30 * time.Second,
		Control:   egress.Guard(cfg.Allow),
		Resolver:  cfg.Resolver,
	}
	return &Runtime{
		log:       cfg.Log,
		firstByte: cmp.Or(cfg.FirstByte, 30*time.Second),
		transport: relay.NewTransport(dialer.DialContext, idleTimeout),
	}
}

// Close closes idle connections.
func (rt *Runtime) Close() { rt.transport.CloseIdleConnections() }

// Serve implements run.Runtime.
func (rt *Runtime) Serve(w http.ResponseWriter, r *http.Request, in *plugin.Installed) error {
	base, err := run.BaseOf(&in.Package.Manifest)
	if err != nil {
		return err
	}
	call := relay.NewCall(w, r)
	defer call.End()
	err = call.Pass(relay.Upstream{
		Transport: rt.transport, Scheme: base.Scheme, Addr: base.Host,
		Host: base.Host, Target: base.Target(r.URL.RequestURI()),
		FirstByte: in.Package.Settings.Timeout(rt.firstByte), Log: rt.log,
	})
	if failed, ok := errors.AsType[*relay.Failure](err); ok {
		return run.ErrUnreachable.Because(failed)
	}
	return err
}
