package child

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// version is a version of Node.js.
type version struct{ major, minor int }

// minimum is the oldest usable version: earlier ones do not know every ES module
// that no package.json declares.
var minimum = version{20, 19}

func (v version) String() string { return fmt.Sprintf("%d.%d", v.major, v.minor) }

func (v version) atLeast(major, minor int) bool {
	return v.major > major || v.major == major && v.minor >= minor
}

// binary is a usable Node.js.
type binary struct {
	path      string // absolute
	release   string // the whole version, such as v22.21.1
	version   version
	libraries []string // what it is linked with
}

const howToInstall = "internal plugins need Node.js 20.19 or newer (22 is recommended): " +
	"install it, or name it with --node or STOA_NODE"

var versionPattern = regexp.MustCompile(`^v(\d{1,4})\.(\d{1,4})\.`)

// findNode returns the Node.js at path, which is looked up in PATH if it has no
// slash. The error says what an administrator has to do.
func findNode(path string, limit time.Duration) (binary, error) {
	found, err := exec.LookPath(path)
	if err != nil {
		return binary{}, fmt.Errorf("%s: %w", howToInstall, err)
	}
	found, err = filepath.Abs(found)
	if err != nil {
		return binary{}, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, found, "--version") //nolint:gosec // the administrator's Node.js
	cmd.Env = []string{}
	out, err := cmd.Output()
	if err != nil {
		return binary{}, fmt.Errorf("%s: %s --version: %w", howToInstall, found, err)
	}
	v, err := parseVersion(string(out))
	if err != nil {
		return binary{}, fmt.Errorf("%s: %s --version: %w", howToInstall, found, err)
	}
	if !v.atLeast(minimum.major, minimum.minor) {
		return binary{}, fmt.Errorf("%s: %s is version %s", howToInstall, found, v)
	}
	return binary{path: found, release: strings.TrimSpace(string(out)), version: v}, nil
}

func parseVersion(out string) (version, error) {
	m := versionPattern.FindStringSubmatch(out)
	if m == nil {
		return version{}, errors.New("this is not a version of Node.js")
	}
	major, err1 := strconv.Atoi(m[1])
	minor, err2 := strconv.Atoi(m[2])
	return version{major, minor}, errors.Join(err1, err2)
}

// flags returns the options with which this version applies the permission model
// and loads all shapes of packages.
func (n binary) flags() []string {
	v := n.version
	flags := []string{"--disable-warning=ExperimentalWarning", "--disable-warning=SecurityWarning"}
	if v.atLeast(23, 5) || v.major == 22 && v.minor >= 13 {
		flags = append(flags, "--permission")
	} else {
		flags = append(flags, "--experimental-permission")
	}
	if v.atLeast(25, 0) {
		// From this version on, the permission model covers the network as well.
		// Plugins behave alike on all versions.
		flags = append(flags, "--allow-net")
	}
	if v.atLeast(22, 5) {
		// It opens any file that the system lets it open, whatever the flags say.
		flags = append(flags, "--no-experimental-sqlite")
	}
	if !v.atLeast(22, 7) {
		flags = append(flags, "--experimental-detect-module")
	}
	return flags
}

// scopeFlags returns the options that older versions need to load a package in dir
// below the folder data: they look for package.json in the folders above it as well,
// and for modules up to where they find them, and fail when they may not.
func (n binary) scopeFlags(dir, data string) []string {
	if n.version.atLeast(20, 20) {
		return nil
	}
	var flags []string
	inside := true
	for parent := filepath.Dir(dir); ; parent = filepath.Dir(parent) {
		flags = append(flags, "--allow-fs-read="+filepath.Join(parent, "package.json"))
		if inside = inside && parent != data && parent != filepath.Dir(parent); inside {
			flags = append(flags, "--allow-fs-read="+filepath.Join(parent, "node_modules", "*"))
		}
		if parent == filepath.Dir(parent) {
			return flags
		}
	}
}
