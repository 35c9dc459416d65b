package plugin

import (
	"context"
	"slices"

	"stoa/internal/base/netperm"
	"stoa/internal/base/permission"
	"stoa/internal/base/reqctx"
	"stoa/internal/extension"
)

// mayConsent reports whether the caller may let a plugin have a permission. Nobody gives a plugin what they do not have
// themselves: else they would have it through the plugin (contract 2.30).
func mayConsent(ctx context.Context, name string) bool {
	who := reqctx.CallerFrom(ctx)
	if extension.CheckTrust(ctx) == nil && !who.HasKey() { // only people consent
		return true
	}
	switch name {
	case PermissionReadUsers, PermissionReadEmails, PermissionReadOrders, PermissionReadLicenses:
		return who.May(permission.Name(name)) && !who.HasKey()
	case PermissionSubscribe:
		return false
	}
	_, _, host := netperm.Parse(name)
	return !host
}

// consented returns those of the permissions that the caller may give. The others stay declared.
func consented(ctx context.Context, permissions []string) []string {
	given := []string{}
	for _, name := range permissions {
		if mayConsent(ctx, name) {
			given = append(given, name)
		}
	}
	return given
}

// withheld returns those of the permissions that the caller may not give: they wait for somebody who may.
func withheld(ctx context.Context, permissions []string) []string {
	return missingFrom(consented(ctx, permissions), permissions)
}

// decide notes that somebody said what an instance of a plugin with the manifest m may have. It decides what the plugin
// asks for if they might have given everything.
func decide(ctx context.Context, m Manifest, in *Instance) {
	if extension.CheckTrust(ctx) == nil && !reqctx.CallerFrom(ctx).HasKey() {
		in.Undecided = missingFrom(m.Permissions, in.Undecided)
	}
}

// CheckConsent returns extension.ErrTrust, or extension.ErrNotForKeys, if the caller may not give a plugin one of these
// permissions.
func CheckConsent(ctx context.Context, permissions []string) error {
	return checkConsent(ctx, nil, permissions)
}

// checkConsent returns extension.ErrTrust, or ErrNotForKeys, if an instance is to have a permission that it did not
// have, and that the caller may not give.
func checkConsent(ctx context.Context, before, after []string) error {
	for _, name := range after {
		if !slices.Contains(before, name) && !mayConsent(ctx, name) {
			if reqctx.CallerFrom(ctx).HasKey() {
				return extension.ErrNotForKeys
			}
			return extension.ErrTrust
		}
	}
	return nil
}

// actsOnOrigin returns the names of settings that are on and let a plugin act beyond its own addresses. No permission
// has such a name.
func (s Settings) actsOnOrigin() (on []string) {
	for name, is := range map[string]bool{
		"setting allowSameOrigin": s.AllowSameOrigin, "setting allowCookies": s.AllowCookies,
		"setting allowCors": s.AllowCORS, "setting allowAuthorization": s.AllowAuthorization,
	} {
		if is {
			on = append(on, name)
		}
	}
	return on
}

// checkSettings returns extension.ErrTrust if a setting is to be on that was off, and that lets the plugin act beyond
// its own addresses.
func checkSettings(ctx context.Context, before, after Settings) error {
	if len(missingFrom(before.actsOnOrigin(), after.actsOnOrigin())) > 0 {
		return extension.CheckTrust(ctx)
	}
	return nil
}

// checkCode returns extension.ErrTrust for other code in place of a package that was given more than the caller may
// give: a consent is for the code it was given to. Code signed by the same key goes on with it, and so does code that
// had all of it before: consents are those of next.
func (s *Service) checkCode(ctx context.Context, st Store, was, next Package, consents []string) error {
	trusted := extension.CheckTrust(ctx) == nil
	if trusted && !reqctx.CallerFrom(ctx).HasKey() || was.ZipHash == next.ZipHash ||
		was.SignedBy != "" && was.SignedBy == next.SignedBy {
		return nil
	}
	if !trusted && len(missingFrom(consents, was.Settings.actsOnOrigin())) > 0 {
		return extension.ErrTrust
	}
	return eachInstance(ctx, st, was.Manifest.Slug, func(in StoredInstance) error {
		return checkConsent(ctx, consents, in.Granted)
	})
}

// consentsOf returns what instances and settings of a package have that a consent may be needed for.
func consentsOf(ctx context.Context, st Store, p Package) ([]string, error) {
	all := p.Settings.actsOnOrigin()
	err := eachInstance(ctx, st, p.Manifest.Slug, func(in StoredInstance) error {
		all = append(all, missingFrom(all, in.Granted)...)
		return nil
	})
	slices.Sort(all)
	return all, err
}

// missingFrom returns those of some that are not in all.
func missingFrom(all, some []string) []string {
	return slices.DeleteFunc(slices.Clone(some), func(name string) bool { return slices.Contains(all, name) })
}
