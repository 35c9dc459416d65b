package app

import (
	"cmp"
	"context"
	"net"
	"net/http"
	"time"

	"stoa/internal/message/delivery"
	"stoa/internal/message/webhook"
	"stoa/internal/operate/ops"
	"stoa/internal/run/egress"
	"stoa/internal/run/hook"
	"stoa/internal/store"
)

// How many deliveries run at the same time. Plugins that hang do not delay the others for long:
// each attempt has a time limit, and the next one comes much later.
const (
	pluginWorkers  = 8
	webhookWorkers = 4
)

// webhookIdle is how long an idle connection to a webhook is kept for the next message.
const webhookIdle = 30 * time.Second

// buildDelivery builds the senders of hooks and events to plugins, and of events to operators.
func (a *App) buildDelivery(cfg Config) {
	a.hooks = &hook.Sender{
		Plugins: a.Plugins, Gateway: a.gateway, Internal: a.node, Discard: a.installer.Discard, Log: cfg.Log, Now: cfg.Now,
		Files: cfg.files(), SendLimit: cfg.AnswerLimit, ExportLimit: cfg.AnswerLimit,
	}
	if cfg.Development != nil {
		a.hooks.Delivered = cfg.Development.Delivered
	}
	a.Hooks = &hook.Log{Deliveries: store.NewDeliveries(a.DB), Plugins: a.Plugins, Now: cfg.Now}
	a.Webhooks = &webhook.Service{
		Store: store.NewWebhooks(a.DB), Deliveries: store.NewDeliveries(a.DB),
		Secrets: cfg.MasterKey.Box("webhook.secret"), Now: cfg.Now,
	}
	out := outside(cfg, cmp.Or(cfg.AnswerLimit, delivery.SendTimeout))
	out.MaxIdleConns, out.MaxIdleConnsPerHost, out.IdleConnTimeout, out.DisableCompression = 64, 1, webhookIdle, true
	a.messages = &webhook.Sender{
		Service: a.Webhooks, Agent: "stoa/" + cfg.Version,
		Transport:      out,
		Administrators: buyers{a}, Poster: a.Mail, Log: cfg.Log, SendLimit: cfg.AnswerLimit,
	}
}

// outside returns how stoa connects to servers that others chose: never to addresses that only this machine or its
// network should reach, unless the operator allows them. It has no proxy, which would connect to those all the same.
func outside(cfg Config, timeout time.Duration) *http.Transport {
	dialer := &net.Dialer{Timeout: timeout, Control: egress.Guard(cfg.ExternalAllow)}
	return &http.Transport{
		DialContext: dialer.DialContext, ForceAttemptHTTP2: true, TLSHandshakeTimeout: timeout,
		MaxResponseHeaderBytes: 64 << 10,
	}
}

// watchDeliveries adds the backlog of deliveries to the metrics.
func (a *App) watchDeliveries(now func() time.Time) {
	log := store.NewDeliveries(a.DB)
	a.metrics.WatchDeliveries(func(ctx context.Context) (list []ops.Backlog, err error) {
		for _, lane := range []delivery.Lane{delivery.Plugins, delivery.Webhooks} {
			n, oldest, err := log.Backlog(ctx, lane)
			if err != nil {
				return nil, err
			}
			list = append(list, ops.Backlog{Lane: string(lane), Waiting: n, Oldest: oldest})
		}
		return list, nil
	}, now)
}

// deliver makes deliveries in the background until ctx ends.
func (a *App) deliver(ctx context.Context, cfg Config) {
	outbox := store.NewDeliveries(a.DB)
	fanOut := &delivery.FanOut{
		Store: outbox, Subscribers: []delivery.Subscribers{a.Plugins, a.Webhooks},
		Wake: a.DB.Announced(store.NewEvents), Log: cfg.Log, Now: cfg.Now,
	}
	if cfg.Development != nil {
		fanOut.Subscribers = append(fanOut.Subscribers, cfg.Development)
	}
	a.background.Go(func() { fanOut.Run(ctx) })
	a.background.Go(func() { fanOut.KeepSwept(ctx) })
	plugins := &delivery.Machine{
		Store: outbox, Lane: delivery.Plugins, Sender: a.hooks, Workers: pluginWorkers,
		Wake: a.DB.Announced(store.NewIn(delivery.Plugins)), Log: cfg.Log, Now: cfg.Now,
		Tracer: a.telemetry.Tracer(), SendLimit: cfg.AnswerLimit,
	}
	a.background.Go(func() {
		a.hooks.Clear(ctx) // files that a crash left behind
		plugins.Run(ctx)
	})
	webhooks := &delivery.Machine{
		Store: outbox, Lane: delivery.Webhooks, Sender: a.messages, Workers: webhookWorkers,
		Wake: a.DB.Announced(store.NewIn(delivery.Webhooks)), Log: cfg.Log, Now: cfg.Now,
		Tracer: a.telemetry.Tracer(), SendLimit: cfg.AnswerLimit,
	}
	a.background.Go(func() { webhooks.Run(ctx) })
}
