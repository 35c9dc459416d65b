package plugin

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"stoa/internal/base/errs"
	"stoa/internal/base/event"
	"stoa/internal/extension"
	"stoa/internal/message/delivery"
)

// The lifecycle hooks (contract 6.1).
const (
	OnInstall   = "onInstall"
	OnEnable    = "onEnable"
	OnDisable   = "onDisable"
	OnUninstall = "onUninstall"
	OnUpgrade   = "onUpgrade"
)

// effects collects what a change causes: hooks of its instances, and events. The
// transaction of the change records it (contract 6.2 and 7.4).
type effects struct {
	s      *Service
	hooks  []delivery.Delivery
	events []event.Event
}

func (s *Service) newEffects() *effects { return &effects{s: s} }

// record adds the effects to the transaction of st.
func (e *effects) record(ctx context.Context, st Store) error {
	if err := st.AddDeliveries(ctx, e.hooks); err != nil {
		return err
	}
	return st.Publish(ctx, e.events...)
}

// extension adds an event about a package.
func (e *effects) extension(t event.Type, p Package) {
	e.events = append(e.events, event.New(e.s.now(), t, event.Names{
		Kind: string(extension.Plugin), Slug: p.Manifest.Slug,
	}))
}

// instance adds the event that an instance was enabled or disabled.
func (e *effects) instance(t event.Type, in Instance) {
	e.events = append(e.events, event.New(e.s.now(), t, event.Names{Slug: in.Slug, InstallationID: in.ID}))
}

// begins adds the hooks and events of a new instance.
func (e *effects) begins(p Package, in StoredInstance) {
	e.hook(p, in, OnInstall, "")
	if in.Enabled {
		e.enables(p, in)
	}
}

// enables and disables tell no hook while a license keeps the package from running: instances were told
// that they are disabled, and are told once it holds again. What was recorded decides, and not the clock, because
// Lapse and Return go by it: so what instances were told last is always true, or is put right within seconds.
func (e *effects) enables(p Package, in StoredInstance) {
	if p.License.State != licenseLapsed {
		e.hook(p, in, OnEnable, "")
	}
	e.instance(event.InstanceEnabled, in.Instance)
}

func (e *effects) disables(p Package, in StoredInstance) {
	if p.License.State != licenseLapsed {
		e.hook(p, in, OnDisable, "")
	}
	e.instance(event.InstanceDisabled, in.Instance)
}

// ends adds the hooks and events of a deleted instance. It takes the instance as it was before.
func (e *effects) ends(p Package, in StoredInstance) {
	if in.Enabled {
		e.disables(p, in)
	}
	e.hook(p, in, OnUninstall, "")
}

// hookPayload is what a hook says of its instance at the time of the change. The config
// stays sealed.
type hookPayload struct {
	Slug            string   `json:"pluginSlug"`
	Key             string   `json:"instanceKey"`
	Version         int64    `json:"version"`
	Granted         []string `json:"granted"`
	Sealed          string   `json:"config,omitempty"`
	PreviousVersion string   `json:"previousVersion,omitempty"`
	Reason          string   `json:"reason,omitempty"`
}

// hook adds a hook of an instance, if the manifest asks for it.
func (e *effects) hook(p Package, in StoredInstance, name, previousVersion string) {
	e.hookFor(p, in, name, hookPayload{PreviousVersion: previousVersion})
}

// hookFor is hook that says why, in say.
func (e *effects) hookFor(p Package, in StoredInstance, name string, say hookPayload) {
	if !p.Manifest.Lifecycle[name] {
		return
	}
	d := delivery.New(e.s.now(), delivery.Hook, in.ID, name)
	say.Slug, say.Key, say.Version, say.Granted, say.Sealed = p.Manifest.Slug, in.Key, in.Version, in.Granted, in.Sealed
	payload, _ := json.Marshal(say) // texts and numbers only
	d.Owner, d.Keeps, d.Payload = p.Manifest.Slug, p.ID, string(payload)
	e.hooks = append(e.hooks, d)
}

// HookCall is all it takes to call a hook.
type HookCall struct {
	// Installed is the instance as it was at the time of the change, without the permissions
	// that were withdrawn since, with its package as it is now, or as it was when it was purged.
	Installed Installed
	Secrets   []string // that sign the request
	Body      json.RawMessage

	// Live is the instance as it is now if it runs, so that its process can take the call. nil
	// if the plugin serves nobody.
	Live *Installed
}

// ErrNoHook says that a hook can no longer be called: nothing is left of its package.
var ErrNoHook = errors.New("plugin: nothing is left of the package")

// HookCall returns what it takes to call a hook now, which may be long after its instance
// was deleted. The error is ErrNoHook if its package was purged and what hooks need was
// not kept: the hook was dead by then.
func (s *Service) HookCall(ctx context.Context, d delivery.Delivery) (HookCall, error) {
	var payload hookPayload
	if err := json.Unmarshal([]byte(d.Payload), &payload); err != nil {
		return HookCall{}, fmt.Errorf("plugin: hook %s: %w", d.ID, err)
	}
	had, err := s.Store.Remains(ctx, d.Keeps, d.Target)
	if errs.KindOf(err) == errs.NotFound {
		return HookCall{}, ErrNoHook
	} else if err != nil {
		return HookCall{}, err
	}
	then := had.Instance
	then.ID, then.Slug, then.Key, then.Version = d.Target, payload.Slug, payload.Key, payload.Version
	then.Granted, then.Sealed = payload.Granted, payload.Sealed
	if had.Instance.ID != "" { // it was not purged
		then.Granted = stillGranted(payload.Granted, had.Instance.Instance)
	}
	call := HookCall{}
	if call.Installed, err = s.opened(had.Package, then, nil); err != nil {
		return HookCall{}, err
	}
	if call.Secrets, err = s.secretsOf(had.Secret, payload.Slug); err != nil {
		return HookCall{}, err
	}
	if had.Instance.Enabled && !had.Package.License.LapsedAt(s.now()) {
		live, err := s.opened(had.Package, had.Instance, nil)
		if err != nil {
			return HookCall{}, err
		}
		call.Live = &live
	}
	call.Body, err = hookBody(call.Installed.Instance, payload)
	return call, err
}

// stillGranted returns those of the permissions that the instance has now. A hook may be repeated for
// hours, or replayed: by failing on purpose, a plugin could keep what an administrator has withdrawn.
func stillGranted(permissions []string, now Instance) []string {
	return slices.DeleteFunc(slices.Clone(permissions), func(p string) bool { return !slices.Contains(now.Granted, p) })
}

// HoldHook returns an instance as the holder of a hook's token that was made with these permissions.
func (in Installed) HoldHook(permissions []string) Installed {
	in.Instance.Granted = stillGranted(permissions, in.Instance)
	return in
}

// hookBody returns the body of a hook (contract 6.3).
func hookBody(in Instance, payload hookPayload) (json.RawMessage, error) {
	config := in.Config
	if len(config) == 0 {
		config = json.RawMessage(`{}`)
	}
	return json.Marshal(struct {
		InstallationID  string          `json:"installationId"`
		PluginSlug      string          `json:"pluginSlug"`
		InstanceKey     string          `json:"instanceKey"`
		Config          json.RawMessage `json:"config"`
		PreviousVersion string          `json:"previousVersion,omitempty"`
		Reason          string          `json:"reason,omitempty"`
	}{in.ID, in.Slug, in.Key, config, payload.PreviousVersion, payload.Reason})
}

// Clear forgets purged packages that no hook needs any more, and returns the paths of
// their files, to be removed.
func (s *Service) Clear(ctx context.Context) (paths []string, err error) {
	return s.Store.DropRemains(ctx)
}

// Trouble is a hook of an instance that has failed.
type Trouble struct {
	Hook  string
	Error string // of the last attempt
	Tries int
	Dead  bool // it is not tried again unless it is replayed
}

// Warnings returns what is wrong with the hooks of instances, by id, in words for
// administrators. The others have none.
func (s *Service) Warnings(ctx context.Context, installationIDs []string) (map[string]string, error) {
	troubles, err := s.Store.Troubles(ctx, installationIDs)
	if err != nil {
		return nil, err
	}
	warnings := make(map[string]string, len(troubles))
	for id, t := range troubles {
		next := "stoa tries again"
		if t.Dead {
			next = "stoa has given it up; replay it once the plugin is mended"
		}
		warnings[id] = fmt.Sprintf("The hook %s has failed %d times (%s): %s.", t.Hook, t.Tries, t.Error, next)
		switch t.Tries {
		case 0:
			warnings[id] = fmt.Sprintf("The hook %s has waited behind others for too long: %s.", t.Hook, next)
		case 1:
			warnings[id] = fmt.Sprintf("The hook %s has failed (%s): %s.", t.Hook, t.Error, next)
		}
	}
	return warnings, nil
}
