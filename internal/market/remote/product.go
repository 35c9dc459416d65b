package remote

import (
	"context"
	"encoding/json"
	"slices"

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
	return c.hold(file, content)
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
	return c.hold(file, content)
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

// roles brings the roles of products up to date that are held or needed, and lets go of those that the
// market, since it started anew, has no more.
func (c *client) roles(ctx context.Context) *fault {
	needed := make(map[string]bool)
	for name := range c.files {
		if slug, ok := terms.ProductOf(name); ok {
			needed[slug] = true
		}
	}
	for _, slug := range c.products {
		needed[slug] = true
	}
	for slug := range needed {
		role := terms.RoleOf(slug)
		delegation := c.delegation(role)
		if delegation == nil && c.trusted.Snapshot.Signed.Meta[role+".json"] == nil {
			delete(c.files, role)
			continue
		}
		// A product never leaves the snapshot, so one without a delegation lost it on the way.
		if delegation == nil {
			return unfitting(nil, "its targets do not delegate to %.120s, which its snapshot names", role)
		}
		if len(delegation.KeyIDs) > maxKeys || !delegation.Terminating ||
			!slices.Equal(delegation.Paths, []string{terms.PathsOf(slug)}) {
			return unfitting(nil, "its targets delegate to %.120s what a product does not have", role)
		}
		if bad := c.delegated(ctx, role, terms.Targets); bad != nil {
			return bad
		}
	}
	return nil
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

// packages returns the versions of a product, the highest first. ok is false if the market has no such
// product.
func (c *client) packages(slug string) (list []Package, ok bool) {
	role := c.trusted.Targets[terms.RoleOf(slug)]
	if role == nil {
		return nil, false
	}
	return packagesOf(slug, role), true
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
