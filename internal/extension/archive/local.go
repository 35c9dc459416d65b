package archive

import (
	"cmp"
	"encoding/binary"
	"io"
	"slices"

	"stoa/internal/base/errs"
)

// checkLocals checks the local header of every record against the directory, and
// that the entries follow one another from the first byte of the file to the first
// of the directory. It sets the records' data offsets and adds what is wrong to f.
func checkLocals(r io.ReaderAt, records []record, directory int64, f *faults) {
	order := make([]*record, len(records))
	for i := range records {
		order[i] = &records[i]
	}
	slices.SortStableFunc(order, func(a, b *record) int { return cmp.Compare(a.offset, b.offset) })

	var pos int64 // where the next entry must begin; checkLocal never goes beyond its offset
	for i, rec := range order {
		next := directory
		if i+1 < len(order) {
			next = order[i+1].offset
		}
		switch {
		case rec.offset > pos && i == 0:
			_ = f.add(fault(rec.name, errs.CodeMalformed, "There is data before the archive's first entry."))
		case rec.offset > pos:
			_ = f.add(fault(rec.name, errs.CodeMalformed, "There is data between the entries that belongs to no entry."))
		}
		pos = next
		if rec.bad {
			continue
		}
		if end, err := rec.checkLocal(r, next); err == nil {
			pos = end
		} else {
			_ = f.add(err)
			rec.bad = true
		}
	}
	if pos != directory {
		_ = f.add(fault("", errs.CodeMalformed,
			"There is data before the central directory that belongs to no entry."))
	}
}

// checkLocal checks one local header and returns where the entry ends. The entry
// must not reach beyond next.
func (rec *record) checkLocal(r io.ReaderAt, next int64) (end int64, err error) {
	damaged := func(err error) (int64, error) {
		return 0, fault(rec.name, errs.CodeMalformed, "The entry's local header is damaged.").Because(err)
	}
	head := make([]byte, lenLocal+len(rec.name))
	if _, err := r.ReadAt(head, rec.offset); err != nil {
		return damaged(err)
	}
	f := fields(head)
	if f.u32() != sigLocal {
		return damaged(nil)
	}
	f.skip(2) // version
	flags, method := f.u16(), f.u16()
	f.skip(4) // time
	crc, packed, size := f.u32(), int64(f.u32()), int64(f.u32())
	nameLen, extraLen := int(f.u16()), int(f.u16())
	same := nameLen == len(rec.name) && string(f) == rec.name && flags == rec.flags && method == rec.method
	known := func(local, directory int64) bool {
		// A streamed entry states these behind its data. Info-ZIP states the unpacked
		// size in front already.
		return local == directory || local == 0 && rec.flags&flagStreamed != 0
	}
	agree := known(int64(crc), int64(rec.crc)) && known(packed, rec.packed) && known(size, rec.size)
	if !same || !agree {
		return 0, fault(rec.name, errs.CodeMalformed, "The entry's local header and the central directory disagree.")
	}
	if err := rec.checkLocalExtra(r, extraLen); err != nil {
		return damaged(err)
	}
	rec.data = rec.offset + int64(len(head)+extraLen)
	end = rec.data + rec.packed
	if end > next {
		return 0, fault(rec.name, errs.CodeMalformed, "The entry overlaps another one.")
	}
	if rec.flags&flagStreamed == 0 {
		return end, nil
	}
	return rec.checkDescriptor(r, end, next)
}

func (rec *record) checkLocalExtra(r io.ReaderAt, n int) error {
	extra := make([]byte, n)
	if _, err := r.ReadAt(extra, rec.offset+lenLocal+int64(len(rec.name))); err != nil {
		return err
	}
	return checkExtra(rec.name, extra, false)
}

// checkDescriptor checks what follows the data of a streamed entry: CRC and
// sizes, with or without a signature in front. It must fill the room up to next.
func (rec *record) checkDescriptor(r io.ReaderAt, at, next int64) (end int64, err error) {
	const lenBare, lenSigned = 12, 16
	n := next - at
	if n != lenBare && n != lenSigned {
		return 0, fault(rec.name, errs.CodeMalformed, "The entry is not followed by its data descriptor.")
	}
	b := make([]byte, n)
	if _, err := r.ReadAt(b, at); err != nil {
		return 0, fault(rec.name, errs.CodeUnreadable, "The archive cannot be read.").Because(err)
	}
	f := fields(b)
	signed := n == lenBare || f.u32() == sigDescriptor
	if !signed || f.u32() != rec.crc || int64(f.u32()) != rec.packed || int64(binary.LittleEndian.Uint32(f)) != rec.size {
		return 0, fault(rec.name, errs.CodeMalformed,
			"The data descriptor after the entry and the central directory disagree.")
	}
	return next, nil
}
