package plugin

import (
	"context"
	"errors"
	"regexp"
	"slices"
	"strings"

	"stoa/internal/base/errs"
	"stoa/internal/base/event"
	"stoa/internal/extension/manifest"
	"stoa/internal/message/delivery"
)

// Events say which events a plugin wants, and where.
type Events struct {
	Subscribe []string `json:"subscribe"` // patterns, see event.IsPattern
	Path      string   `json:"path"`      // the plugin's own, such as /events
}

// Any reports whether a plugin wants events.
func (e Events) Any() bool { return len(e.Subscribe) > 0 }

const (
	maxSubscriptions = 64
	maxEventsPath    = 256
)

// eventsPathRE allows only segments that every server reads in the same way, because
// clients must not reach the path.
var eventsPathRE = regexp.MustCompile(`^(/[A-Za-z0-9_-][A-Za-z0-9._~-]*)+$`)

func parseEvents(o manifest.Object, declared []string) Events {
	c, ok := o.Child("events")
	if !ok {
		return Events{}
	}
	var e Events
	c.EachText("subscribe", func(i int, pattern string) {
		switch {
		case i == maxSubscriptions:
			c.Fault("subscribe", errs.CodeOutOfRange, "must have at most %d entries.", maxSubscriptions)
		case !event.IsPattern(pattern):
			c.Fault(manifest.Item("subscribe", i), errs.CodeInvalid,
				"must be the type of an event, such as order.paid, or the beginning of types, such as order.*")
		}
		e.Subscribe = append(e.Subscribe, pattern)
	})
	if e.Path, ok = c.Require("path"); ok && !isEventsPath(e.Path) {
		c.Fault("path", errs.CodeInvalid, "must be a path such as /events, of letters, digits and hyphens, "+
			"and neither /health, nor / itself, nor below /__lifecycle.")
	}
	if e.Any() && !slices.Contains(declared, PermissionSubscribe) {
		c.Fault("subscribe", errs.CodeInvalid, "needs the permission %s among those that the manifest declares.",
			PermissionSubscribe)
	}
	return e
}

func isEventsPath(path string) bool {
	first, _, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	return len(path) <= maxEventsPath && eventsPathRE.MatchString(path) &&
		!strings.EqualFold(path, "/health") && !strings.EqualFold(first, "__lifecycle")
}

// Subscribes reports whether an instance, if it is enabled, is told of events of a type: its manifest asks for
// them, and the permission is effective.
func (in Installed) Subscribes(t event.Type) bool {
	return t.Matches(in.Package.Manifest.Events.Subscribe) && slices.Contains(in.Permissions(), PermissionSubscribe)
}

// Subscribed implements delivery.Subscribers for the instances of plugins.
func (s *Service) Subscribed(ctx context.Context, events []event.Event) ([]delivery.Delivery, error) {
	found, err := s.Store.Subscribers(ctx)
	if err != nil {
		return nil, err
	}
	var list []delivery.Delivery
	found = s.running(found)
	for _, e := range events {
		for _, f := range found {
			in := Installed{Package: f.Package, Instance: f.Instance.Instance}
			if !in.Subscribes(e.Type) {
				continue
			}
			d, err := delivery.OfEvent(s.now(), delivery.Event, in.Instance.ID, e)
			if err != nil {
				return nil, err
			}
			d.Owner = in.Package.Manifest.Slug
			list = append(list, d)
		}
	}
	return list, nil
}

// ErrNotSubscribed says that an instance no longer gets an event: it is disabled or gone,
// or lost the permission.
var ErrNotSubscribed = errors.New("plugin: the instance does not subscribe to the event")

// EventCall returns the instance that is to get an event now, and the secrets that sign
// the request. The error is ErrNotSubscribed if it is no longer to get it.
func (s *Service) EventCall(ctx context.Context, d delivery.Delivery) (Installed, []string, error) {
	in, err := s.ByInstallation(ctx, d.Target)
	if errs.KindOf(err) == errs.NotFound || err == nil && !in.Subscribes(event.Type(d.Name)) {
		return Installed{}, nil, ErrNotSubscribed
	} else if err != nil {
		return Installed{}, nil, err
	}
	secrets, err := s.SigningSecrets(ctx, in.Package.Manifest.Slug)
	if errs.KindOf(err) == errs.NotFound {
		return Installed{}, nil, ErrNotSubscribed
	}
	return in, secrets, err
}
