package plugin

import "stoa/internal/base/errs"

// Errors returned by Service. The store's own errors are errs.NotFound and
// errs.Conflict.
var (
	ErrNotFound         = errs.New(errs.NotFound, "NOT_FOUND", "Plugin not found.")
	ErrInstanceNotFound = errs.New(errs.NotFound, "NOT_FOUND", "Instance not found.")
	// Clients may compare this message (contract 4.7).
	ErrBuiltin         = errs.New(errs.Conflict, "BUILTIN_PLUGIN", "Cannot uninstall built-in plugins")
	ErrDefaultInstance = errs.New(errs.Conflict, "CONFLICT",
		"The default instance cannot be deleted. Disable it, or uninstall the plugin.")
	ErrKeyTaken   = errs.New(errs.Conflict, "CONFLICT", "The plugin already has an instance with this key.")
	ErrKeyDefault = errs.New(errs.Conflict, "CONFLICT",
		"The key default belongs to the instance that every plugin has from the start.")
	ErrKeyUsed = errs.New(errs.Conflict, "CONFLICT",
		"An instance with this key was deleted, and the key of a deleted instance cannot be used again.")
	ErrStale = errs.New(errs.Stale, "PRECONDITION_FAILED",
		"The instance was changed in the meantime. Read it again and repeat the change.")
	ErrUpgradeFailed = errs.New(errs.Unprocessable, codeUpgradeFailed,
		"The other version did not become healthy, so the present one keeps running. details.lastError tells why.")
	ErrNoPrevious = errs.New(errs.Conflict, "CONFLICT",
		"There is no earlier version of this plugin to return to.")
	errMeanwhile = errs.New(errs.Conflict, "CONFLICT",
		"The plugin was changed at the same moment. Read it again and repeat the request.")
	ErrVersionConflict = errs.New(errs.Conflict, "VERSION_CONFLICT",
		"The same or a higher version of this package is installed with different contents. Increase the version.")
	ErrUninstalled = errs.New(errs.Conflict, "CONFLICT",
		"A plugin with this slug was uninstalled. Restore it (POST /api/v1/admin/plugins/{slug}/restore), "+
			"or remove it for good first (DELETE /api/v1/admin/plugins/{slug}?purge=true).")
)

// codeUpgradeFailed is the code of an upgrade or a rollback that changed nothing.
const codeUpgradeFailed = "UPGRADE_FAILED"
