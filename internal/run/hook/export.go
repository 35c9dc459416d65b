package hook

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"iter"
	"log/slog"
	"net/http"
	"strconv"
	"sync"
	"time"
	"unicode/utf8"

	"stoa/internal/base/errs"
	"stoa/internal/base/ids"
	"stoa/internal/base/paging"
	"stoa/internal/extension/plugin"
	"stoa/internal/run/gateway"
)

// The limits of what a plugin answers about a user (contract 2.33).
const (
	ExportTimeout   = 10 * time.Second
	MaxExport       = 10 << 20 // bytes of JSON
	exportsTogether = 4        // answers that are waited for, and held

	// All installations have a minute and 64 MiB together: a copy is made of all or of none of an account.
	exportsTimeout = time.Minute
	maxExports     = 64 << 20
	exportPage     = 100 // packages or instances that are read at a time
)

// exportPath is the path of the question to plugins whose manifest has "export": true.
const exportPath = lifecyclePath + "export"

// Exported is what an installation says about a user.
type Exported struct {
	In      plugin.Installed
	Data    json.RawMessage // empty if the manifest promises none, or if it is Missing
	Missing string          // why there are no Data where the manifest promises them, for the user
}

// Export asks all installations, disabled ones too, what they know about a user, and returns their answers in the order
// of slugs and keys. What a plugin fails to answer is missing; it does not keep the others from answering, unless many
// take all the time there is.
func (s *Sender) Export(ctx context.Context, userID string) iter.Seq2[Exported, error] {
	return func(yield func(Exported, error) bool) {
		asking, cancel := context.WithTimeout(ctx, exportsTimeout)
		defer cancel()
		asked, left := make([]Exported, 0, exportsTogether), maxExports
		answer := func() bool {
			var all sync.WaitGroup
			for i := range asked {
				all.Go(func() { s.export(asking, &asked[i], userID) })
			}
			all.Wait()
			for _, e := range asked {
				if left -= len(e.Data); left < 0 && len(e.Data) > 0 {
					e.Data, e.Missing = nil, "The answers of all plugins were too long."
				}
				if !yield(e, nil) {
					return false
				}
			}
			asked = asked[:0]
			return true
		}
		for in, err := range s.installations(ctx) {
			if err != nil {
				yield(Exported{}, err)
				return
			}
			if asked = append(asked, Exported{In: in}); len(asked) == exportsTogether && !answer() {
				return
			}
		}
		if answer() && ctx.Err() != nil { // what is missing is so because of that
			yield(Exported{}, ctx.Err())
		}
	}
}

// installations returns all installations of installed packages.
func (s *Sender) installations(ctx context.Context) iter.Seq2[plugin.Installed, error] {
	return func(yield func(plugin.Installed, error) bool) {
		packages := paging.All(func(offset int) ([]plugin.Package, int, error) {
			return s.Plugins.List(ctx, plugin.PackageQuery{Sort: "slug", Limit: exportPage, Offset: offset})
		})
		for p, err := range packages {
			if err != nil {
				yield(plugin.Installed{}, err)
				return
			}
			instances := paging.All(func(offset int) ([]plugin.Installed, int, error) {
				list, total, err := s.Plugins.Instances(ctx, p.Manifest.Slug,
					plugin.InstanceQuery{Sort: "key", Limit: exportPage, Offset: offset})
				if errs.KindOf(err) == errs.NotFound { // uninstalled meanwhile
					err = nil
				}
				return list, total, err
			})
			for in, err := range instances {
				if !yield(in, err) || err != nil {
					return
				}
			}
		}
	}
}

// exportLimit is how long a plugin may take to answer.
func (s *Sender) exportLimit() time.Duration { return cmp.Or(s.ExportLimit, ExportTimeout) }

// export asks one installation, if its manifest promises an answer.
func (s *Sender) export(ctx context.Context, e *Exported, userID string) {
	if !e.In.Package.Manifest.Export {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, s.exportLimit())
	defer cancel()
	res, err := s.ask(ctx, e.In, userID)
	var why error
	switch {
	case ctx.Err() != nil || err == nil && res.Status == 0:
		e.Missing, why = "The plugin did not answer in time.", errors.New("no answer within "+s.exportLimit().String())
	case err != nil:
		e.Missing, why = "The plugin did not answer.", err
	case res.Status == http.StatusNoContent:
		e.Data = json.RawMessage("null") // it knows nothing
	case res.Status != http.StatusOK:
		e.Missing, why = "The plugin answered with an error.", errors.New("it answered "+strconv.Itoa(res.Status))
	case res.Broken && len(res.Body) <= MaxExport, !utf8.Valid(res.Body),
		len(res.Body) <= MaxExport && !json.Valid(res.Body):
		e.Missing, why = "The plugin's answer was no JSON.", errors.New("the answer is no JSON, or broke off")
	case len(res.Body) > MaxExport:
		e.Missing, why = "The plugin's answer was too long.", errors.New("more than "+strconv.Itoa(MaxExport)+" bytes")
	default:
		e.Data = res.Body
	}
	if why != nil {
		s.Log.WarnContext(ctx, "a plugin's part is missing in the copy of an account",
			slog.String("slug", e.In.Package.Manifest.Slug), slog.String("installationId", e.In.Instance.ID),
			slog.Any("err", why))
	}
}

func (s *Sender) ask(ctx context.Context, in plugin.Installed, userID string) (gateway.Response, error) {
	secrets, err := s.Plugins.SigningSecrets(ctx, in.Package.Manifest.Slug)
	if err != nil {
		return gateway.Response{}, err
	}
	body, err := json.Marshal(map[string]string{"userId": userID})
	if err != nil {
		return gateway.Response{}, err
	}
	in = s.withFiles(in)
	rt := s.Gateway.Runtimes[plugin.External]
	if in.Package.Manifest.RuntimeType == plugin.Internal {
		var live *plugin.Installed
		if in.RunsAt(s.Now()) {
			live = &in
		}
		rt = s.Internal.Lifecycle(live)
	}
	return s.Gateway.Deliver(ctx, rt, gateway.Request{
		In: in, Secrets: secrets, Path: exportPath, Body: body, ID: ids.New(), Attempt: 1, Life: s.exportLimit(),
	}, MaxExport+1)
}
