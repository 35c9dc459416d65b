package archive

import (
	"io/fs"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"stoa/internal/base/errs"
	"stoa/internal/base/text"
)

var fonts = []string{".woff", ".woff2"}

// Types of files in a Unix mode.
const (
	modeType    = 0o170000
	modeRegular = 0o100000
	modeDir     = 0o040000
)

// checkEntries applies every rule about names, types and sizes and returns the
// files, their paths without the one folder that may be around everything. It adds
// what is wrong to f.
func checkEntries(records []record, profile Profile, f *faults) []file {
	var files []file
	var size total
	records = slices.DeleteFunc(records, func(r record) bool { return LeftOut(r.name) })
	names := newNames()
	for _, rec := range records {
		name, dir := strings.CutSuffix(rec.name, "/")
		if !utf8.ValidString(name) || len(rec.name) > MaxName+1 {
			continue // the fault is known
		}
		if err := checkName(rec.name, name); err != nil {
			_ = f.add(err)
			continue // a broken name cannot be compared with others
		}
		_ = f.add(names.add(rec.name, name, dir))
		_ = f.add(checkType(rec, dir, profile))
		if !dir {
			_ = f.add(size.add(rec))
			files = append(files, file{record: rec, path: name})
		}
	}
	return strip(files, records, profile)
}

// LeftOut reports whether an entry is what macOS adds to archives that it makes. Such
// entries are not unpacked, and are no fault (contract 4.2).
func LeftOut(entry string) bool {
	return strings.HasPrefix(entry, "__MACOSX/") || path.Base(entry) == ".DS_Store"
}

// checkName checks a name without the slash that marks a directory.
func checkName(entry, name string) error {
	plain := fs.ValidPath(name) && name != "." && !strings.ContainsAny(name, `\:`)
	if !plain || strings.ContainsFunc(name, unicode.IsControl) {
		return fault(entry, errs.CodeInvalid, "The entry's name is not a plain relative path.")
	}
	if i := strings.IndexFunc(name, disguises); i >= 0 {
		r, _ := utf8.DecodeRuneInString(name[i:])
		return fault(entry, errs.CodeInvalid, "The entry's name has the character U+%04X, which cannot be seen "+
			"and may make the name look like another.", r)
	}
	parts := strings.Split(name, "/")
	if slices.ContainsFunc(parts, trimmed) {
		return fault(entry, errs.CodeInvalid, "The entry's name has a part that ends in a dot or a space.")
	}
	long := func(part string) bool { return len(part) > MaxPart }
	if len(name) > MaxName || len(parts) > MaxDepth+1 || slices.ContainsFunc(parts, long) {
		return fault(entry, errs.CodeOutOfRange, "The entry's name is too long.")
	}
	return nil
}

// disguises reports whether a character of a name cannot be seen: a mark that changes the writing
// direction, a byte order mark, a joiner, a separator of lines. With such, a name looks like another
// one to whoever reads it, and is the same as another one on HFS+. The space is the exception.
func disguises(r rune) bool { return r != ' ' && !text.Visible(r) }

// trimmed reports whether Windows would drop the end of a part of a name, which makes
// another name of it.
func trimmed(part string) bool { return strings.HasSuffix(part, ".") || strings.HasSuffix(part, " ") }

// checkType checks what kind of file an entry is, and that its type is among those
// that are allowed.
func checkType(rec record, dir bool, profile Profile) error {
	switch kind := rec.mode & modeType; {
	case dir && (rec.size != 0 || rec.packed != 0 && rec.method == stored || kind != 0 && kind != modeDir):
		return fault(rec.name, errs.CodeWrongType, "The entry is named like a directory but is not one.")
	case dir:
		return nil
	case rec.dos&(dosDir|dosVolume) != 0:
		return fault(rec.name, errs.CodeWrongType, "The entry is named like a file but is not one.")
	case kind != 0 && kind != modeRegular:
		return fault(rec.name, errs.CodeWrongType, "The entry is neither a regular file nor a directory.")
	case !profile.accepts(rec.name):
		return profile.refuseType(rec.name)
	}
	return nil
}

func extension(name string) string { return strings.ToLower(path.Ext(name)) }

// total adds up the sizes that the archive states.
type total struct {
	size, fontSize int64
	fonts          int
}

func (t *total) add(rec record) error {
	if rec.size > RatioFree && rec.size > MaxRatio*rec.packed {
		return fault(rec.name, errs.CodeOutOfRange, "The entry is compressed more than %d:1.", MaxRatio)
	}
	// A limit on the whole archive is reported once, at the entry that crosses it.
	crosses := func(sum *int64, more, limit int64) bool { // sizes have 32 bits: no overflow
		was := *sum
		*sum += more
		return was <= limit && *sum > limit
	}
	if crosses(&t.size, rec.size, MaxUnpacked) {
		return fault(rec.name, errs.CodeOutOfRange, "The archive unpacks to more than %d MiB.", MaxUnpacked>>20)
	}
	if !slices.Contains(fonts, extension(rec.name)) {
		return nil
	}
	t.fonts++
	tooMuch := crosses(&t.fontSize, rec.size, MaxFontTotal)
	switch {
	case rec.size > MaxFont:
		return fault(rec.name, errs.CodeOutOfRange, "The font is larger than %d MiB.", MaxFont>>20)
	case t.fonts == MaxFonts+1:
		return fault(rec.name, errs.CodeOutOfRange, "The archive has more than %d fonts.", MaxFonts)
	case tooMuch:
		return fault(rec.name, errs.CodeOutOfRange, "The archive's fonts take more than %d MiB together.", MaxFontTotal>>20)
	}
	return nil
}

// names finds entries that would be the same file, or a file where another needs a
// folder, on some file system: one that folds case or normalizes Unicode.
type names struct {
	fold cases.Caser
	seen map[string]node // by folded name
	dirs map[string]bool // directories that were put, and so were those around them
}

type node struct {
	name     string // as it was first written
	dir      bool
	explicit bool // has an entry of its own, and is not only part of other names
}

func newNames() *names {
	return &names{fold: cases.Fold(), seen: make(map[string]node), dirs: make(map[string]bool)}
}

func (n *names) add(entry, name string, dir bool) error {
	if err := n.put(entry, node{name: name, dir: dir, explicit: true}); err != nil {
		return err
	}
	for d := path.Dir(name); d != "." && !n.dirs[d]; d = path.Dir(d) {
		if err := n.put(entry, node{name: d, dir: true}); err != nil {
			return err
		}
		n.dirs[d] = true
		if len(n.seen) > 2*MaxEntries {
			return fault(entry, errs.CodeOutOfRange, "The archive has too many directories.")
		}
	}
	return nil
}

func (n *names) put(entry string, new node) error {
	// Folding can undo normalization and the other way round, hence both.
	key := norm.NFC.String(n.fold.String(norm.NFD.String(new.name)))
	old, ok := n.seen[key]
	switch {
	case !ok:
		n.seen[key] = new
		return nil
	case !old.dir || !new.dir || old.name != new.name || old.explicit && new.explicit:
		return fault(entry, errs.CodeDuplicate,
			"The entry's name appears twice, or differs from %q only in case or Unicode form.", old.name)
	}
	old.explicit = old.explicit || new.explicit
	n.seen[key] = old
	return nil
}

// strip removes the top-level folder from the paths if everything in the archive
// is in one folder and the manifest is not at the top.
func strip(files []file, records []record, profile Profile) []file {
	isManifest := func(f file) bool { return f.path == profile.Manifest || f.path == profile.Also }
	if slices.ContainsFunc(files, isManifest) || len(files) == 0 {
		return files
	}
	top, _, _ := strings.Cut(files[0].path, "/")
	inside := func(r record) bool { return strings.HasPrefix(r.name, top+"/") }
	if slices.ContainsFunc(records, func(r record) bool { return !inside(r) }) {
		return files
	}
	for i := range files {
		files[i].path = files[i].path[len(top)+1:]
	}
	return files
}
