package plugin

import (
	"context"
	"encoding/json"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"

	"stoa/internal/base/errs"
	"stoa/internal/extension/manifest"
)

// ThemeExtensions are the UI extension points that a plugin publishes for themes
// (contract 4.19).
type ThemeExtensions struct {
	Blocks []ThemeExtension `json:"blocks"`
	Embeds []ThemeExtension `json:"embeds"`
}

// ThemeExtension is a block, which a theme places in its pages, or an embed, which it
// adds to every page.
type ThemeExtension struct {
	ID     string          `json:"extensionId"`
	Name   string          `json:"name"`
	Schema json.RawMessage `json:"schema"` // of what can be set in a theme; an object, or nil

	// DataEndpoint is the path of the plugin where the data is, with an optional query.
	// Empty without one.
	DataEndpoint string `json:"dataEndpoint"`

	// Position is where an embed goes: head-end or body-end. Empty for a block.
	Position string `json:"targetPosition"`
}

// Any reports whether there are any.
func (t ThemeExtensions) Any() bool { return len(t.Blocks)+len(t.Embeds) > 0 }

const maxExtensionID = 64

var (
	extensionRE = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)
	positions   = []string{"head-end", "body-end"}
)

func parseThemeExtensions(o manifest.Object) ThemeExtensions {
	c, ok := o.Child("themeExtensions")
	if !ok {
		return ThemeExtensions{}
	}
	return ThemeExtensions{
		Blocks: parseExtensions(c, "blocks", func(manifest.Object, *ThemeExtension) {}),
		Embeds: parseExtensions(c, "embeds", func(e manifest.Object, ext *ThemeExtension) {
			ext.Position, ok = e.Require("targetPosition")
			if ok && !slices.Contains(positions, ext.Position) {
				e.Fault("targetPosition", errs.CodeUnknownValue, "must be head-end or body-end.")
			}
		}),
	}
}

// parseExtensions reads a list of extension points; more reads what only those of the
// list have.
func parseExtensions(
	c manifest.Object, list string, more func(e manifest.Object, ext *ThemeExtension),
) []ThemeExtension {
	var all []ThemeExtension
	seen := make(map[string]bool)
	for i, raw := range c.List(list) {
		e, ok := c.Nested(manifest.Item(list, i), raw)
		if !ok {
			continue
		}
		var ext ThemeExtension
		ext.ID, ok = e.Require("extensionId")
		switch {
		case !ok:
		case !extensionRE.MatchString(ext.ID):
			e.Fault("extensionId", manifest.PatternCode(ext.ID, 1, maxExtensionID), "must match %s.", extensionRE)
		case seen[ext.ID]:
			e.Fault("extensionId", errs.CodeDuplicate, "%q appears twice.", ext.ID)
		}
		seen[ext.ID] = true
		ext.Name, _ = e.Require("name")
		if _, ok := e.Child("schema"); ok {
			ext.Schema, _ = e.Get("schema")
		}
		if ext.DataEndpoint, ok = e.Text("dataEndpoint"); ok && !reachable(ext.DataEndpoint) {
			e.Fault("dataEndpoint", errs.CodeInvalid, "must be a path of the plugin below /api/, "+
				"without a fragment and without the parameters installationId and installation.")
		}
		more(e, &ext)
		all = append(all, ext)
	}
	return all
}

// reachable reports whether the gateway reaches an endpoint of a plugin, which must not
// choose the instance itself.
func reachable(endpoint string) bool {
	u, err := url.Parse(endpoint)
	if err != nil {
		return false
	}
	query, err := url.ParseQuery(u.RawQuery)
	return err == nil && !query.Has("installationId") && !query.Has("installation") && u.Scheme == "" && u.Host == "" &&
		u.User == nil && u.Fragment == "" &&
		!strings.ContainsAny(endpoint, `#\`) && strings.HasPrefix(u.Path, "/api/") &&
		(u.Path == path.Clean(u.Path) || u.Path == path.Clean(u.Path)+"/")
}

// Published is a theme extension of an enabled instance.
type Published struct {
	ThemeExtension

	Slug     string // of the plugin
	Instance InstanceName
}

// Blocks returns at most limit blocks of enabled instances, after the first offset, by
// plugin, oldest instance first, in the order of the manifest; and how many there are
// in all. Embeds does the same for embeds.
func (s *Service) Blocks(ctx context.Context, limit, offset int) ([]Published, int, error) {
	return s.published(ctx, limit, offset, func(t ThemeExtensions) []ThemeExtension { return t.Blocks })
}

// Embeds is described at Blocks.
func (s *Service) Embeds(ctx context.Context, limit, offset int) ([]Published, int, error) {
	return s.published(ctx, limit, offset, func(t ThemeExtensions) []ThemeExtension { return t.Embeds })
}

func (s *Service) published(
	ctx context.Context, limit, offset int, pick func(ThemeExtensions) []ThemeExtension,
) (page []Published, total int, err error) {
	publishers, err := s.Store.Publishers(ctx)
	if err != nil {
		return nil, 0, err
	}
	now := s.now()
	for _, p := range publishers {
		if p.Package.License.LapsedAt(now) {
			continue
		}
		slug := p.Package.Manifest.Slug
		// Manifests from before these rules may have extensions without a name to be known by.
		list := slices.DeleteFunc(slices.Clone(pick(p.Package.Manifest.ThemeExtensions)), func(e ThemeExtension) bool {
			return e.ID == "" || e.DataEndpoint != "" && !reachable(e.DataEndpoint)
		})
		each := len(list)
		from, to := max(offset-total, 0), min(offset+limit-total, p.Instances*each) // among those of this package
		total += p.Instances * each
		if offset > total || from >= to {
			continue
		}
		first := from / each
		instances, err := s.Store.EnabledInstances(ctx, slug, (to-1)/each-first+1, first)
		if err != nil {
			return nil, 0, err
		}
		for i := from; i < to && i/each-first < len(instances); i++ {
			page = append(page, Published{
				ThemeExtension: list[i%each], Slug: slug, Instance: instances[i/each-first],
			})
		}
	}
	return page, total, nil
}
