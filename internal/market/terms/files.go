package terms

import (
	"crypto/sha256"
	"encoding/hex"
	"path"
	"strconv"
	"strings"
	"time"

	"stoa/internal/extension/manifest"
	"stoa/internal/shop/product"
)

// The paths of a market, below its address. They end in a slash: a file's name follows.
const (
	Prefix       = "/api/market/v1/"
	MetadataPath = Prefix + "tuf/"
	TargetPath   = Prefix + "targets/"
	PackagePath  = Prefix + "packages/" // then the product's slug, a slash and a version
)

// The roles that every market has, by TUF's names.
const (
	Root      = "root"
	Timestamp = "timestamp"
	Snapshot  = "snapshot"
	Targets   = "targets"
)

// The targets that are no packages.
const (
	MarketFile      = "market.json"
	LicenseKeysFile = "license-keys.json"
	RecallsFile     = "recalls.json"
)

// LicenseScheme is the scheme of the Authorization header that carries a license key.
const LicenseScheme = "License"

const (
	rolePrefix    = "p-"
	metadataEnd   = ".json"
	packageEnd    = ".zip"
	fingerprintAs = sha256.Size * 2 // hex digits
)

// RoleOf returns the role for the packages of a product.
func RoleOf(productSlug string) string { return rolePrefix + productSlug }

// ProductOf reverses RoleOf. ok is false for a role that belongs to no product.
func ProductOf(role string) (productSlug string, ok bool) {
	slug, ok := strings.CutPrefix(role, rolePrefix)
	return slug, ok && product.ValidSlug(slug)
}

// PathsOf returns the pattern of the targets that the role of a product may have.
func PathsOf(productSlug string) string { return productSlug + "/*" }

// MetadataFile returns the name of the file with a version of a role. The timestamp has one name
// for all versions.
func MetadataFile(role string, version int64) string {
	if role == Timestamp {
		return role + metadataEnd
	}
	return strconv.FormatInt(version, 10) + "." + role + metadataEnd
}

// ParseMetadataFile reverses MetadataFile. The version of the timestamp is 0. ok is false for every
// other name.
func ParseMetadataFile(name string) (role string, version int64, ok bool) {
	if name == Timestamp+metadataEnd {
		return Timestamp, 0, true
	}
	number, rest, _ := strings.Cut(name, ".")
	role, ok = strings.CutSuffix(rest, metadataEnd)
	version, err := strconv.ParseInt(number, 10, 64)
	if !ok || err != nil || version < 1 || MetadataFile(role, version) != name {
		return "", 0, false
	}
	_, ofProduct := ProductOf(role)
	if !ofProduct && role != Root && role != Snapshot && role != Targets {
		return "", 0, false
	}
	return role, version, true
}

// PackageTarget returns the target path of a version of a product's package.
func PackageTarget(productSlug, version string) string {
	return productSlug + "/" + version + packageEnd
}

// ParsePackageTarget reverses PackageTarget. ok is false for every other path.
func ParsePackageTarget(target string) (productSlug, version string, ok bool) {
	productSlug, file, _ := strings.Cut(target, "/")
	version, ok = strings.CutSuffix(file, packageEnd)
	if !ok || !product.ValidSlug(productSlug) || !manifest.IsVersion(version) {
		return "", "", false
	}
	return productSlug, version, true
}

// ServedAs returns the path, below TargetPath, of a target with that SHA-256 in hex.
func ServedAs(target, hash string) string {
	dir, file := path.Split(target)
	return dir + hash + "." + file
}

// ParseServed reverses ServedAs. ok is false for every other path.
func ParseServed(served string) (target, hash string, ok bool) {
	dir, file := path.Split(served)
	hash, file, ok = strings.Cut(file, ".")
	if !ok || !IsHash(hash) || file == "" || path.Clean(served) != served || strings.HasPrefix(served, "/") {
		return "", "", false
	}
	return dir + file, hash, true
}

// IsHash reports whether a text is a SHA-256 in lower-case hex.
func IsHash(s string) bool {
	sum, err := hex.DecodeString(s)
	return err == nil && len(s) == fingerprintAs && hex.EncodeToString(sum) == s
}

// Fingerprint returns what a market is known by: the SHA-256 of its first root, in lower-case hex.
func Fingerprint(firstRoot []byte) string {
	sum := sha256.Sum256(firstRoot)
	return hex.EncodeToString(sum[:])
}

// How long metadata is good after it was signed.
const (
	day           = 24 * time.Hour
	RootLife      = 400 * day
	TimestampLife = day
	SnapshotLife  = 7 * day
	TargetsLife   = 90 * day // of the roles of products too
)

// Life returns how long metadata of a role is good.
func Life(role string) time.Duration {
	switch role {
	case Root:
		return RootLife
	case Timestamp:
		return TimestampLife
	case Snapshot:
		return SnapshotLife
	}
	return TargetsLife
}

// Sizes of metadata in bytes. A market publishes nothing that would exceed them, and another stoa
// reads no more.
const (
	MaxTimestamp = 1 << 10
	MaxTargets   = 4 << 20
	MaxMetadata  = 1 << 20  // of any other role
	MaxHeld      = 32 << 20 // of one market together, in another stoa
)

// MaxSize returns the size of the largest metadata of a role.
func MaxSize(role string) int64 {
	switch role {
	case Timestamp:
		return MaxTimestamp
	case Targets:
		return MaxTargets
	}
	return MaxMetadata
}

// NextVersion returns the version of what is signed at a time, after the version last: the time in
// seconds, so that a database from a backup does not use a version again, or one more than last where
// the clock is behind. Roots count on their own.
func NextVersion(last int64, now time.Time) int64 { return max(last+1, now.Unix()) }
