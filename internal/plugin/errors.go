package plugin

import (
	"slices"

	"stoa/internal/errs"
)

// Errors returned by Service. The store's own errors are errs.NotFound and
// errs.Conflict.
var (
	ErrNotFound         = errs.New(errs.NotFound, "NOT_FOUND", "Plugin not found.")
	ErrInstanceNotFound = errs.New(errs.NotFound, "NOT_FOUND", "Instance not found.")
	// The message is the words of spec B.
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
	ErrVersionConflict = errs.New(errs.Conflict, "VERSION_CONFLICT",
		"The same or a higher version of this package is installed with different contents. Increase the version.")
	ErrUninstalled = errs.New(errs.Conflict, "CONFLICT",
		"A plugin with this slug was uninstalled. Restoring it is not supported yet, "+
			"and its slug cannot be used by another package.")
	ErrUpgrade = errs.New(errs.Unsupported, "NOT_SUPPORTED",
		"Upgrades are not supported yet; a lower version of this plugin is installed and keeps running.")
)

// validation returns VALIDATION_ERROR with every fault, or nil. If the config breaks
// a rule of spec B, that rule's message is the whole message, because clients
// compare it (CONTRACT 4).
func validation(faults errs.Issues) error {
	err := faults.Err()
	if e, ok := err.(*errs.Error); ok { //nolint:errorlint // it was made one line above
		for _, is := range []errs.Issue{issueNotObject, issueTooBig, issueNesting} {
			if slices.Contains(faults.List(), is) {
				e.Message = is.Message
				break
			}
		}
	}
	return err
}
