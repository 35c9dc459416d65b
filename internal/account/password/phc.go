package password

import (
	"encoding/base64"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"golang.org/x/crypto/argon2"
)

// Params are the costs of argon2id and the lengths of its salt and output.
type Params struct {
	MemoryKiB uint32
	Time      uint32
	Threads   uint8
	SaltLen   int // bytes
	KeyLen    int // bytes
}

// Default are the parameters of new hashes (contract 2.2).
var Default = Params{MemoryKiB: 19 * 1024, Time: 2, Threads: 1, SaltLen: 16, KeyLen: 32}

// Bounds of what a stored hash may demand: a damaged row must not take the machine
// down.
const (
	maxMemoryKiB = 1 << 20 // 1 GiB
	maxTime      = 64
	maxThreads   = 16
	minSaltLen   = 8
	minKeyLen    = 16
	maxLen       = 64
)

// ErrHash says that a stored hash is not one this package made.
var ErrHash = errors.New("password: not an argon2id hash in PHC form")

// phc is a parsed hash.
type phc struct {
	params    Params
	salt, key []byte
}

// b64 is the encoding of PHC strings: standard, without padding. It is strict, so
// that a hash has one spelling.
var b64 = base64.RawStdEncoding.Strict()

func (h phc) String() string {
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version,
		h.params.MemoryKiB, h.params.Time, h.params.Threads, b64.EncodeToString(h.salt), b64.EncodeToString(h.key))
}

// parse reads a PHC string. It returns ErrHash for anything but argon2id of the
// current version within the bounds above.
func parse(s string) (phc, error) {
	parts := strings.Split(s, "$")
	if len(parts) != 6 || parts[0] != "" || parts[1] != "argon2id" || parts[2] != "v="+strconv.Itoa(argon2.Version) {
		return phc{}, ErrHash
	}
	costs := strings.Split(parts[3], ",")
	if len(costs) != 3 {
		return phc{}, ErrHash
	}
	var n [3]uint32
	for i, bound := range []struct {
		name    string
		highest uint32
	}{{"m=", maxMemoryKiB}, {"t=", maxTime}, {"p=", maxThreads}} {
		var ok bool
		if n[i], ok = cost(costs[i], bound.name, bound.highest); !ok {
			return phc{}, ErrHash
		}
	}
	salt, err1 := b64.DecodeString(parts[4])
	key, err2 := b64.DecodeString(parts[5])
	within := len(salt) >= minSaltLen && len(salt) <= maxLen && len(key) >= minKeyLen && len(key) <= maxLen
	if errors.Join(err1, err2) != nil || !within {
		return phc{}, ErrHash
	}
	h := phc{salt: salt, key: key, params: Params{
		MemoryKiB: n[0], Time: n[1], Threads: uint8(n[2]), //nolint:gosec // at most maxThreads
		SaltLen: len(salt), KeyLen: len(key),
	}}
	// The library rounds the memory up to 8 KiB per thread; a hash that states less
	// was not made that way. Comparing the text refuses "m=019456", "m=+1" and line
	// breaks, which the decoders let pass.
	if n[0] < 8*n[2] || h.String() != s {
		return phc{}, ErrHash
	}
	return h, nil
}

// cost reads one parameter, such as "t=2".
func cost(s, name string, highest uint32) (uint32, bool) {
	digits, ok := strings.CutPrefix(s, name)
	if !ok {
		return 0, false
	}
	n, err := strconv.ParseUint(digits, 10, 32)
	if err != nil || n == 0 || n > uint64(highest) {
		return 0, false
	}
	return uint32(n), true
}
