package plugin

import (
	"slices"

	"stoa/internal/base/netperm"
)

// Permissions that stoa asks for (contract 7.2). All other names grant nothing, except those
// that package netperm reads, and those that the manifest's own routePermissions need.
const (
	PermissionReadProducts = "products:read"
	PermissionReadOrders   = "orders:read"
	PermissionReadLicenses = "licenses:read"
	PermissionReadUsers    = "users:read"
	PermissionReadEmails   = "users:email" // e-mail and billing addresses, beside one of the above
	PermissionReadStorage  = "storage:read"
	PermissionWriteStorage = "storage:write"
	PermissionPublish      = "events:publish"   // to publish events of the plugin's own
	PermissionSubscribe    = "events:subscribe" // to get events
)

var permissions = []string{
	PermissionReadProducts, PermissionReadOrders, PermissionReadLicenses, PermissionReadUsers, PermissionReadEmails,
	PermissionReadStorage, PermissionWriteStorage, PermissionPublish, PermissionSubscribe,
}

// IsPermission reports whether stoa asks for a permission of that name, whatever a
// manifest says.
func IsPermission(name string) bool {
	_, _, host := netperm.Parse(name)
	return host || OpensPlatform(name)
}

// OpensPlatform reports whether the platform API asks for a permission of that name.
func OpensPlatform(name string) bool { return slices.Contains(permissions, name) }

// Unknown returns those of the permissions that grant nothing to the plugin. It sees their
// names in x-plugin-permissions, and that is all.
func (m Manifest) Unknown(permissions []string) []string {
	unknown := []string{}
	for _, p := range permissions {
		needed := slices.ContainsFunc(m.RoutePermissions, func(r RoutePermission) bool { return r.Permission == p })
		if !needed && !IsPermission(p) {
			unknown = append(unknown, p)
		}
	}
	return unknown
}
