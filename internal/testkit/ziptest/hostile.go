package ziptest

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// Hostile is an archive that must not be installed.
type Hostile struct {
	Name  string
	Code  string // of the first issue; one of package errs
	Build func(tb testing.TB) []byte
}

// HostileManifest is the manifest of the plugin in every hostile archive.
const HostileManifest = `{"schemaVersion":1,"slug":"pay","name":"Pay","version":"1.0.0",` +
	`"runtimeType":"internal-fastify","entryModule":"index.js"}`

// HostileArchives returns the corpus. Each archive is a valid plugin but for one thing.
func HostileArchives() []Hostile {
	return slices.Concat(names(), kinds(), twice(), headers(), ends(), zip64(), descriptors(), contents(), bombs())
}

// HarmlessNames are names that look like ways out of a folder to whoever decodes them.
// Nobody does: they are plain names of files.
var HarmlessNames = []string{
	"%2e%2e%2fevil.js", "%252e%252e%252fevil.js", "..%2fevil.js", "..%5cevil.js", "..%c0%afevil.js",
	"=2E=2E=2Fevil.js", "=?utf-8?Q?=2E=2E=2Fevil.js", "+AC4ALgAv-evil.js", "&#46;&#46;&#47;evil.js",
	"．．／evil.js", "..∕evil.js", "․․/evil.js", "~/evil.js", "$HOME/evil.js",
	"-rf.js", "..evil.js", ".js",
}

// plugin returns a valid plugin with more entries in front of its own.
func plugin(more ...RawEntry) Raw {
	return Raw{Entries: append(more,
		RawEntry{Name: "manifest.json", Body: HostileManifest, Deflate: true}, RawEntry{Name: "index.js", Body: "1"})}
}

// with returns a case whose archive has one more entry.
func with(name, code string, e RawEntry) Hostile { return of(name, code, plugin(e)) }

func of(name, code string, a Raw) Hostile {
	return Hostile{Name: name, Code: code, Build: a.Build}
}

// edited returns a case whose archive is changed as a whole.
func edited(name, code string, edit func(b []byte) []byte) Hostile {
	return Hostile{Name: name, Code: code, Build: func(tb testing.TB) []byte {
		tb.Helper()
		return edit(plugin(RawEntry{Name: "a.js", Body: text, Deflate: true}).Build(tb))
	}}
}

// text is what most added files hold.
const text = "export const a = 1; export const b = 1; export const c = 1;"

func names() (list []Hostile) {
	for code, all := range map[string][]string{
		"invalid": {
			"../evil.js", "../../evil.js", "a/../evil.js", "a/../../evil.js", "a/b/../../../evil.js", "a/..", "..", "../",
			"./evil.js", "a/./evil.js", ".", "./", "a//evil.js", "//evil.js", "/evil.js", "/etc/cron.d/evil.js", "/", "",
			`..\evil.js`, `a\..\..\evil.js`, `\evil.js`, `\\host\share\evil.js`, `\\?\C:\evil.js`, `a/..\..\evil.js`,
			`C:\evil.js`, "C:evil.js", "c:/evil.js", "//host/share/evil.js", "//?/C:/evil.js", "file:///evil.js",
			"evil.js:stream.js", "evil.js::$DATA", ".../evil.js", ".. /evil.js", ". ./evil.js ", "evil.js.", "evil.js ",
			"a./b.js", "a /b.js", "evil.js\x00.js", "\x00", "../evil.js\x00.js", "a\nb.js", "a\rb.js", "a\tb.js",
			"\x1b[2Jevil.js", "\x7fevil.js", "\u0085evil.js",
			// They look like other names, or have characters that cannot be seen.
			"evil\u202esj.png", "\u202dsj.live.js", "a\u202a.js", "a\u202b.js", "a\u202c.js", "a\u2066.js", "a\u2067.js",
			"a\u2068.js", "a\u2069.js", "a\u200e.js", "a.js\u200e", "a\u200f.js", "a\u061c.js", "\ufeffa.js", "a\u200b.js",
			"a\u200c.js", "a\u200d.js", "a\u2060.js", "a\u00ad.js", "a\u180e.js", "a\ufff9.js", "a\U000e0061.js", "a\u034f.js",
			"a\u3164.js", "a\u115f.js", "a\ufe0f.js", "a\u2028.js", "a\u2029.js", "a\u00a0.js", "a\u2800.js", "a\u206a.js",
			"manifest\u200d.json", "\u202edir/a.js", "dir\u200b/",
		},
		"not_unicode": {
			"\xc0\xae\xc0\xae/evil.js", "\xc0\xae\xc0\xae\xc0\xafevil.js", "\xe0\x80\xae\xe0\x80\xae/evil.js", "\xff.js",
			"\xed\xa0\x80.js", "gr\xf6\xdfe.js", "gr\x94\xe1e.js", "\x83e\x83X\x83g.js", "\xfe\xff\x00e\x00v.js",
		},
		"out_of_range": {
			strings.Repeat("x", 253) + ".js", strings.Repeat("d/", 33) + "a.js", strings.Repeat("dddd/", 210) + "a.js",
			strings.Repeat("x/", 30_000) + "a.js",
		},
		"unknown_value": {
			"run.sh", "RUN.SH", "setup.exe", "a.js.exe", "a.bat", "a.cmd", "a.dll", "a.so", "a.js.so", "a.dylib", "a.node",
			"Makefile", "a", ".htaccess", "a.php", "a.zip", "a.jsx", "a.svg", ".js/a",
		},
	} {
		for _, name := range all {
			list = append(list, with(fmt.Sprintf("name %.40q", name), code, RawEntry{Name: name, Body: text}))
		}
	}
	list = append(list,
		with("name in another encoding that does not say so", "not_unicode",
			RawEntry{Name: "gr\x94\xe1e.js", Body: text, ASCII: true}),
		with("second name in an extra field", "malformed", RawEntry{
			Name: "a.js", Body: text,
			Extra: append([]byte{0x75, 0x70, 15, 0, 1, 0, 0, 0, 0}, "../evil.js"[:10]...),
		}),
		with("second name that is cut short", "malformed", RawEntry{
			Name: "a.js", Body: text,
			Extra: []byte{0x75, 0x70, 2, 0, 1, 0},
		}),
	)
	slices.SortFunc(list, func(a, b Hostile) int { return strings.Compare(a.Name, b.Name) })
	return list
}

// kinds are entries that are neither files nor folders.
func kinds() []Hostile {
	asi := func(mode uint16, link string) []byte {
		b := binary.LittleEndian.AppendUint16([]byte{0, 0, 0, 0}, mode)
		b = binary.LittleEndian.AppendUint32(b, uint32(len(link)))
		return field(0x756e, append(append(b, 0, 0, 0, 0), link...))
	}
	dos := func(v byte) func([]byte) { return func(b []byte) { b[38] |= v } }
	return []Hostile{
		with("symbolic link", "wrong_type", RawEntry{Name: "l.js", Body: "/etc/passwd", Unix: 0o120777}),
		with("symbolic link to the folder above", "wrong_type", RawEntry{Name: "l.js", Body: "..", Unix: 0o120777}),
		of("symbolic link and a file behind it", "wrong_type", plugin(
			RawEntry{Name: "l.js", Body: "/tmp", Unix: 0o120777}, RawEntry{Name: "l.js/evil.js", Body: text})),
		with("symbolic link named like a folder", "wrong_type", RawEntry{Name: "l/", Unix: 0o120777}),
		with("character device", "wrong_type", RawEntry{Name: "d.js", Unix: 0o020666}),
		with("block device", "wrong_type", RawEntry{Name: "d.js", Unix: 0o060666}),
		with("named pipe", "wrong_type", RawEntry{Name: "p.js", Unix: 0o010666}),
		with("socket", "wrong_type", RawEntry{Name: "s.js", Unix: 0o140777}),
		with("door", "wrong_type", RawEntry{Name: "s.js", Unix: 0o150777}),
		with("whiteout", "wrong_type", RawEntry{Name: "s.js", Unix: 0o160777}),
		with("folder named like a file", "wrong_type", RawEntry{Name: "d.js", Unix: 0o040755}),
		with("file named like a folder", "wrong_type", RawEntry{Name: "d/", Unix: 0o100644}),
		with("folder with content", "wrong_type", RawEntry{Name: "d/", Body: text}),
		with("folder with compressed content", "wrong_type", RawEntry{Name: "d/", Body: text, Deflate: true}),
		with("folder for MS-DOS only", "wrong_type", RawEntry{Name: "d.js", Central: dos(1 << 4)}),
		with("volume label", "wrong_type", RawEntry{Name: "d.js", Central: dos(1 << 3)}),
		with("link in an ASi field", "wrong_type", RawEntry{Name: "l.js", Body: text, Extra: asi(0o120777, "/etc")}),
		with("device in an ASi field", "wrong_type", RawEntry{Name: "l.js", Body: text, Extra: asi(0o020666, "")}),
		with("ASi field that is cut short", "wrong_type",
			RawEntry{Name: "l.js", Body: text, Extra: field(0x756e, []byte{0})}),
		with("link in a PKWARE field", "wrong_type", RawEntry{
			Name: "l.js", Body: text,
			Extra: field(0x000d, append(make([]byte, 12), "/etc"...)),
		}),
	}
}

func field(id uint16, data []byte) []byte {
	b := binary.LittleEndian.AppendUint16(nil, id)
	return append(binary.LittleEndian.AppendUint16(b, uint16(len(data))), data...)
}

// twice are archives with two entries that are one file on some file system.
func twice() (list []Hostile) {
	for _, pair := range [][2]string{
		{"a.js", "a.js"},
		{"a.js", "A.JS"},
		{"ä.js", "Ä.js"},
		{"ß.js", "SS.js"},
		{"ß.js", "ẞ.js"},
		{"ﬁ.js", "FI.js"},
		{"\u212a.js", "k.js"},
		{"\u017f.js", "s.js"},
		{"\u0130.js", "i\u0307.js"},
		{"ς.js", "σ.js"},
		{"ς.js", "Σ.js"},
		{"\u00e9.js", "e\u0301.js"},
		{"\u00c9.js", "e\u0301.js"},
		{"\u212b.js", "\u00e5.js"},
		{"\uac00.js", "\u1100\u1161.js"},
		{"\u1e9b\u0323.js", "\u1e69.js"},
		{"\u03b1\u0345.js", "\u1fb3.js"},
		{"\u0344.js", "\u0308\u0301.js"},
		{"x.js", "x.js/a.js"},
		{"x.js/a.js", "x.js"},
		{"x.js", "X.JS/a.js"},
		{"x.js", "x.js/"},
		{"d/", "d/"},
		{"d/", "D/"},
		{"css/a.css", "CSS/b.css"},
		{"gr\u00f6\u00dfe/a.js", "GRO\u0308SSE/b.js"},
		{"a/b/c.js", "a/B/d.js"},
	} {
		list = append(list, of(fmt.Sprintf("%+q beside %+q", pair[0], pair[1]), "duplicate",
			plugin(RawEntry{Name: pair[0]}, RawEntry{Name: pair[1]})))
	}
	for _, name := range []string{"manifest.json", "MANIFEST.JSON", "index.js/x.js"} {
		list = append(list, with(fmt.Sprintf("%+q before that of the plugin", name), "duplicate",
			RawEntry{Name: name, Body: "{}"}))
	}
	return list
}

func set16(at int, v uint16) func([]byte) {
	return func(b []byte) { binary.LittleEndian.PutUint16(b[at:], v) }
}

func add32(at int, v uint32) func([]byte) {
	return func(b []byte) { binary.LittleEndian.PutUint32(b[at:], binary.LittleEndian.Uint32(b[at:])+v) }
}

func set32(at int, v uint32) func([]byte) {
	return func(b []byte) { binary.LittleEndian.PutUint32(b[at:], v) }
}

// headers are local and central headers with features nobody needs, or that disagree.
func headers() (list []Hostile) {
	for bit := range 16 {
		if bit == 1 || bit == 2 || bit == 3 || bit == 11 {
			continue // how well it is compressed, streamed, UTF-8
		}
		list = append(list, with(fmt.Sprintf("flag %d, such as for encryption", bit), "unsupported",
			RawEntry{Name: "a.js", Body: text, Flags: 1 << bit}))
	}
	for _, method := range []uint16{1, 2, 6, 9, 10, 12, 14, 19, 93, 95, 97, 98, 99, 65535} {
		list = append(list, with(fmt.Sprintf("method %d", method), "unsupported",
			RawEntry{Name: "a.js", Body: text, Central: set16(10, method), Local: set16(8, method)}))
	}
	one := func(name, code string, change func(e *RawEntry)) {
		e := RawEntry{Name: "a.js", Body: text, Deflate: true}
		change(&e)
		list = append(list, with(name, code, e))
	}
	for name, edit := range map[string]func([]byte){
		"flags": set16(6, 1<<11|1<<1), "flags say streamed": set16(6, 1<<11|1<<3), "method": set16(8, 0),
		"checksum": add32(14, 1), "no checksum": set32(14, 0), "packed size": add32(18, 1), "no packed size": set32(18, 0),
		"size": add32(22, 1), "no size": set32(22, 0), "ZIP64 sizes": set32(22, 1<<32-1), "length of the name": set16(26, 3),
		"no name": set16(26, 0), "name": func(b []byte) { b[30] = 'b' }, "case of the name": func(b []byte) { b[30] = 'A' },
		"no signature": set32(0, 0), "a central signature": set32(0, 0x02014b50), "length of the extra field": set16(28, 9),
		"extra field to the end": set16(28, 65535),
	} {
		one("local header: "+name, "malformed", func(e *RawEntry) { e.Local = edit })
	}
	one("central header: stored with two sizes", "malformed", func(e *RawEntry) {
		e.Deflate, e.Central, e.Local = false, add32(24, 5), add32(22, 5)
	})
	one("central header: on another disk", "unsupported", func(e *RawEntry) { e.Central = set16(34, 1) })
	one("central header: offset behind the file", "malformed", func(e *RawEntry) { e.Central = set32(42, 1<<30) })
	one("central header: offset in the directory", "malformed", func(e *RawEntry) { e.Central = add32(42, 400) })
	one("central header: offset of the next entry", "malformed", func(e *RawEntry) { e.Central = add32(42, 80) })
	one("central header: no signature", "malformed", func(e *RawEntry) { e.Central = set32(0, 7) })
	one("central header: name to the end", "malformed", func(e *RawEntry) { e.Central = set16(28, 65535) })
	one("central header: comment to the end", "malformed", func(e *RawEntry) { e.Central = set16(32, 65535) })
	one("data reaches into the next entry", "malformed",
		func(e *RawEntry) { e.Central, e.Local = add32(20, 1), add32(18, 1) })
	one("data ends before the next entry", "malformed",
		func(e *RawEntry) { e.Central, e.Local = add32(20, 1<<32-1), add32(18, 1<<32-1) })
	slices.SortFunc(list, func(a, b Hostile) int { return strings.Compare(a.Name, b.Name) })
	return append(list, overlaps()...)
}

// overlaps are entries that share bytes.
func overlaps() []Hostile {
	whole := plugin(RawEntry{Name: "a.js", Body: text})
	return []Hostile{
		{"an entry inside of the data of another", "malformed", func(tb testing.TB) []byte {
			tb.Helper()
			inner := RawEntry{Name: "b.js", Body: text}
			outer := RawEntry{Name: "a.js", Body: string(inner.local())}
			inside := RawEntry{Name: "b.js", Body: text, Central: set32(42, uint32(30+len("a.js")))}
			a := plugin(outer)
			data := a.Build(tb)
			return addRecord(data, inside.central(0))
		}},
		{"two records of one entry", "malformed", func(tb testing.TB) []byte {
			tb.Helper()
			return addRecord(whole.Build(tb), RawEntry{Name: "a.js", Body: text}.central(0))
		}},
		{"a hundred records of one entry", "malformed", func(tb testing.TB) []byte {
			tb.Helper()
			data := whole.Build(tb)
			for i := range 100 {
				data = addRecord(data, RawEntry{Name: fmt.Sprintf("%d.js", i), Body: text}.central(0))
			}
			return data
		}},
	}
}

// addRecord adds a record to the directory of an archive.
func addRecord(data, record []byte) []byte {
	end := bytes.LastIndex(data, []byte("PK\x05\x06"))
	tail := bytes.Clone(data[end:])
	count := binary.LittleEndian.Uint16(tail[8:]) + 1
	binary.LittleEndian.PutUint16(tail[8:], count)
	binary.LittleEndian.PutUint16(tail[10:], count)
	add32(12, uint32(len(record)))(tail)
	return slices.Concat(data[:end], record, tail)
}
