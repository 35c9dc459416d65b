package theme

import (
	"context"

	"stoa/internal/base/errs"
	"stoa/internal/base/text"
	"stoa/internal/extension"
)

// Query selects installed themes. Empty fields match every theme.
type Query struct {
	// Search is part of a slug, ignoring case. A space stands for a hyphen, because names
	// have spaces where slugs have hyphens.
	Search string
	Kind   extension.Kind
	Target Target
	App    *bool // only theme apps, or only packs

	Limit, Offset int
}

// Issues returns what is wrong with q.
func (q Query) Issues() (is errs.Issues) {
	if !text.Printable(q.Search, text.Short) {
		is.Add("q", errs.CodeOutOfRange, "q must be at most %d printable characters.", text.Short)
	}
	is.OneOf("target", string(q.Target), string(Shop), string(Admin))
	return is
}

// List returns one page of the themes that match q, by kind and slug, and how many there
// are on all pages. It returns VALIDATION_ERROR for a query with Issues.
func (s *Service) List(ctx context.Context, q Query) ([]Theme, int, error) {
	if err := q.Issues().Err(); err != nil {
		return nil, 0, err
	}
	states := make(map[Target]State)
	for _, target := range targets {
		state, err := s.Store.State(ctx, target)
		if err != nil {
			return nil, 0, err
		}
		states[target] = state
	}
	versions, total, err := s.Store.ListThemes(ctx, q)
	if err != nil {
		return nil, 0, err
	}
	var themes []Theme
	for from, to := 0, 0; from < len(versions); from = to {
		first := versions[from]
		for to < len(versions) && versions[to].Kind == first.Kind && versions[to].Manifest.Slug == first.Manifest.Slug {
			to++
		}
		themes = append(themes, newTheme(versions[from:to], states[first.Target()]))
	}
	return themes, total, nil
}
