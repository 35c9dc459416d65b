package store

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"stoa/internal/base/paging"
	"stoa/internal/base/text"
	"stoa/internal/data/database"
	"stoa/internal/extension/plugin"
)

// ListPackages implements plugin.Packages. Names are in manifests, which the database cannot read,
// so queries by name read all installed packages. A stoa has tens of them, and their manifests are
// cached.
func (p *Plugin) ListPackages(ctx context.Context, q plugin.PackageQuery) ([]plugin.Package, int, error) {
	var where database.Where
	where.And(`p.deleted_at_ms IS NULL`)
	if q.Runtime != "" {
		where.And(`p.external = $1`, q.Runtime == plugin.External)
	}
	if by := strings.TrimPrefix(q.Sort, "-"); q.Search != "" || by == "name" {
		list, err := p.packages(ctx, where, q.Sort, "", where.Args())
		list = named(list, q.Search)
		if by == "name" {
			sortByName(list, q.Sort == "-name")
		}
		return paging.Cut(list, q.Limit, q.Offset), len(list), err
	}
	var total int
	err := p.Read.QueryRowContext(ctx,
		`SELECT count(*) FROM plugin_packages p`+where.String(), where.Args()...).Scan(&total)
	if err != nil {
		return nil, 0, err
	}
	page, args := where.Page(q.Limit, q.Offset)
	list, err := p.packages(ctx, where, q.Sort, page, args)
	return list, total, err
}

// packages reads the packages that meet conditions. An order by name is that by slug.
func (p *Plugin) packages(
	ctx context.Context, where database.Where, sort, page string, args []any,
) ([]plugin.Package, error) {
	if strings.TrimPrefix(sort, "-") == "name" {
		sort = ""
	}
	return database.All(ctx, p.Read, p.scanPackage, `
		SELECT `+packageColumns+`
		FROM plugin_packages p`+licenseJoin+where.String()+packageOrders.by(sort, "slug")+page, args...)
}

// named returns the packages of list with a text in their slug or name.
func named(list []plugin.Package, search string) []plugin.Package {
	part := text.Fold(search)
	return slices.DeleteFunc(list, func(pkg plugin.Package) bool {
		return !strings.Contains(pkg.Manifest.Slug, part) && !strings.Contains(text.Fold(pkg.Manifest.Name), part)
	})
}

// sortByName sorts by name without regard to case, and by slug among equals.
func sortByName(list []plugin.Package, descending bool) {
	slices.SortFunc(list, func(a, b plugin.Package) int {
		c := cmp.Or(cmp.Compare(text.Fold(a.Manifest.Name), text.Fold(b.Manifest.Name)),
			cmp.Compare(a.Manifest.Slug, b.Manifest.Slug))
		if descending {
			return -c
		}
		return c
	})
}
