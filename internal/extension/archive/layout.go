package archive

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"stoa/internal/base/errs"
)

// The records of a ZIP file (APPNOTE.TXT 4.3).
const (
	sigEnd        = 0x06054b50
	sigCentral    = 0x02014b50
	sigLocal      = 0x04034b50
	sigDescriptor = 0x08074b50
	sigLocator64  = 0x07064b50 // of the end record of ZIP64

	lenEnd       = 22
	lenCentral   = 46
	lenLocal     = 30
	lenLocator64 = 20

	maxComment = 1<<16 - 1
	zip64Mark  = 1<<32 - 1 // in place of a value that is elsewhere, in 64 bits
)

// Extra fields that change what an entry is for programs that know them.
const (
	extraZIP64   = 0x0001 // sizes and offset in 64 bits
	extraPKUnix  = 0x000d // PKWARE Unix: a link's target or a device's numbers behind lenPKUnix bytes
	extraASiUnix = 0x756e // ASi Unix: a mode of its own, and a link's target
	extraPath    = 0x7075 // Info-ZIP Unicode Path: another name

	lenPKUnix = 12
)

// Bits of MS-DOS attributes.
const (
	dosVolume = 1 << 3
	dosDir    = 1 << 4
)

// Methods of compression.
const (
	stored   = 0
	deflated = 8
)

// Bits of the flags of an entry. The others stand for encryption, patches and the
// like, which no extension needs.
const (
	flagStreamed = 1 << 3 // sizes and CRC follow the data
	flagsAllowed = 1<<1 | 1<<2 | 1<<11 | flagStreamed
)

// record is an entry of the central directory.
type record struct {
	name         string
	flags        uint16
	method       uint16
	crc          uint32
	packed, size int64  // bytes in the archive, bytes unpacked
	mode         uint32 // of Unix; 0 if the archive does not say
	dos          uint32 // attributes of MS-DOS
	offset       int64  // of the local header
	data         int64  // offset of the packed bytes; set by checkLocal
	extra        []byte // fields for particular programs
	disk         uint16
	bad          bool // it has a fault, and its content cannot be read
}

// readLayout reads the central directory and checks that the file consists of its
// entries, the directory and the end record: no byte before, between or behind
// them, and no byte shared. Any two programs see the same contents in such a file.
// It adds the faults of entries to f; the error says why there are no records.
func readLayout(r io.ReaderAt, size int64, f *faults) ([]record, error) {
	end, err := findEnd(r, size)
	if err != nil {
		return nil, err
	}
	// Read piece by piece: extra fields and comments may be large.
	directory := bufio.NewReader(io.NewSectionReader(r, end.offset, end.size))
	records := make([]record, 0, end.count)
	for range end.count {
		var rec record
		if err := rec.parse(directory); err != nil {
			return nil, err
		}
		if err := rec.check(); err != nil {
			_ = f.add(err)
			rec.bad = true
		}
		// Thousands of entries may have large names and fields. The clipped name is too
		// long, too, and a copy: a part of a string keeps all of it in memory.
		rec.extra = nil
		if len(rec.name) > MaxName+2 {
			rec.name = strings.Clone(rec.name[:MaxName+2])
		}
		records = append(records, rec)
	}
	if _, err := directory.ReadByte(); err == nil {
		return nil, fault("", errs.CodeMalformed, "The central directory holds more than the end record says.")
	}
	checkLocals(r, records, end.offset, f)
	return records, nil
}

type endRecord struct {
	offset, size int64 // of the central directory
	count        int
}

// findEnd reads the end record: the last one in the file, which must end where the
// file does.
func findEnd(r io.ReaderAt, size int64) (endRecord, error) {
	tail := make([]byte, min(size, lenLocator64+lenEnd+maxComment))
	if _, err := r.ReadAt(tail, size-int64(len(tail))); err != nil && err != io.EOF {
		return endRecord{}, fault("", errs.CodeUnreadable, "The archive cannot be read.").Because(err)
	}
	at := bytes.LastIndex(tail, binary.LittleEndian.AppendUint32(nil, sigEnd))
	if at < 0 || len(tail)-at < lenEnd {
		return endRecord{}, fault("", errs.CodeMalformed, "The file is not a ZIP archive: it has no end record.")
	}
	b := fields(tail[at+4:])
	disk, startDisk, here, total := b.u16(), b.u16(), b.u16(), b.u16()
	end := endRecord{size: int64(b.u32()), offset: int64(b.u32()), count: int(total)}
	comment := int(b.u16())
	pos := size - int64(len(tail)-at)
	switch {
	case len(b) != comment:
		return endRecord{}, fault("", errs.CodeMalformed, "There is data after the archive's end record.")
	case total == 1<<16-1 || end.size == zip64Mark || end.offset == zip64Mark:
		return endRecord{}, fault("", errs.CodeUnsupported,
			"ZIP64 archives are not accepted; a package never needs to be one.")
	case disk != 0 || startDisk != 0 || here != total:
		return endRecord{}, fault("", errs.CodeUnsupported, "Archives in several parts are not accepted.")
	case end.count > MaxEntries:
		return endRecord{}, fault("", errs.CodeOutOfRange, "The archive has more than %d entries.", MaxEntries)
	case hasLocator64(tail[:at]):
		// Python, for one, goes by it whatever the end record says.
		return endRecord{}, fault("", errs.CodeUnsupported,
			"ZIP64 archives are not accepted; a package never needs to be one.")
	case end.offset+end.size != pos:
		return endRecord{}, fault("", errs.CodeMalformed, "The central directory does not end where the end record begins.")
	}
	return end, nil
}

// hasLocator64 reports whether what is in front of the end record ends in something that
// some programs take for the locator of a ZIP64 end record.
func hasLocator64(front []byte) bool {
	return len(front) >= lenLocator64 &&
		binary.LittleEndian.Uint32(front[len(front)-lenLocator64:]) == sigLocator64
}

// parse reads the next record.
func (rec *record) parse(r io.Reader) error {
	damaged := fault("", errs.CodeMalformed, "The central directory is damaged.")
	b := make([]byte, lenCentral)
	if _, err := io.ReadFull(r, b); err != nil || binary.LittleEndian.Uint32(b) != sigCentral {
		return damaged.Because(err)
	}
	f := fields(b[4:])
	f.skip(4) // versions
	rec.flags, rec.method = f.u16(), f.u16()
	f.skip(4) // time
	rec.crc = f.u32()
	rec.packed, rec.size = int64(f.u32()), int64(f.u32())
	nameLen, extraLen, commentLen := int(f.u16()), int(f.u16()), int(f.u16())
	rec.disk = f.u16()
	f.skip(2) // internal attributes
	attributes := f.u32()
	rec.mode, rec.dos = attributes>>16, attributes&0xffff
	rec.offset = int64(f.u32())
	rest := make([]byte, nameLen+extraLen+commentLen)
	if _, err := io.ReadFull(r, rest); err != nil {
		return damaged.Because(err)
	}
	rec.name, rec.extra = string(rest[:nameLen]), rest[nameLen:nameLen+extraLen]
	return nil
}

// check refuses names, methods and features that no extension needs.
func (rec *record) check() error {
	switch {
	case len(rec.name) > MaxName+1: // and a slash; first, because what is not UTF-8 is quoted whole
		return fault(strings.ToValidUTF8(rec.name[:64], "")+"…", errs.CodeOutOfRange, "The entry's name is too long.")
	case !utf8.ValidString(rec.name):
		return fault(fmt.Sprintf("%q", rec.name), errs.CodeNotUnicode, "The name of an entry is not UTF-8.")
	case rec.flags&^flagsAllowed != 0:
		return fault(rec.name, errs.CodeUnsupported, "The entry is encrypted or uses features that are not accepted.")
	case rec.method != stored && rec.method != deflated:
		return fault(rec.name, errs.CodeUnsupported, "The entry uses a compression method other than deflate.")
	case rec.packed == zip64Mark || rec.size == zip64Mark || rec.offset == zip64Mark:
		return fault(rec.name, errs.CodeUnsupported, "ZIP64 entries are not accepted; a package never needs one.")
	case rec.method == stored && rec.packed != rec.size:
		return fault(rec.name, errs.CodeMalformed, "The entry is stored uncompressed, but its two sizes differ.")
	case rec.disk != 0:
		return fault(rec.name, errs.CodeUnsupported, "Archives in several parts are not accepted.")
	}
	return checkExtra(rec.name, rec.extra, true)
}

// checkExtra refuses extra fields that make the entry something else for programs that
// know them: another name, a link, other sizes. A field for ZIP64 is only refused in the
// directory, because some programs that stream leave room for it in front of the data.
func checkExtra(name string, extra []byte, central bool) error {
	for len(extra) >= 4 {
		id, n := binary.LittleEndian.Uint16(extra), int(binary.LittleEndian.Uint16(extra[2:]))
		extra = extra[4:]
		if n > len(extra) {
			break // padding: no program reads on either
		}
		field := extra[:n]
		switch {
		case id == extraPath && (n < 5 || string(field[5:]) != name):
			return fault(name, errs.CodeMalformed, "The entry has a second name.")
		case id == extraZIP64 && central:
			return fault(name, errs.CodeUnsupported, "ZIP64 entries are not accepted; a package never needs one.")
		case id == extraPKUnix && n > lenPKUnix, id == extraASiUnix && linkASi(field):
			return fault(name, errs.CodeWrongType, "The entry is neither a regular file nor a directory.")
		}
		extra = extra[n:]
	}
	return nil
}

// linkASi reports whether an ASi Unix field is not that of a file or a directory.
func linkASi(field []byte) bool {
	if len(field) < 6 {
		return true
	}
	kind := uint32(binary.LittleEndian.Uint16(field[4:])) & modeType
	return kind != 0 && kind != modeRegular && kind != modeDir
}

// fields reads little-endian numbers from its front.
type fields []byte

func (f *fields) skip(n int) { *f = (*f)[n:] }

func (f *fields) u16() uint16 {
	v := binary.LittleEndian.Uint16(*f)
	f.skip(2)
	return v
}

func (f *fields) u32() uint32 {
	v := binary.LittleEndian.Uint32(*f)
	f.skip(4)
	return v
}
