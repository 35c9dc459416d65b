package ziptest

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// ends are files that are more, or less, than one archive.
func ends() (list []Hostile) {
	end := func(name, code string, edit func([]byte)) {
		a := plugin()
		a.End = func(b []byte) []byte { edit(b); return b }
		list = append(list, of("end record: "+name, code, a))
	}
	end("another disk", "unsupported", set16(4, 1))
	end("directory on another disk", "unsupported", set16(6, 1))
	end("fewer entries on this disk", "unsupported", set16(8, 1))
	end("no entries on this disk", "unsupported", set16(8, 0))
	end("fewer entries", "malformed", both16(1))
	end("no entries", "malformed", both16(0))
	end("more entries", "malformed", both16(3))
	end("10,001 entries", "out_of_range", both16(10_001))
	end("smaller directory", "malformed", add32(12, 1<<32-1))
	end("larger directory", "malformed", add32(12, 1))
	end("directory at the next byte", "malformed", add32(16, 1))
	end("directory at the first byte", "malformed", set32(16, 0))
	end("directory behind the file", "malformed", set32(16, 1<<31))
	end("comment that is not there", "malformed", set16(20, 5))

	for name, a := range map[string]Raw{
		"a byte in front":                      {Front: []byte("#")},
		"a script in front":                    {Front: []byte("#!/bin/sh\nexit\n")},
		"a program in front":                   {Front: append([]byte("\x7fELF\x02\x01\x01"), make([]byte, 1000)...)},
		"a byte before the directory":          {Middle: []byte{0}},
		"a hidden entry before the directory":  {Middle: RawEntry{Name: "b.js", Body: text}.local()},
		"a byte between directory and its end": {Gap: []byte{0}},
		"a digital signature of the directory": {Gap: []byte("PK\x05\x05\x02\x00ab")},
		"a byte behind":                        {Behind: []byte{0}},
		"lines behind":                         {Behind: []byte("\r\n\r\n")},
		"zeros behind, as tapes have":          {Behind: make([]byte, 10_240)},
	} {
		a.Entries = plugin().Entries
		list = append(list, of(name, "malformed", a))
	}
	between := plugin()
	between.Entries[1].Before = []byte("hidden")
	list = append(list, of("bytes between entries", "malformed", between))
	slices.SortFunc(list, func(a, b Hostile) int { return strings.Compare(a.Name, b.Name) })
	return append(list, several()...)
}

func both16(v uint16) func([]byte) {
	return func(b []byte) { set16(8, v)(b); set16(10, v)(b) }
}

// several are files with several end records, or none.
func several() []Hostile {
	cut := func(n int) func([]byte) []byte { return func(b []byte) []byte { return b[:len(b)-n] } }
	comment := func(text []byte) func([]byte) []byte {
		return func(b []byte) []byte {
			set16(len(b)-2, uint16(len(text)))(b)
			return append(b, text...)
		}
	}
	begins := func(text string, zeros int) func([]byte) []byte {
		return func([]byte) []byte { return append([]byte(text), make([]byte, zeros)...) }
	}
	return []Hostile{
		edited("an archive behind another", "malformed", func(b []byte) []byte { return append(b, b...) }),
		edited("an archive in the comment of another", "malformed", func(b []byte) []byte {
			return comment(slices.Clone(b))(b)
		}),
		edited("an end record in the comment", "malformed", func(b []byte) []byte {
			return comment(slices.Clone(b[len(b)-22:]))(b)
		}),
		edited("two end records", "malformed", func(b []byte) []byte { return append(b, b[len(b)-22:]...) }),
		edited("the beginning of an end record in the comment", "malformed", func(b []byte) []byte {
			return comment([]byte("PK\x05\x06..."))(b)
		}),
		edited("no end record", "malformed", cut(22)),
		edited("one byte cut off", "malformed", cut(1)),
		edited("cut in the directory", "malformed", cut(60)),
		edited("cut in the middle", "malformed", func(b []byte) []byte { return b[:len(b)/2] }),
		edited("nothing", "malformed", func([]byte) []byte { return nil }),
		edited("only an end record", "required", begins("PK\x05\x06", 18)),
		edited("text", "malformed", func([]byte) []byte { return []byte(strings.Repeat("no archive ", 9)) }),
		edited("a gzip file", "malformed", begins("\x1f\x8b\x08", 99)),
		edited("a tar file", "malformed", begins("manifest.json", 1011)),
	}
}

// zip64 are archives that say to be larger than they are.
func zip64() (list []Hostile) {
	locator := append(binary.LittleEndian.AppendUint32(nil, 0x07064b50), make([]byte, 16)...)
	record := append(binary.LittleEndian.AppendUint32(nil, 0x06064b50), make([]byte, 52)...)
	last := func(a Raw) *RawEntry { return &a.Entries[len(a.Entries)-1] }
	hidden, long, between := plugin(), plugin(), plugin()
	last(hidden).Comment = slices.Concat(record, locator)
	last(long).Comment = slices.Concat(record, locator)
	long.End = func(b []byte) []byte { set16(20, 65535)(b); return append(b, bytes.Repeat([]byte{'c'}, 65535)...) }
	between.Gap = slices.Concat(record, locator)
	list = append(list, of("ZIP64 locator in the last comment", "unsupported", hidden),
		of("ZIP64 locator in the last comment, before the longest comment", "unsupported", long),
		of("ZIP64 end record that the end record does not ask for", "unsupported", between))
	for name, edit := range map[string]func([]byte){
		"count": both16(65535), "size": set32(12, 1<<32-1), "offset": set32(16, 1<<32-1),
	} {
		for _, found := range []bool{true, false} {
			a := plugin()
			a.End = func(b []byte) []byte { edit(b); return b }
			if found {
				a.Gap = slices.Concat(record, locator)
			}
			what := fmt.Sprintf("ZIP64 for the directory's %s, with a record: %v", name, found)
			list = append(list, of(what, "unsupported", a))
		}
	}
	sizes := func(values ...uint64) (b []byte) {
		for _, v := range values {
			b = binary.LittleEndian.AppendUint64(b, v)
		}
		return b
	}
	for name, extra := range map[string][]byte{
		"that lies":          field(1, sizes(1, 2)),
		"that tells true":    field(1, sizes(uint64(len(text)), uint64(len(text)))),
		"of a huge size":     field(1, sizes(1<<63, 1<<63)),
		"with other offset":  field(1, sizes(1, 2, 3)),
		"that is cut short":  field(1, []byte{1, 2, 3}),
		"that is empty":      field(1, nil),
		"behind another one": slices.Concat(field(0x5455, []byte{0}), field(1, sizes(5))),
	} {
		list = append(list, with("ZIP64 field "+name, "unsupported", RawEntry{Name: "a.js", Body: text, Extra: extra}))
	}
	for name, at := range map[string]int{"size": 24, "packed size": 20, "offset": 42} {
		list = append(list, with("ZIP64 entry: "+name, "unsupported",
			RawEntry{Name: "a.js", Body: text, Extra: field(1, sizes(5)), Central: set32(at, 1<<32-1)}),
			with("ZIP64 entry without a field: "+name, "unsupported",
				RawEntry{Name: "a.js", Body: text, Central: set32(at, 1<<32-1)}))
	}
	slices.SortFunc(list, func(a, b Hostile) int { return strings.Compare(a.Name, b.Name) })
	return list
}

// descriptors are streamed entries whose sizes and checksum are told wrong.
func descriptors() (list []Hostile) {
	for name, edit := range map[string]func([]byte) []byte{
		"signature":    func(b []byte) []byte { b[0] = 'X'; return b },
		"checksum":     func(b []byte) []byte { add32(4, 1)(b); return b },
		"packed size":  func(b []byte) []byte { add32(8, 1)(b); return b },
		"size":         func(b []byte) []byte { add32(12, 1)(b); return b },
		"no checksum":  func(b []byte) []byte { set32(4, 0)(b); return b },
		"in 64 bits":   func(b []byte) []byte { return slices.Concat(b[:12], make([]byte, 4), b[12:], make([]byte, 4)) },
		"missing":      func([]byte) []byte { return nil },
		"cut short":    func(b []byte) []byte { return b[:11] },
		"twice":        func(b []byte) []byte { return slices.Concat(b, b) },
		"one too long": func(b []byte) []byte { return append(b, 0) },
	} {
		list = append(list, with("data descriptor: "+name, "malformed",
			RawEntry{Name: "a.js", Body: text, Deflate: true, Streamed: true, Descriptor: edit}))
	}
	slices.SortFunc(list, func(a, b Hostile) int { return strings.Compare(a.Name, b.Name) })
	return list
}

// contents are archives whose headers agree, with each other but not with the data.
func contents() []Hostile {
	lie := func(name string, e RawEntry, size int) Hostile {
		e.Name = "a.js"
		e.Central, e.Local = add32(24, uint32(size)), add32(22, uint32(size))
		return with(name, "malformed", e)
	}
	squeezed := RawEntry{Body: text, Deflate: true}.packed()
	wrongSum := with("data with another checksum", "malformed", RawEntry{
		Name: "a.js", Body: text,
		Central: add32(16, 1), Local: add32(14, 1),
	})
	return []Hostile{
		wrongSum,
		with("compressed data with another checksum", "malformed", RawEntry{
			Name: "a.js", Body: text, Deflate: true,
			Central: add32(16, 1), Local: add32(14, 1),
		}),
		lie("unpacks to more than it says", RawEntry{Body: text, Deflate: true}, -1),
		lie("unpacks to less than it says", RawEntry{Body: text, Deflate: true}, 1),
		lie("unpacks to more than nothing", RawEntry{Body: text, Deflate: true}, -len(text)),
		lie("a bomb that says to be small", RawEntry{Body: strings.Repeat("A", 4<<20), Deflate: true}, 100-4<<20),
		lie("data that cannot be unpacked", RawEntry{Body: text, Deflate: true, Packed: []byte{0xff, 0xff, 0xff}}, 0),
		lie("data that is cut short", RawEntry{Body: text, Deflate: true, Packed: squeezed[:len(squeezed)-9]}, 0),
		lie("no data", RawEntry{Body: text, Deflate: true, Packed: []byte{}}, 0),
		lie("data behind the compressed data", RawEntry{
			Body: text, Deflate: true,
			Packed: append(slices.Clone(squeezed), "hidden"...),
		}, 0),
		lie("a second stream behind the compressed data", RawEntry{
			Body: text, Deflate: true,
			Packed: slices.Concat(squeezed, squeezed),
		}, 0),
		lie("reserved block type", RawEntry{Body: text, Deflate: true, Packed: []byte{0x07, 0, 0}}, 0),
	}
}

// bombs are archives that are too large, at once or in the end.
func bombs() []Hostile {
	zeros := strings.Repeat("\x00", 2<<20)
	count := func(n int) func(tb testing.TB) []byte {
		return func(tb testing.TB) []byte {
			tb.Helper()
			a := plugin()
			for i := range n - len(a.Entries) {
				a.Entries = append(a.Entries, RawEntry{Name: fmt.Sprintf("%d.js", i)})
			}
			return a.Build(tb)
		}
	}
	many := func(n int, size int, name string) func(tb testing.TB) []byte {
		return func(tb testing.TB) []byte {
			tb.Helper()
			a := plugin()
			packed := RawEntry{Body: strings.Repeat("\x00", size), Deflate: true}.packed()
			for i := range n {
				e := RawEntry{Name: fmt.Sprintf(name, i), Packed: packed, Deflate: true}
				e.Central, e.Local = set32(24, uint32(size)), set32(22, uint32(size))
				a.Entries = append(a.Entries, e)
			}
			return a.Build(tb)
		}
	}
	return []Hostile{
		with("bomb of one file", "out_of_range", RawEntry{Name: "a.js", Body: zeros, Deflate: true}),
		with("bomb in the manifest's place", "out_of_range", RawEntry{Name: "b/manifest.json", Body: zeros, Deflate: true}),
		{"bomb of many files", "out_of_range", many(1025, 1<<20, "%d.js")},
		{"bomb in a bomb", "unknown_value", func(tb testing.TB) []byte {
			tb.Helper()
			inner := many(16, 1<<20, "%d.js")(tb)
			for range 3 {
				a := plugin()
				for i := range 4 {
					a.Entries = append(a.Entries, RawEntry{Name: fmt.Sprintf("%d.zip", i), Body: string(inner), Deflate: true})
				}
				inner = a.Build(tb)
			}
			return inner
		}},
		{"10,001 entries", "out_of_range", count(10_001)},
		{"65,534 entries", "out_of_range", count(65_534)},
		{"65,535 entries", "unsupported", count(65_535)},
		{"65,536 entries, counted as none", "malformed", count(65_536)},
		{"65,538 entries, counted as two", "malformed", count(65_538)},
		{"51 fonts", "out_of_range", many(51, 1, "%d.woff2")},
		{"a font over 2 MB", "out_of_range", func(tb testing.TB) []byte {
			tb.Helper()
			return plugin(RawEntry{Name: "a.woff", Body: strings.Repeat("0123456789abcdef", 2<<16) + "x"}).Build(tb)
		}},
		{"fonts over 20 MB together", "out_of_range", many(21, 1<<20, "%d.WOFF2")},
		{"manifest over 1 MiB", "out_of_range", func(tb testing.TB) []byte {
			tb.Helper()
			a := plugin()
			a.Entries[0].Body += strings.Repeat(" \n\t", 1<<19)
			a.Entries[0].Deflate = false
			return a.Build(tb)
		}},
	}
}
