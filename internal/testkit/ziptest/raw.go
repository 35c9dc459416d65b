package ziptest

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"hash/crc32"
	"testing"
)

// Raw is an archive of which every byte can be wrong. Offsets, sizes and checksums are
// right unless a function changes them.
type Raw struct {
	Front   []byte // before the first entry
	Entries []RawEntry
	Middle  []byte              // between the last entry and the directory
	Gap     []byte              // between the directory and the end record
	End     func([]byte) []byte // changes the end record
	Behind  []byte
}

// RawEntry is an entry of a Raw archive.
type RawEntry struct {
	Name, Body string
	Deflate    bool
	Packed     []byte // in place of what Body is compressed to
	Unix       uint32 // the file's mode, type included; 0 means a regular file, or a folder by name
	Flags      uint16
	ASCII      bool   // does not state that the name is UTF-8
	Streamed   bool   // sizes and checksum are behind the data
	Extra      []byte // in both headers
	Comment    []byte // in the directory

	Before     []byte              // between the entry before and this one
	Local      func([]byte)        // changes the local header
	Descriptor func([]byte) []byte // changes what is behind streamed data
	Central    func([]byte)        // changes the directory's record
}

const (
	utf8Flag     = 1 << 11
	streamedFlag = 1 << 3
)

// Build returns the archive.
func (a Raw) Build(testing.TB) []byte {
	out := bytes.Clone(a.Front)
	var directory []byte
	for _, e := range a.Entries {
		out = append(out, e.Before...)
		record := e.central(len(out))
		out = append(out, e.local()...)
		directory = append(directory, record...)
	}
	out = append(out, a.Middle...)
	end := binary.LittleEndian.AppendUint32(nil, 0x06054b50)
	end = append(end, 0, 0, 0, 0)
	end = binary.LittleEndian.AppendUint16(end, uint16(len(a.Entries)))
	end = binary.LittleEndian.AppendUint16(end, uint16(len(a.Entries)))
	end = binary.LittleEndian.AppendUint32(end, uint32(len(directory)))
	end = binary.LittleEndian.AppendUint32(end, uint32(len(out)))
	end = append(end, 0, 0)
	if a.End != nil {
		end = a.End(end)
	}
	out = append(append(out, directory...), a.Gap...)
	return append(append(out, end...), a.Behind...)
}

func (e RawEntry) flags() uint16 {
	f := e.Flags
	if !e.ASCII {
		f |= utf8Flag
	}
	if e.Streamed {
		f |= streamedFlag
	}
	return f
}

func (e RawEntry) method() uint16 {
	if e.Deflate {
		return 8
	}
	return 0
}

func (e RawEntry) packed() []byte {
	switch {
	case e.Packed != nil:
		return e.Packed
	case e.Deflate:
		var b bytes.Buffer
		w, _ := flate.NewWriter(&b, flate.BestCompression) // fails for other levels only
		_, _ = w.Write([]byte(e.Body))
		_ = w.Close()
		return b.Bytes()
	}
	return []byte(e.Body)
}

// sums returns checksum and sizes as headers hold them.
func (e RawEntry) sums() []byte {
	b := binary.LittleEndian.AppendUint32(nil, crc32.ChecksumIEEE([]byte(e.Body)))
	b = binary.LittleEndian.AppendUint32(b, uint32(len(e.packed())))
	return binary.LittleEndian.AppendUint32(b, uint32(len(e.Body)))
}

func (e RawEntry) local() []byte {
	b := binary.LittleEndian.AppendUint32(nil, 0x04034b50)
	b = binary.LittleEndian.AppendUint16(b, 20)
	b = binary.LittleEndian.AppendUint16(b, e.flags())
	b = binary.LittleEndian.AppendUint16(b, e.method())
	b = append(b, 0, 0, 0x21, 0x50) // a time
	if e.Streamed {
		b = append(b, make([]byte, 12)...)
	} else {
		b = append(b, e.sums()...)
	}
	b = binary.LittleEndian.AppendUint16(b, uint16(len(e.Name)))
	b = binary.LittleEndian.AppendUint16(b, uint16(len(e.Extra)))
	b = append(append(b, e.Name...), e.Extra...)
	if e.Local != nil {
		e.Local(b)
	}
	b = append(b, e.packed()...)
	if e.Streamed {
		d := append(binary.LittleEndian.AppendUint32(nil, 0x08074b50), e.sums()...)
		if e.Descriptor != nil {
			d = e.Descriptor(d)
		}
		b = append(b, d...)
	}
	return b
}

func (e RawEntry) central(offset int) []byte {
	b := binary.LittleEndian.AppendUint32(nil, 0x02014b50)
	b = append(b, 20, 3, 20, 0) // made on Unix
	b = binary.LittleEndian.AppendUint16(b, e.flags())
	b = binary.LittleEndian.AppendUint16(b, e.method())
	b = append(b, 0, 0, 0x21, 0x50)
	b = append(b, e.sums()...)
	b = binary.LittleEndian.AppendUint16(b, uint16(len(e.Name)))
	b = binary.LittleEndian.AppendUint16(b, uint16(len(e.Extra)))
	b = binary.LittleEndian.AppendUint16(b, uint16(len(e.Comment)))
	b = append(b, 0, 0, 0, 0) // disk, internal attributes
	mode := e.Unix
	if mode == 0 && len(e.Name) > 0 && e.Name[len(e.Name)-1] == '/' {
		mode = 0o040755
	} else if mode == 0 {
		mode = 0o100644
	}
	b = binary.LittleEndian.AppendUint32(b, mode<<16)
	b = binary.LittleEndian.AppendUint32(b, uint32(offset))
	b = append(append(append(b, e.Name...), e.Extra...), e.Comment...)
	if e.Central != nil {
		e.Central(b)
	}
	return b
}
