package operation

import (
	"context"
	"fmt"

	"stoa/internal/base/errs"
	"stoa/internal/base/text"
	"stoa/internal/extension"
	"stoa/internal/extension/bundle"
	"stoa/internal/extension/install"
	"stoa/internal/extension/plugin"
)

// OwnIssues returns what is wrong with n for InstallOwn, where Grants may be nil.
func (n NewInstall) OwnIssues() (faults errs.Issues) {
	if n.LicenseKey != "" && !plausible(n.LicenseKey) {
		faults.Add("licenseKey", errs.CodeOutOfRange, "licenseKey must be at most %d printable characters.", text.Short)
	}
	return faults
}

// checkGrants returns nil if a package that declares permissions may get grants from the caller. The errors are
// VALIDATION_ERROR for those that it does not declare, and those of plugin.CheckConsent.
func checkGrants(ctx context.Context, declared, grants []string) error {
	var faults errs.Issues
	for _, name := range missing(declared, grants) {
		faults.Add("grants", errs.CodeUnknownValue, "The package does not ask for %s.", text.Clip(name))
	}
	if err := faults.Err(); err != nil {
		return err
	}
	return plugin.CheckConsent(ctx, grants)
}

// InstallOwn installs the package of a product of this stoa, which gets the id packageID if it is new and that is not
// empty. Without Grants, new instances get what they ask for. With them, they get nothing else, and what is there gets
// them besides. The errors are those of release.Service.Fetch, checkGrants and Installer.Install.
func (s *Service) InstallOwn(
	ctx context.Context, productSlug string, in NewInstall, packageID string,
) (install.Result, error) {
	kind, up, err := s.Releases.Fetch(ctx, productSlug, in.LicenseKey)
	if err != nil {
		return install.Result{}, err
	}
	defer up.Close() // what stays is swept later
	if in.Grants != nil {
		found, err := s.Installer.Inspect(ctx, kind, up)
		if err != nil {
			return install.Result{}, err
		}
		if err := checkGrants(ctx, found.Needs.Permissions, in.Grants); err != nil {
			return install.Result{}, err
		}
	}
	up.PackageID, up.Setup.Consent = packageID, in.Grants
	res, err := s.Installer.Install(ctx, kind, up)
	if err == nil && in.Grants != nil {
		res.Record, err = s.grant(ctx, res.Record, in.Grants)
	}
	return res, err
}

// grant gives permissions to what was installed, a plugin or those that a bundle brought, and returns it with them.
func (s *Service) grant(
	ctx context.Context, installed extension.Record, permissions []string,
) (extension.Record, error) {
	switch of := installed.(type) {
	case plugin.Installed:
		slug := of.Package.Manifest.Slug
		if err := s.Plugins.Grant(ctx, slug, permissions); err != nil {
			return nil, err
		}
		now, err := s.Plugins.ByKey(ctx, slug, plugin.DefaultInstance)
		of.Instance, of.Notes = now.Instance, nil
		return of, err
	case bundle.Installed:
		for _, item := range of.Listed() {
			if item.Kind != extension.Plugin || !item.Owned && item.Outcome != extension.WasUpgraded {
				continue // it was there before, and is not the bundle's
			}
			err := s.Plugins.Grant(ctx, item.Slug, permissions)
			if err != nil && errs.KindOf(err) != errs.NotFound { // it was uninstalled since
				return nil, fmt.Errorf("operation: grant to %s: %w", item.Slug, err)
			}
		}
	}
	return installed, nil
}
