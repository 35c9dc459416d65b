// Package permission is the catalog of what somebody may be allowed to do on the platform, and the roles that are
// built from it. Roles of staff and scopes of API keys use the same names.
package permission

import (
	"regexp"
	"slices"
	"strings"
)

// Name is a permission, as an area and a verb: "orders:refund". Names are stable: operators keep them in roles.
type Name string

// The permissions. Which routes each opens stands in the list of routes.
const (
	ReadOverview       Name = "overview:read"
	ReadUsers          Name = "users:read"
	ReadEmails         Name = "users:email" // addresses and what buyers wrote, unmasked
	WriteUsers         Name = "users:write"
	EndSessions        Name = "users:sessions"
	ReadOrders         Name = "orders:read"
	RefundOrders       Name = "orders:refund"
	CancelOrders       Name = "orders:cancel"
	ReadDiscounts      Name = "discounts:read"
	WriteDiscounts     Name = "discounts:write"
	ReadReports        Name = "reports:read"
	ReadTemplates      Name = "templates:read"
	WriteTemplates     Name = "templates:write"
	ReadLicenses       Name = "licenses:read"
	FreeSeats          Name = "licenses:seats"
	WriteLicenses      Name = "licenses:write"
	GrantLicenses      Name = "licenses:grant"
	RevokeLicenses     Name = "licenses:revoke"
	ReadReviews        Name = "reviews:read"
	ModerateReviews    Name = "reviews:moderate"
	ReadProducts       Name = "products:read"
	WriteProducts      Name = "products:write"
	WriteMedia         Name = "media:write"
	PublishPackages    Name = "packages:publish"
	ReadExtensions     Name = "extensions:read"
	InstallExtensions  Name = "extensions:install"
	ConfigureExtension Name = "extensions:configure"
	TrustExtensions    Name = "extensions:trust"
	ReadSecrets        Name = "extensions:secrets"
	ReadLogs           Name = "extensions:logs"
	UseExtensions      Name = "extensions:use" // all of them; UsePlugin names one
	ReadMarkets        Name = "markets:read"
	WriteMarkets       Name = "markets:write" // who is believed about packages
	ReadDeliveries     Name = "deliveries:read"
	ReplayDeliveries   Name = "deliveries:replay"
	ReadWebhooks       Name = "webhooks:read"
	WriteWebhooks      Name = "webhooks:write"
	ReadThemes         Name = "themes:read"
	WriteThemes        Name = "themes:write"
	ReadSettings       Name = "settings:read"
	WriteSettings      Name = "settings:write"
	ReadSystem         Name = "system:read"
	RotateKeys         Name = "keys:rotate"
	ReadAudit          Name = "audit:read"
	ReadCustomerAudit  Name = "audit:customers" // only what was done to customers and what is theirs
	SecureUsers        Name = "users:security"
	Impersonate        Name = "users:impersonate"
	ImpersonateToWrite Name = "users:impersonate-write"
	EraseUsers         Name = "users:erase"
	ExportUsers        Name = "users:export"
	ReadStaff          Name = "staff:read"
	WriteStaff         Name = "staff:write"
	AdminKeys          Name = "api-keys:admin"
	WriteSignIn        Name = "sign-in:write"
)

// Any is had by whoever has a permission. It is no permission itself.
const Any Name = "any"

// catalog is every permission, and the letters of the built-in roles that have it: Operator, Catalog, Support,
// Finance, aNalyst. ADMIN has all. At most 64 fit into a Set.
var catalog = []struct {
	name  Name
	roles string
}{
	{ReadOverview, "OCSFN"},
	{ReadUsers, "SF"},
	{ReadEmails, "SF"},
	{WriteUsers, ""},
	{EndSessions, "S"},
	{SecureUsers, "S"},
	{Impersonate, "S"},
	{ImpersonateToWrite, ""},
	{EraseUsers, ""},
	{ExportUsers, ""},
	{ReadOrders, "SFN"},
	{RefundOrders, "F"},
	{CancelOrders, "F"},
	{ReadDiscounts, "CSFN"},
	{WriteDiscounts, "CF"},
	{ReadReports, "FN"},
	{ReadTemplates, "C"},
	{WriteTemplates, "C"},
	{ReadLicenses, "SFN"},
	{FreeSeats, "S"},
	{WriteLicenses, "F"},
	{GrantLicenses, "F"},
	{RevokeLicenses, "F"},
	{ReadReviews, "CSN"},
	{ModerateReviews, "C"},
	{ReadProducts, "OCSFN"},
	{WriteProducts, "C"},
	{WriteMedia, "C"},
	{PublishPackages, "OC"},
	{ReadExtensions, "O"},
	{InstallExtensions, "O"},
	{ConfigureExtension, "O"},
	{TrustExtensions, ""},
	{ReadSecrets, "O"},
	{ReadLogs, "O"},
	{UseExtensions, "OCS"},
	{ReadMarkets, "O"},
	{WriteMarkets, ""},
	{ReadThemes, "OC"},
	{WriteThemes, "O"},
	{ReadDeliveries, "OSN"},
	{ReplayDeliveries, "O"},
	{ReadWebhooks, "O"},
	{WriteWebhooks, "O"},
	{ReadSettings, "O"},
	{WriteSettings, ""},
	{ReadSystem, "O"},
	{RotateKeys, ""},
	{ReadAudit, "O"},
	{ReadCustomerAudit, "OSF"},
	{ReadStaff, ""},
	{WriteStaff, ""},
	{AdminKeys, ""},
	{WriteSignIn, ""},
}

// Catalog returns all permissions but those of single plugins, as people read them: area by area.
func Catalog() []Name {
	names := make([]Name, len(catalog))
	for i, p := range catalog {
		names[i] = p.name
	}
	return names
}

// bits has the bit of each permission in a Set.
var bits = func() map[Name]uint64 {
	m := make(map[Name]uint64, len(catalog))
	for i, p := range catalog {
		m[p.name] = 1 << i
	}
	return m
}()

// onePlugin is the form of UsePlugin. The part behind it is a plugin's slug.
var onePlugin = regexp.MustCompile(`^extensions:use:[a-z][a-z0-9-]{0,30}[a-z0-9]$`)

// UsePlugin is the permission to use the plugin with that slug.
func UsePlugin(slug string) Name { return UseExtensions + ":" + Name(slug) }

// Known reports whether a name is that of a permission.
func Known(name Name) bool { return bits[name] != 0 || onePlugin.MatchString(string(name)) }

// Set is a set of permissions. The zero value is empty. Sets that hold the same are equal.
type Set struct {
	known   uint64
	plugins string // those of UsePlugin, sorted, each followed by a space
}

// Of returns the set of those names that are permissions, and what they include: others are of a release that knows
// more, and open nothing here.
func Of(names ...Name) (s Set) {
	var plugins []string
	for _, name := range names {
		s.known |= bits[name]
		if onePlugin.MatchString(string(name)) {
			plugins = append(plugins, string(name)+" ")
		}
	}
	slices.Sort(plugins)
	s.plugins = strings.Join(slices.Compact(plugins), "")
	if s.Has(UseExtensions) {
		s.plugins = ""
	}
	if s.Has(ReadAudit) {
		s.known |= bits[ReadCustomerAudit]
	}
	return s
}

// Parse is Of for names with spaces between them.
func Parse(text string) Set {
	fields := strings.Fields(text)
	names := make([]Name, len(fields))
	for i, field := range fields {
		names[i] = Name(field)
	}
	return Of(names...)
}

// All is every permission.
func All() Set { return Of(Catalog()...) }

// Names returns the permissions of s in the order of the catalog, and then those of single plugins.
func (s Set) Names() []Name {
	names := []Name{}
	for _, p := range catalog {
		if s.Has(p.name) {
			names = append(names, p.name)
		}
	}
	for _, name := range strings.Fields(s.plugins) {
		names = append(names, Name(name))
	}
	return names
}

// String returns the names with spaces between them, as Parse reads them.
func (s Set) String() string {
	return Join(s.Names())
}

// Join returns names with spaces between them.
func Join(names []Name) string {
	texts := make([]string, len(names))
	for i, name := range names {
		texts[i] = string(name)
	}
	return strings.Join(texts, " ")
}

// Equal reports whether both sets hold the same.
func (s Set) Equal(other Set) bool { return s == other }

// Empty reports whether s has nothing.
func (s Set) Empty() bool { return s == Set{} }

// Has reports whether s has a permission.
func (s Set) Has(name Name) bool {
	if bit := bits[name]; bit != 0 {
		return s.known&bit != 0
	}
	if name == Any {
		return !s.Empty()
	}
	return s.Has(UseExtensions) && onePlugin.MatchString(string(name)) ||
		s.plugins != "" && slices.Contains(strings.Fields(s.plugins), string(name))
}

// Lacks returns the first permission of other that s does not have; empty if s has them all.
func (s Set) Lacks(other Set) Name {
	for _, name := range other.Names() {
		if !s.Has(name) {
			return name
		}
	}
	return ""
}

// And returns what both sets have.
func (s Set) And(other Set) Set {
	var both []Name
	for _, name := range s.Names() {
		if other.Has(name) {
			both = append(both, name)
		}
	}
	if other.Has(UseExtensions) {
		return Of(both...)
	}
	for _, name := range strings.Fields(other.plugins) { // s may have all plugins
		if s.Has(Name(name)) {
			both = append(both, Name(name))
		}
	}
	return Of(both...)
}
