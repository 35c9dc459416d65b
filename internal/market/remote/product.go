package remote

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"sync"

	"github.com/theupdateframework/go-tuf/v2/metadata"

	"stoa/internal/base/text"
	"stoa/internal/extension/manifest"
	"stoa/internal/market/terms"
)

const (
	// maxMarketFile bounds market.json, which has four short texts.
	maxMarketFile = 64 << 10
	// maxLicenseKeys bounds license-keys.json, which has a few keys of about 150 bytes.
	maxLicenseKeys = 64 << 10
	maxName        = 200

	// rolesAtOnce is how many roles of products are asked for at the same time.
	rolesAtOnce = 8
)

// Package is a version of a package, as the market signed it.
type Package struct {
	terms.Custom

	Target string // its path among the market's targets
	Hash   string // SHA-256 in hex
	Size   int64
}

// describe reads how the market calls itself.
func (c *client) describe(ctx context.Context) *fault {
	const file = terms.MarketFile
	content, bad := c.target(ctx, file, maxMarketFile)
	if bad != nil {
		return bad
	}
	var about terms.Market
	if err := json.Unmarshal(content, &about); err != nil || about.Name == "" || !text.Printable(about.Name, maxName) {
		return unfitting(err, "%s cannot be read", file)
	}
	c.market.Name = about.Name
	c.hold(file, content)
	return nil
}

// licenseKeys brings the keys up to date that sign leases, if they are held or needed.
func (c *client) licenseKeys(ctx context.Context) *fault {
	const file = terms.LicenseKeysFile
	if !c.keys && c.files[file] == nil {
		return nil
	}
	content, bad := c.target(ctx, file, maxLicenseKeys)
	if bad != nil {
		return bad
	}
	c.hold(file, content)
	return nil
}

// target returns the contents of a target that is no package: those held, or if the market signed others
// meanwhile, those that it serves.
func (c *client) target(ctx context.Context, file string, limit int64) ([]byte, *fault) {
	signed := c.trusted.Targets[terms.Targets].Signed.Targets[file]
	if signed == nil || hashOf(signed) == "" {
		return nil, unfitting(nil, "it does not sign %s", file)
	}
	if held := c.files[file]; held != nil && signed.VerifyLengthHashes(held) == nil {
		return held, nil
	}
	if signed.Length > limit {
		return nil, unfitting(nil, "%s has more than %d bytes", file, limit)
	}
	got, bad := c.fetcher.get(ctx, c.market.URL, terms.TargetPath+terms.ServedAs(file, hashOf(signed)), limit, "")
	if bad != nil {
		return nil, bad
	}
	if err := signed.VerifyLengthHashes(got.body); err != nil {
		return nil, misfitOf(err, file)
	}
	return got.body, nil
}

// hashOf returns the SHA-256 of a target in hex, or "" if the market does not sign one.
func hashOf(t *metadata.TargetFiles) string {
	if hash := t.Hashes["sha256"].String(); terms.IsHash(hash) {
		return hash
	}
	return ""
}

// roles verifies the roles of products that are kept or looked at, and holds the former. It lets go of all others, and
// of those that the market, since it started anew, has no more.
//
// What is only looked at is not held: all that a market offers may be more than is held of one.
func (c *client) roles(ctx context.Context) *fault {
	c.offered = make(map[string][]Package, len(c.products))
	wanted := slices.Compact(slices.Sorted(slices.Values(slices.Concat(c.kept, c.products))))
	maps.DeleteFunc(c.files, func(name string, _ []byte) bool {
		slug, is := terms.ProductOf(name)
		return is && !slices.Contains(wanted, slug)
	})
	var fresh []string // of which the version held is not the one that is named
	for _, slug := range wanted {
		role := terms.RoleOf(slug)
		is, bad := c.delegates(slug)
		if bad != nil {
			return bad
		} else if !is {
			delete(c.files, role)
			continue
		}
		good, bad := c.heldIsGood(role, terms.Targets)
		if bad != nil {
			return bad
		} else if good {
			c.take(slug, c.files[role])
		} else {
			fresh = append(fresh, slug)
		}
	}
	for some := range slices.Chunk(fresh, rolesAtOnce) {
		if bad := c.fetchRoles(ctx, some); bad != nil {
			return bad
		}
	}
	return nil
}

// fetchRoles asks for the roles of some products at once, verifies and takes them.
func (c *client) fetchRoles(ctx context.Context, slugs []string) *fault {
	var all sync.WaitGroup
	answers, faults := make([]answer, len(slugs)), make([]*fault, len(slugs))
	for i, slug := range slugs {
		all.Go(func() { answers[i], faults[i] = c.named(ctx, terms.RoleOf(slug)) })
	}
	all.Wait()
	for i, slug := range slugs {
		if faults[i] != nil {
			return faults[i]
		}
		if bad := c.trust(terms.RoleOf(slug), terms.Targets, answers[i].body); bad != nil {
			return bad
		}
		c.take(slug, answers[i].body)
	}
	return nil
}

// take notes what the verified role of a product offers to whoever looks at it, and holds the role if it is kept.
func (c *client) take(slug string, content []byte) {
	role := terms.RoleOf(slug)
	if slices.Contains(c.products, slug) {
		list := packagesOf(slug, c.trusted.Targets[role])
		if !c.every {
			list = slices.Clone(list[:min(len(list), 1)]) // else the others stay in memory, for each product of a page
		}
		c.offered[slug] = list
	}
	if slices.Contains(c.kept, slug) {
		c.hold(role, content)
		return
	}
	delete(c.files, role)
	delete(c.trusted.Targets, role)
}

// crowdedOut returns how many roles are to be kept, and are not held for want of room.
func (c *client) crowdedOut() (n int) {
	for _, slug := range c.kept {
		if role := terms.RoleOf(slug); c.files[role] == nil && c.trusted != nil && c.trusted.Targets[role] != nil {
			n++
		}
	}
	return n
}

// delegates reports whether the market has a product, and refuses a delegation that is not that of a product.
func (c *client) delegates(slug string) (bool, *fault) {
	role := terms.RoleOf(slug)
	delegation := c.delegation(role)
	if delegation == nil {
		if c.trusted.Snapshot.Signed.Meta[role+".json"] == nil {
			return false, nil
		}
		// A product never leaves the snapshot, so one without a delegation lost it on the way.
		return false, unfitting(nil, "its targets do not delegate to %.120s, which its snapshot names", role)
	}
	if len(delegation.KeyIDs) > maxKeys || !delegation.Terminating ||
		!slices.Equal(delegation.Paths, []string{terms.PathsOf(slug)}) {
		return false, unfitting(nil, "its targets delegate to %.120s what a product does not have", role)
	}
	return true, nil
}

// delegation returns what the targets say of a role, or nil.
func (c *client) delegation(role string) *metadata.DelegatedRole {
	all := c.trusted.Targets[terms.Targets].Signed.Delegations
	if all == nil {
		return nil
	}
	at := slices.IndexFunc(all.Roles, func(r metadata.DelegatedRole) bool { return r.Name == role })
	if at < 0 {
		return nil
	}
	return &all.Roles[at]
}

// packagesOf returns the versions that the role of a product signs, the highest first. What is signed outside of
// the product's paths, or in a form that this stoa does not know, is left out: the market may be newer.
func packagesOf(slug string, role *metadata.Metadata[metadata.TargetsType]) (list []Package) {
	for path, signed := range role.Signed.Targets {
		of, version, ok := terms.ParsePackageTarget(path)
		if !ok || of != slug || signed == nil || hashOf(signed) == "" || signed.Custom == nil {
			continue
		}
		custom, err := terms.ParseCustom(*signed.Custom)
		if err != nil || custom.Version != version {
			continue
		}
		list = append(list, Package{Custom: custom, Target: path, Hash: hashOf(signed), Size: signed.Length})
	}
	slices.SortFunc(list, func(a, b Package) int { return manifest.CompareVersions(b.Version, a.Version) })
	return list
}
