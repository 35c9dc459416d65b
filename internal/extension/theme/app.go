package theme

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"strings"

	"stoa/internal/base/errs"
)

// App is a version of a theme app as it runs, with a config.
type App struct {
	Version Version

	// Config is a JSON object with the values of secret fields in the clear, or nil.
	// Never log it.
	Config json.RawMessage

	// Sealed identifies the config without revealing it: the same text is the same
	// config.
	Sealed string

	// Token is what the app calls plugins with (x-theme-app-token). Never log it.
	Token string
}

// Key names what runs. Apps of one key are served by one process. It reveals nothing of
// the token, and changes with it: an app that has an old token is replaced.
func (a App) Key() string {
	token := sha256.Sum256([]byte(a.Token))
	return a.Version.ID + "/" + a.Version.ZipHash + "/" + a.Sealed + "/" + hex.EncodeToString(token[:6])
}

// Theme names the theme of which a is a version.
func (a App) Theme() string { return string(a.Version.Target()) + "/" + a.Version.Manifest.Slug }

// BasePath returns where a theme app of that slug is served, without a slash at the
// end.
func BasePath(target Target, slug string) string { return "/theme-app/" + string(target) + "/" + slug }

// Apps runs theme apps.
type Apps interface {
	// Prepare starts an app, unless it runs, and returns nil when its health check has
	// answered 2xx. The error explains to an administrator why it did not. It may be repeated.
	Prepare(ctx context.Context, a App) error
}

// tokenPrefix lets people recognize a token.
const tokenPrefix = "stoa_app_"

// token returns the token of an installed version. It can be computed wherever the
// master key is, so every replica gives the same one and none stores it.
func (s *Service) token(versionID string) string { return tokenBy(s.TokenKeys.Sealing(), versionID) }

// isToken reports whether token returned text for that version, with any of the keys.
func (s *Service) isToken(text, versionID string) bool {
	for _, key := range s.TokenKeys.All() {
		if hmac.Equal([]byte(text), []byte(tokenBy(key, versionID))) {
			return true
		}
	}
	return false
}

func tokenBy(key []byte, versionID string) string {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(versionID))
	return tokenPrefix + versionID + "_" + base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// IsAppToken reports whether a text is the token of a theme app that is installed.
// Installed again, an app has another token.
func (s *Service) IsAppToken(ctx context.Context, text string) (bool, error) {
	rest, ok := strings.CutPrefix(text, tokenPrefix)
	if !ok {
		return false, nil
	}
	id, _, _ := strings.Cut(rest, "_")
	if !s.isToken(text, id) {
		return false, nil // before the database is asked
	}
	kind, err := s.Store.FindKind(ctx, id)
	if errs.KindOf(err) == errs.NotFound {
		return false, nil
	}
	return err == nil && IsApp(kind), err
}

// ActiveApp returns the theme app that a target shows; ok is false if it shows a pack
// or the built-in theme.
func (s *Service) ActiveApp(ctx context.Context, target Target) (a App, ok bool, err error) {
	const attempts = 3
	for range attempts {
		state, err := s.Store.State(ctx, target)
		if err != nil || state.Active == (Choice{}) {
			return App{}, false, err
		}
		a, found, err := s.appOf(ctx, target, state.Active)
		if err != nil || found {
			return a, found && IsApp(a.Version.Kind), err
		}
		// Meanwhile another theme was activated, and this one uninstalled.
	}
	return App{}, false, nil
}

// FindApp returns what is served at a theme app's address: the version and config that
// its target shows, or of an app that is not active the highest version with its
// DefaultConfig. The error is ErrNotFound if no app of that slug is installed.
func (s *Service) FindApp(ctx context.Context, target Target, slug string) (App, error) {
	state, err := s.Store.State(ctx, target)
	if err != nil {
		return App{}, err
	}
	if state.Active.Slug == slug {
		a, found, err := s.appOf(ctx, target, state.Active)
		if err != nil || found && IsApp(a.Version.Kind) {
			return a, err
		}
	}
	v, err := s.find(ctx, target, slug, "")
	if err != nil {
		return App{}, err
	}
	if !IsApp(v.Kind) {
		return App{}, ErrNotFound
	}
	return App{Version: v, Config: v.Manifest.DefaultConfig, Token: s.token(v.ID)}, nil
}

// appOf returns the version and config of a choice as an App, whatever its kind. found
// is false if the version was uninstalled since the choice was read.
func (s *Service) appOf(ctx context.Context, target Target, c Choice) (a App, found bool, err error) {
	applied, err := s.applied(ctx, target, c)
	if err != nil || applied == nil {
		return App{}, false, err
	}
	v := applied.Version
	return App{Version: v, Config: applied.Config, Sealed: c.Sealed, Token: s.token(v.ID)}, true, nil
}

// ActiveApps returns the theme apps that the targets show, to be kept running.
func (s *Service) ActiveApps(ctx context.Context) ([]App, error) {
	var all []App
	for _, target := range []Target{Shop, Admin} {
		a, ok, err := s.ActiveApp(ctx, target)
		if err != nil {
			return nil, err
		}
		if ok {
			all = append(all, a)
		}
	}
	return all, nil
}

// LiveApps returns which of those apps may run: those whose version is installed as it
// was. The keys are App.Key.
func (s *Service) LiveApps(ctx context.Context, apps []App) (map[string]bool, error) {
	live := make(map[string]bool)
	for _, a := range apps {
		m := a.Version.Manifest
		p, err := s.Store.FindPlace(ctx, a.Version.Target(), m.Slug, m.Version)
		if errs.KindOf(err) == errs.NotFound {
			continue
		} else if err != nil {
			return nil, err
		}
		if p.ID == a.Version.ID && p.ZipHash == a.Version.ZipHash {
			live[a.Key()] = true
		}
	}
	return live, nil
}
