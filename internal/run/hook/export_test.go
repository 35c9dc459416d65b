package hook_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"stoa/internal/extension/plugin"
	"stoa/internal/run"
	"stoa/internal/run/gateway"
	"stoa/internal/run/hook"
	"stoa/internal/testkit/logtest"
	"stoa/internal/trust/seal"
)

// told is what a plugin answers, and after which time.
type told struct {
	size   int // 0: its manifest promises nothing
	after  time.Duration
	status int
}

// house has plugins that answer as they are told, in the order of their slugs: p000 is the first.
type house struct {
	plugin.Store

	box  *seal.Box
	told []told
}

func slug(i int) string { return fmt.Sprintf("p%03d", i) }

func (h *house) ListPackages(_ context.Context, q plugin.PackageQuery) ([]plugin.Package, int, error) {
	all := make([]plugin.Package, len(h.told))
	for i := range all {
		all[i], _ = h.GetPackage(context.Background(), slug(i))
	}
	from := min(q.Offset, len(all))
	return all[from:min(from+q.Limit, len(all))], len(all), nil
}

func (h *house) GetPackage(_ context.Context, slug string) (p plugin.Package, err error) {
	p.Manifest.Slug, p.Manifest.RuntimeType, p.Manifest.Export = slug, plugin.External, h.of(slug).size > 0
	return p, nil
}

func (h *house) of(slug string) (t told) {
	var i int
	_, _ = fmt.Sscanf(slug, "p%03d", &i)
	return h.told[i]
}

func (h *house) ListInstances(_ context.Context, slug string, _ plugin.InstanceQuery) ([]plugin.StoredInstance, int, error) {
	return []plugin.StoredInstance{{Instance: plugin.Instance{ID: "of-" + slug, Key: "default"}}}, 1, nil
}

func (h *house) GetSecret(_ context.Context, slug string) (plugin.Secret, error) {
	return plugin.Secret{Current: h.box.Seal([]byte("a secret"), slug)}, nil
}

// Serve implements run.Runtime.
func (h *house) Serve(w http.ResponseWriter, r *http.Request, in *plugin.Installed) error {
	t := h.of(in.Package.Manifest.Slug)
	select {
	case <-time.After(t.after):
	case <-r.Context().Done():
		return run.ErrTimeout
	}
	if t.status != 0 {
		w.WriteHeader(t.status)
		return nil
	}
	w.WriteHeader(http.StatusOK)
	_, err := io.WriteString(w, `"`+strings.Repeat("x", t.size-2)+`"`)
	return err
}

// IssuePluginToken implements gateway.Tokens.
func (h *house) IssuePluginToken(context.Context, gateway.PluginToken) (string, time.Time, error) {
	return "a token", time.Now().Add(time.Minute), nil
}

// PluginTokenKey implements gateway.Tokens.
func (h *house) PluginTokenKey(context.Context) (string, error) { return "a key", nil }

// export returns what plugins say of somebody: the size of each answer, or why there is none.
func export(t *testing.T, plugins ...told) (said []string) {
	t.Helper()
	key, err := seal.ParseKey(strings.Repeat("ab", 32))
	if err != nil {
		t.Fatal(err)
	}
	h := &house{told: plugins}
	h.box = seal.NewKeys(key).Box("signing secrets")
	s := &hook.Sender{
		Plugins: &plugin.Service{Store: h, Now: time.Now, Secrets: h.box, Configs: h.box}, Log: logtest.New(t), Now: time.Now,
		Gateway: &gateway.Gateway{
			Tokens: h, Runtimes: map[plugin.RuntimeType]run.Runtime{plugin.External: h}, Log: logtest.New(t),
			Memory: gateway.NewMemory(), Now: time.Now,
		},
	}
	for e, err := range s.Export(t.Context(), "ada") {
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case e.Data != nil && e.Missing != "":
			t.Errorf("%s has data and lacks them", e.In.Package.Manifest.Slug)
		case e.Data != nil:
			if !json.Valid(e.Data) {
				t.Errorf("%s is no JSON", e.In.Package.Manifest.Slug)
			}
			said = append(said, fmt.Sprint(len(e.Data)))
		default:
			said = append(said, e.Missing)
		}
	}
	return said
}

const (
	mib     = 1 << 20
	late    = "The plugin did not answer in time."
	tooLong = "The answers of all plugins were too long."
)

// All plugins together have 64 MiB. Who comes after that is missing, and who has nothing to say lacks nothing.
func TestAnswersOfAllPluginsHaveABoundTogether(t *testing.T) {
	t.Parallel()

	full := make([]told, 6) // 60 MiB
	sizes := make([]string, 6)
	for i := range full {
		full[i], sizes[i] = told{size: 10 * mib}, fmt.Sprint(10*mib)
	}
	for what, tt := range map[string]struct {
		more []told
		want []string
	}{
		"at it":                {[]told{{size: 4 * mib}}, []string{fmt.Sprint(4 * mib)}},
		"one beyond":           {[]told{{size: 4*mib + 1}}, []string{tooLong}},
		"at it, and one more":  {[]told{{size: 4 * mib}, {size: 2}}, []string{fmt.Sprint(4 * mib), tooLong}},
		"beyond it, in parts":  {[]told{{size: 2*mib + 1}, {size: 2 * mib}}, []string{fmt.Sprint(2*mib + 1), tooLong}},
		"nothing to say":       {[]told{{size: 4*mib + 1}, {}}, []string{tooLong, ""}},
		"it fails, and so why": {[]told{{size: 4*mib + 1}, {size: 2, status: 500}}, []string{tooLong, "The plugin answered with an error."}},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()

			synctest.Test(t, func(t *testing.T) {
				if got, want := export(t, append(slices.Clone(full), tt.more...)...), append(slices.Clone(sizes), tt.want...); !slices.Equal(got, want) {
					t.Errorf("got  %q\nwant %q", got, want)
				}
			})
		})
	}
}

// All plugins together have a minute, four at a time. Who has not answered by then is missing, and not asked anew.
func TestAnswersOfAllPluginsHaveAMinuteTogether(t *testing.T) {
	t.Parallel()

	slow := make([]told, 24) // six times four, for nine seconds each
	for i := range slow {
		slow[i] = told{size: 2, after: 9 * time.Second}
	}
	const rest = 6 * time.Second
	for what, tt := range map[string]struct {
		more []told
		want []string
		took time.Duration
	}{
		"in time":            {[]told{{size: 2, after: rest - 1}}, []string{"2"}, time.Minute - 1},
		"too late":           {[]told{{size: 2, after: rest + 1}}, []string{late}, time.Minute},
		"beside who is late": {[]told{{size: 2, after: rest - 1}, {size: 2, after: rest + 1}}, []string{"2", late}, time.Minute},
		"after who is late":  {[]told{{size: 2, after: 9 * time.Second}, {}, {}, {}, {size: 2}, {}}, []string{late, "", "", "", late, ""}, time.Minute},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()

			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				got := export(t, append(slices.Clone(slow), tt.more...)...)
				if took := time.Since(began); took != tt.took {
					t.Errorf("it took %v, want %v", took, tt.took)
				}
				if !slices.Equal(got[len(slow):], tt.want) {
					t.Errorf("got %q, want %q", got[len(slow):], tt.want)
				}
				for _, one := range got[:len(slow)] {
					if one != "2" {
						t.Errorf("one of the first is missing: %s", one)
					}
				}
			})
		})
	}
}
