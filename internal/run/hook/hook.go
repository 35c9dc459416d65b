// Package hook delivers lifecycle hooks and subscribed events to plugins, and lists those
// deliveries for administrators. Package delivery decides when to send, package plugin what;
// package gateway signs.
package hook

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"time"

	"stoa/internal/base/errs"
	"stoa/internal/extension/manifest"
	"stoa/internal/extension/plugin"
	"stoa/internal/message/delivery"
	"stoa/internal/run"
	"stoa/internal/run/gateway"
)

// lifecyclePath is where external plugins serve hooks (contract 6.2). Package
// gateway keeps clients away from it.
const lifecyclePath = "/__lifecycle/"

// Internal calls the hooks of internal plugins: a *node.Runtime.
type Internal interface {
	// Lifecycle returns the runtime that calls the hooks of an instance. live is the running
	// instance, or nil.
	Lifecycle(live *plugin.Installed) run.Runtime
}

// Sender implements delivery.Sender for installations. Create it as a literal with all
// fields that do not say otherwise.
type Sender struct {
	Plugins  *plugin.Service
	Gateway  *gateway.Gateway
	Internal Internal
	Discard  func(ctx context.Context, places ...string) // removes package files
	Log      *slog.Logger
	Now      func() time.Time

	// SendLimit is delivery.Machine's; ExportLimit takes the place of ExportTimeout. 0 means the usual.
	SendLimit, ExportLimit time.Duration

	// Files returns an instance with the files that it runs from now on. If nil, those that are recorded.
	Files func(plugin.Installed) plugin.Installed
	// Delivered is called with what was sent. If nil, it is not called.
	Delivered func([]delivery.Settled)
}

var _ delivery.Sender = (*Sender)(nil)

// Send implements delivery.Sender.
func (s *Sender) Send(ctx context.Context, d delivery.Delivery) delivery.Result {
	req, rt, err := s.prepare(ctx, d)
	switch {
	case errors.Is(err, plugin.ErrNoHook), errors.Is(err, plugin.ErrNotSubscribed):
		return delivery.Result{Cancel: true, Error: err.Error()}
	case err != nil:
		s.Log.WarnContext(ctx, "cannot prepare a delivery to a plugin",
			slog.String("deliveryId", d.ID), slog.Any("err", err))
		return delivery.Result{Error: "stoa could not send it; see its log"}
	}
	res, err := s.Gateway.Deliver(ctx, rt, req, delivery.MaxResponse)
	switch {
	case err != nil:
		return delivery.Result{Error: reason(err)}
	case res.Status == 0:
		return delivery.Result{Error: "no answer within " + s.sendLimit().String()}
	}
	return delivery.ResultOf(res.Status, res.Header, res.Body, s.Now())
}

// sendLimit is how long an attempt may take.
func (s *Sender) sendLimit() time.Duration { return cmp.Or(s.SendLimit, delivery.SendTimeout) }

// prepare returns the request of a delivery and the runtime that gets it.
func (s *Sender) prepare(ctx context.Context, d delivery.Delivery) (gateway.Request, run.Runtime, error) {
	n := gateway.Request{ID: d.ID, Attempt: d.Attempts + 1}
	if d.Kind == delivery.Event {
		in, secrets, err := s.Plugins.EventCall(ctx, d)
		if err != nil {
			return n, nil, err
		}
		n.In, n.Secrets, n.Path, n.Body = s.withFiles(in), secrets, in.Package.Manifest.Events.Path, []byte(d.Payload)
		return n, s.Gateway.Runtimes[in.Package.Manifest.RuntimeType], nil
	}
	call, err := s.Plugins.HookCall(ctx, d)
	if err != nil {
		return n, nil, err
	}
	n.In, n.Secrets, n.Path, n.Body = s.withFiles(call.Installed), call.Secrets, lifecyclePath+d.Name, call.Body
	n.Life = s.sendLimit()
	if call.Live != nil {
		live := s.withFiles(*call.Live)
		call.Live = &live
	}
	if n.In.Package.Manifest.RuntimeType == plugin.Internal {
		return n, s.Internal.Lifecycle(call.Live), nil
	}
	return n, s.Gateway.Runtimes[plugin.External], nil
}

func (s *Sender) withFiles(in plugin.Installed) plugin.Installed {
	if s.Files == nil {
		return in
	}
	return s.Files(in)
}

// reason returns why there is no answer, for administrators.
func reason(err error) string {
	e, ok := errors.AsType[*errs.Error](err)
	if !ok {
		return err.Error()
	}
	if cause := errors.Unwrap(e); cause != nil {
		return e.Message + " " + cause.Error()
	}
	return e.Message
}

// Settled implements delivery.Sender. It removes the files of purged packages after the last
// hook that needed them.
func (s *Sender) Settled(ctx context.Context, settled []delivery.Settled) {
	if s.Delivered != nil {
		s.Delivered(settled)
	}
	for _, d := range settled {
		if d.Keeps != "" && d.State != delivery.Waiting {
			s.Clear(ctx)
			return
		}
	}
}

// Clear removes files of purged packages that no hook needs any longer.
func (s *Sender) Clear(ctx context.Context) {
	paths, err := s.Plugins.Clear(ctx)
	if err != nil {
		if ctx.Err() == nil { // else stoa stops
			s.Log.WarnContext(ctx, "cannot remove the files of purged plugins", slog.Any("err", err))
		}
		return
	}
	if len(paths) > 0 {
		s.Discard(ctx, paths...)
	}
}

// Log shows administrators the deliveries of hooks and events to plugins, and replays them.
// Create it as a literal with all fields.
type Log struct {
	Deliveries delivery.Log
	Plugins    *plugin.Service
	Now        func() time.Time
}

// ErrNoDelivery is returned for an unknown delivery.
var ErrNoDelivery = errs.New(errs.NotFound, "NOT_FOUND", "There is no such delivery.")

// List returns one page of the deliveries to the instances of a package, newest first, and the
// total on all pages. Deliveries of an uninstalled or purged package are included as long as
// they are kept. The error is plugin.ErrNotFound if there is neither a package nor a delivery.
func (l *Log) List(ctx context.Context, slug string, q delivery.Query) ([]delivery.Listed, int, error) {
	if !manifest.IsSlug(slug) {
		return nil, 0, plugin.ErrNotFound
	}
	q.Lane, q.Owner = delivery.Plugins, slug
	list, total, err := l.Deliveries.List(ctx, q)
	if err != nil || total > 0 {
		return list, total, err
	}
	if _, err := l.Plugins.Get(ctx, slug); err == nil {
		return list, 0, nil
	}
	_, any, err := l.Deliveries.List(ctx, delivery.Query{Lane: delivery.Plugins, Owner: slug, Limit: 1})
	if err == nil && any == 0 {
		err = plugin.ErrNotFound
	}
	return list, 0, err
}

// ListAll is List for the instances of all packages, or of the package q.Owner.
func (l *Log) ListAll(ctx context.Context, q delivery.Query) ([]delivery.Listed, int, error) {
	q.Lane = delivery.Plugins
	return l.Deliveries.List(ctx, q)
}

// ReplayAllDead is ReplayDead for all packages.
func (l *Log) ReplayAllDead(ctx context.Context, since time.Time) (int, error) {
	return l.Deliveries.ReplayDead(ctx, "", since, l.now())
}

// Replay sends a delivery again, whatever its state: now, unless earlier deliveries to its
// instance wait. The error is ErrNoDelivery.
func (l *Log) Replay(ctx context.Context, id string) (delivery.Listed, error) {
	err := l.Deliveries.Replay(ctx, delivery.Plugins, id, l.now())
	if errs.KindOf(err) == errs.NotFound {
		return delivery.Listed{}, ErrNoDelivery
	} else if err != nil {
		return delivery.Listed{}, err
	}
	return l.Deliveries.Find(ctx, delivery.Plugins, id)
}

// ReplayDead sends again, in order, all dead deliveries of a package that were recorded since
// the given time, and returns their number. The error is plugin.ErrNotFound as for List.
func (l *Log) ReplayDead(ctx context.Context, slug string, since time.Time) (int, error) {
	if _, _, err := l.List(ctx, slug, delivery.Query{Limit: 1}); err != nil {
		return 0, err
	}
	return l.Deliveries.ReplayDead(ctx, slug, since, l.now())
}

func (l *Log) now() time.Time { return l.Now().UTC().Truncate(time.Millisecond) }
