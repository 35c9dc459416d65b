package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"stoa/internal/base/event"
	"stoa/internal/base/ids"
	"stoa/internal/extension/plugin"
	"stoa/internal/message/delivery"
)

// devCommands is what an author can type.
const devCommands = "event TYPE [JSON], grant, disable, enable, uninstall, restore"

// settleLimit is how long the hooks of an earlier version are waited for before the upgrade.
const settleLimit = 30 * time.Second

// linesOf returns the lines that are typed until ctx is done.
func linesOf(ctx context.Context, in io.Reader) <-chan string {
	lines := make(chan string)
	if in == nil {
		return lines
	}
	go func() {
		for typed := bufio.NewScanner(in); typed.Scan(); {
			select {
			case lines <- strings.TrimSpace(typed.Text()):
			case <-ctx.Done():
				return
			}
		}
	}()
	return lines
}

// obey does what the author typed.
func (d *devLoop) obey(ctx context.Context, line string) error {
	slug := ""
	if p := d.current.Load(); p != nil {
		slug = p.Manifest.Slug
	}
	word, rest, _ := strings.Cut(line, " ")
	switch {
	case word == "":
		return nil
	case d.app == nil || slug == "":
		return fmt.Errorf("the plugin is not loaded yet")
	}
	switch word {
	case "event":
		name, data, _ := strings.Cut(strings.TrimSpace(rest), " ")
		return d.publish(ctx, name, []byte(strings.TrimSpace(data)))
	case "disable", "enable":
		return d.change(ctx, slug, plugin.Input{Enabled: json.RawMessage(strconv.FormatBool(word == "enable"))})
	case "grant":
		all, _ := json.Marshal(d.current.Load().Manifest.Permissions)
		return d.change(ctx, slug, plugin.Input{Granted: all})
	case "uninstall":
		_, err := d.app.Plugins.Uninstall(ctx, slug)
		return err
	case "restore":
		if _, err := d.app.Plugins.Restore(ctx, slug); err != nil {
			return err
		}
		return d.start(ctx, slug, true, time.Now())
	}
	return fmt.Errorf("%q is no command; there are: %s", word, devCommands)
}

// change changes the default instance.
func (d *devLoop) change(ctx context.Context, slug string, to plugin.Input) error {
	in, err := d.app.Plugins.ByKey(ctx, slug, plugin.DefaultInstance)
	if err != nil {
		return err
	}
	_, err = d.app.Plugins.UpdateInstance(ctx, slug, in.Instance.ID, to, nil)
	return err
}

// publishAll publishes the events that the author wants each time.
func (d *devLoop) publishAll(ctx context.Context) error {
	for _, name := range d.events {
		if err := d.publish(ctx, name, nil); err != nil {
			return err
		}
	}
	return nil
}

func (d *devLoop) publish(ctx context.Context, name string, data []byte) error {
	e, err := madeUp(name, data)
	if err != nil {
		return err
	}
	return d.app.Plugins.Store.Publish(ctx, e)
}

// madeUp returns an event of that type, with made-up data unless some is given.
func madeUp(name string, data []byte) (event.Event, error) {
	t := event.Type(name)
	subject, _, _ := strings.Cut(name, ".")
	if !slices.Contains(event.Types, t) && (t.IsPlatforms() || !t.BeginsWith(subject)) {
		known := make([]string, len(event.Types))
		for i, own := range event.Types {
			known[i] = string(own)
		}
		return event.Event{},
			fmt.Errorf("%q is no type of event: stoa's own are %s; those of plugins begin with their slug and a dot",
				name, strings.Join(known, ", "))
	}
	if len(data) > 0 {
		var object map[string]any
		if err := json.Unmarshal(data, &object); err != nil || object == nil {
			return event.Event{}, fmt.Errorf("the data of an event is a JSON object, such as {\"orderId\": \"…\"}")
		}
		return event.Published(time.Now(), t, data), nil
	}
	return event.New(time.Now(), t, namesOf(subject)), nil
}

// namesOf returns made-up ids, as events about a subject have them. They name nothing.
func namesOf(subject string) event.Names {
	switch subject {
	case "user":
		return event.Names{UserID: ids.New()}
	case "order", "license":
		n := event.Names{UserID: ids.New(), LicenseID: ids.New(), ProductID: ids.New()}
		if subject == "order" {
			n.OrderID = ids.New()
		}
		return n
	case "extension":
		return event.Names{Kind: "plugin", Slug: "made-up"}
	case "instance":
		return event.Names{Slug: "made-up", InstallationID: plugin.InstallationID(ids.New())}
	}
	return event.Names{}
}

// settle returns when everything that was due was delivered or has failed.
func (d *devLoop) settle(ctx context.Context) {
	for end := time.Now().Add(settleLimit); time.Now().Before(end); {
		if idle, err := d.app.Idle(ctx, time.Now()); err != nil || idle {
			return
		}
		select {
		case <-time.After(devPoll):
		case <-ctx.Done():
			return
		}
	}
}

// repeat tries again at once what has failed before a change: it may have mended that.
func (d *devLoop) repeat(ctx context.Context, slug string) {
	list, _, err := d.app.Hooks.List(ctx, slug, delivery.Query{State: delivery.Waiting, Limit: 100})
	if err != nil || len(list) == 0 {
		return
	}
	if oldest := list[len(list)-1]; oldest.Tries > 0 {
		_, _ = d.app.Hooks.Replay(ctx, oldest.ID) // it may have been delivered meanwhile
	}
}

// published prints events that were recorded.
func (d *devLoop) published(list []event.Event) {
	for _, e := range list {
		d.console.printf("event %s %s", e.Type, e.Data)
	}
}

// delivered prints attempts to deliver hooks and events to the plugin.
func (d *devLoop) delivered(list []delivery.Settled) {
	for _, s := range list {
		took := s.Attempt.Duration.Round(100 * time.Microsecond)
		switch r := s.Attempt.Result; {
		case r.OK():
			d.console.printf("%d %s %s %s", r.Status, s.Kind, s.Name, took)
		case r.Cancel:
			d.console.printf("not sent: %s %s: %s", s.Kind, s.Name, r.Error)
		default:
			d.console.printf("failed: %s %s, attempt %d: %s; %s", s.Kind, s.Name, s.Attempts, said(r), next(s))
		}
	}
}

// said returns what went wrong.
func said(r delivery.Result) string {
	var body struct{ Error string }
	if json.Unmarshal([]byte(r.Response), &body) == nil && body.Error != "" {
		return body.Error
	}
	if r.Error != "" {
		return r.Error
	}
	return fmt.Sprintf("the answer is %d", r.Status)
}

func next(s delivery.Settled) string {
	if s.State != delivery.Waiting {
		return "it is given up"
	}
	return "again after a change, or in " + time.Until(s.Due).Round(time.Second).String()
}
