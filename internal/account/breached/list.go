package breached

import (
	"crypto/sha1" //nolint:gosec // lists of leaked passwords are lists of SHA-1 hashes; nothing is protected by it
	"encoding/binary"
	"errors"
	"hash/crc32"
	"slices"
	"strings"
	"unsafe"

	"github.com/FastFilter/xorfilter"
)

// A file is a head, the fingerprints of all filters one after another, and a table with a row for each
// filter. All numbers are little-endian.
//
//	head: magic (8 bytes), CRC-32C of what follows the head, and of the two numbers behind the sum (4),
//	      number of filters (4), of passwords (8)
//	row:  the first key of the filter (8), seed (8), length of a segment (4), number of segments (4)
//
// Keys rise from filter to filter, so that a file is built and read piece by piece.
const (
	magic    = "stoabp1\n"
	headSize = 24
	rowSize  = 24
	// maxSegment is the longest segment that the library makes.
	maxSegment = 1 << 18
	// arity is how many fingerprints a password has.
	arity = 3
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// errBroken says that a file is not a filter file, or no longer what it was when it was built.
var errBroken = errors.New("this is not a filter file of stoa passwords build, or it is damaged: build it again")

// List is a set of passwords. The zero value and nil have none. It is safe for concurrent use.
type List struct {
	first   []uint64 // the first key of each filter, rising
	filters []xorfilter.BinaryFuse[uint16]
	size    uint64

	// anyCase says that the list was written in lower case, whatever case people use.
	anyCase bool
}

// Size returns how many passwords the list was built of.
func (l *List) Size() int {
	if l == nil {
		return 0
	}
	return int(l.size) //nolint:gosec // parse has compared it with the size of the file
}

// Has reports whether a password is in the list.
func (l *List) Has(password string) bool {
	if l == nil || password == "" {
		return false
	}
	if l.hasKey(keyOf(password)) {
		return true
	}
	if !l.anyCase {
		return false
	}
	lower := strings.ToLower(password)
	return lower != password && l.hasKey(keyOf(lower))
}

func (l *List) hasKey(key uint64) bool {
	i, found := slices.BinarySearch(l.first, key)
	if !found {
		i--
	}
	return i >= 0 && l.filters[i].Contains(key)
}

// keyOf returns what stands for a password in filters.
func keyOf(password string) uint64 {
	sum := sha1.Sum([]byte(password)) //nolint:gosec // see the import
	return binary.BigEndian.Uint64(sum[:])
}

// parse reads a filter file, which must not change while the List is used. body is the CRC-32C of what
// follows the head.
func parse(file []byte, body uint32) (*List, error) {
	if len(file) < headSize || string(file[:len(magic)]) != magic ||
		binary.LittleEndian.Uint32(file[8:]) != crc32.Update(body, castagnoli, file[12:headSize]) {
		return nil, errBroken
	}
	count := int(binary.LittleEndian.Uint32(file[12:]))
	l := &List{size: binary.LittleEndian.Uint64(file[16:])}
	rest := file[headSize:]
	if count > len(rest)/rowSize {
		return nil, errBroken
	}
	table := rest[len(rest)-count*rowSize:]
	rest = rest[:len(rest)-len(table)]
	for row := range slices.Chunk(table, rowSize) {
		first := binary.LittleEndian.Uint64(row)
		if n := len(l.first); n > 0 && first <= l.first[n-1] {
			return nil, errBroken
		}
		f := xorfilter.BinaryFuse[uint16]{
			Seed: binary.LittleEndian.Uint64(row[8:]), SegmentLength: binary.LittleEndian.Uint32(row[16:]),
			SegmentCount: binary.LittleEndian.Uint32(row[20:]),
		}
		if !complete(&f, &rest) {
			return nil, errBroken
		}
		l.first, l.filters = append(l.first, first), append(l.filters, f)
	}
	if len(rest) != 0 || l.size > uint64(len(file)) {
		return nil, errBroken
	}
	return l, nil
}

// complete sets what follows from a filter's segments, and takes its fingerprints off the front of rest.
// It reports whether the filter can be asked: Contains trusts these numbers.
func complete(f *xorfilter.BinaryFuse[uint16], rest *[]byte) bool {
	length, segments := uint64(f.SegmentLength), uint64(f.SegmentCount)
	if length == 0 || length > maxSegment || length&(length-1) != 0 || segments == 0 {
		return false
	}
	prints := (segments + arity - 1) * length // no overflow: 32 and 18 bits
	if prints > uint64(len(*rest)/2) {
		return false
	}
	f.SegmentLengthMask = f.SegmentLength - 1
	f.SegmentCountLength = f.SegmentCount * f.SegmentLength
	f.Fingerprints = numbers((*rest)[:2*prints])
	*rest = (*rest)[2*prints:]
	return true
}

// numbers returns the little-endian numbers in b, in place where the machine reads them so.
func numbers(b []byte) []uint16 {
	at := unsafe.Pointer(unsafe.SliceData(b)) //nolint:gosec // only its alignment is looked at
	if binary.NativeEndian.Uint16([]byte{1, 0}) == 1 && uintptr(at)%2 == 0 {
		return unsafe.Slice((*uint16)(at), len(b)/2) //nolint:gosec // aligned, and within b
	}
	out := make([]uint16, len(b)/2)
	for i := range out {
		out[i] = binary.LittleEndian.Uint16(b[2*i:])
	}
	return out
}
