package breached

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"iter"
	"slices"
	"strconv"

	"github.com/FastFilter/xorfilter"
)

// perFilter is how many passwords a filter of a file has: building one takes 60 MiB.
const perFilter = 1 << 20

// ErrEmpty says that a list has no password.
var ErrEmpty = errors.New("the list has no password that is common enough")

// Words returns the keys of passwords, for Build.
func Words(words []string) iter.Seq2[uint64, error] {
	keys := make([]uint64, len(words))
	for i, word := range words {
		keys[i] = keyOf(word)
	}
	slices.Sort(keys)
	return func(yield func(uint64, error) bool) {
		for _, key := range keys {
			if !yield(key, nil) {
				return
			}
		}
	}
}

// Hashes returns the keys of passwords that were seen minCount times or more, for Build. r has a line
// HASH:COUNT for each: the SHA-1 of the password in hexadecimal, ordered by hash. An error names the line.
func Hashes(r io.Reader, minCount int) iter.Seq2[uint64, error] {
	return func(yield func(uint64, error) bool) {
		lines, number := bufio.NewScanner(r), 0
		lines.Buffer(make([]byte, 0, 1<<16), 1<<16)
		var last [20]byte
		for lines.Scan() {
			number++
			hash, count, err := readLine(lines.Bytes())
			if err == nil && bytes.Compare(hash[:], last[:]) < 0 {
				err = errors.New("the hashes are not in order")
			}
			if err != nil {
				yield(0, fmt.Errorf("line %d: %w", number, err))
				return
			}
			last = hash
			if count >= minCount && !yield(binary.BigEndian.Uint64(hash[:]), nil) {
				return
			}
		}
		if err := lines.Err(); err != nil {
			yield(0, fmt.Errorf("line %d: %w", number+1, err))
		}
	}
}

func readLine(line []byte) (hash [20]byte, count int, err error) {
	digits, rest, _ := bytes.Cut(bytes.TrimRight(line, "\r"), []byte(":"))
	if len(digits) == hex.EncodedLen(len(hash)) {
		if _, err = hex.Decode(hash[:], digits); err == nil {
			count, err = strconv.Atoi(string(rest))
		}
		if err == nil && count >= 0 {
			return hash, count, nil
		}
	}
	return hash, 0, errors.New("this is not HASH:COUNT, with a SHA-1 hash of 40 hexadecimal digits")
}

// Build writes a filter file of keys that rise, and returns how many there are. Memory does not grow with
// them. The same keys give the same bytes. It returns ErrEmpty, and the errors of keys and of w.
func Build(w io.WriteSeeker, keys iter.Seq2[uint64, error]) (int, error) {
	return build(w, keys, perFilter)
}

func build(w io.WriteSeeker, keys iter.Seq2[uint64, error], most int) (int, error) {
	b := &builder{out: bufio.NewWriter(w)}
	if _, err := w.Seek(headSize, io.SeekStart); err != nil {
		return 0, err
	}
	var batch []uint64
	for key, err := range keys {
		if err != nil {
			return 0, err
		}
		if n := len(batch); n > 0 && batch[n-1] == key {
			continue // twice in the list
		}
		if len(batch) == most {
			if err := b.add(batch); err != nil {
				return 0, err
			}
			batch = batch[:0]
		}
		batch = append(batch, key)
	}
	if len(batch) == 0 {
		return 0, ErrEmpty
	}
	if err := b.add(batch); err != nil {
		return 0, err
	}
	return b.size, b.finish(w)
}

// builder writes filters.
type builder struct {
	out    *bufio.Writer
	filter xorfilter.BinaryFuseBuilder
	table  []byte
	sum    uint32 // of what is written
	size   int
}

// add writes a filter of keys, which are neither empty nor twice there.
func (b *builder) add(keys []uint64) error {
	first := keys[0]
	b.size += len(keys)
	f, err := xorfilter.BuildBinaryFuse[uint16](&b.filter, keys)
	if err != nil {
		return fmt.Errorf("breached: build: %w", err)
	}
	b.table = binary.LittleEndian.AppendUint64(b.table, first)
	b.table = binary.LittleEndian.AppendUint64(b.table, f.Seed)
	b.table = binary.LittleEndian.AppendUint32(b.table, f.SegmentLength)
	b.table = binary.LittleEndian.AppendUint32(b.table, f.SegmentCount)
	prints := make([]byte, 0, 2*len(f.Fingerprints))
	for _, print := range f.Fingerprints {
		prints = binary.LittleEndian.AppendUint16(prints, print)
	}
	return b.write(prints)
}

func (b *builder) write(p []byte) error {
	b.sum = crc32.Update(b.sum, castagnoli, p)
	_, err := b.out.Write(p)
	return err
}

// finish writes the table, and the head to the front.
func (b *builder) finish(w io.WriteSeeker) error {
	if err := errors.Join(b.write(b.table), b.out.Flush()); err != nil {
		return err
	}
	if _, err := w.Seek(0, io.SeekStart); err != nil {
		return err
	}
	head := binary.LittleEndian.AppendUint32([]byte(magic), 0)
	head = binary.LittleEndian.AppendUint32(head, uint32(len(b.table)/rowSize)) //nolint:gosec // 2^52 passwords
	head = binary.LittleEndian.AppendUint64(head, uint64(b.size))               //nolint:gosec // it counts up from 0
	binary.LittleEndian.PutUint32(head[8:], crc32.Update(b.sum, castagnoli, head[12:]))
	_, err := w.Write(head)
	return err
}
