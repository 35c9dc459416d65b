package archive_test

import (
	"encoding/binary"
	"io"
	"runtime"
	"strings"
	"testing"

	"stoa/internal/extension/archive"
)

// longNames is an archive of entries with the longest names that a ZIP file can have. It is made as it is
// read, and has nothing but a central directory.
type longNames struct {
	record string // each of them
	end    string
	count  int

	held uint64 // bytes of the heap when the end of the directory was read
}

func (l *longNames) directory() int64 { return int64(l.count) * int64(len(l.record)) }
func (l *longNames) size() int64      { return l.directory() + int64(len(l.end)) }

func (l *longNames) ReadAt(p []byte, at int64) (n int, err error) {
	if before := l.directory(); at < before && at+int64(len(p)) >= before {
		l.held = heap()
	}
	for n < len(p) {
		var from string
		if at := at + int64(n); at < l.directory() {
			from = l.record[at%int64(len(l.record)):]
		} else if at < l.size() {
			from = l.end[at-l.directory():]
		} else {
			return n, io.EOF
		}
		n += copy(p[n:], from)
	}
	return n, nil
}

func heap() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// Of a name that is too long only its beginning is kept: thousands of them would take as much memory as
// the archive. Not parallel, because it measures what the whole process holds.
func TestLongNamesAreNotKeptInMemory(t *testing.T) { //nolint:paralleltest // see above
	const count, length = 2000, 1<<16 - 1
	record := make([]byte, 46)
	binary.LittleEndian.PutUint32(record, 0x02014b50)
	set16(record, 28, length)
	end := make([]byte, 22)
	binary.LittleEndian.PutUint32(end, 0x06054b50)
	set16(end, 8, count)
	set16(end, 10, count)
	l := &longNames{record: string(record) + strings.Repeat("a", length), end: string(end), count: count}
	set32(end, 12, uint32(l.directory()))
	l.end = string(end)
	before := heap()
	if _, err := archive.Inspect(l, l.size(), archive.Profile{Manifest: "manifest.json", MaxSize: 1 << 30}); err == nil {
		t.Error("such an archive is accepted")
	}
	if l.held == 0 {
		t.Fatal("the directory was not read to its end")
	}
	const each = 2 << 10 // and what is known of an entry
	if held := int64(l.held) - int64(before); held > count*2*each {
		t.Errorf("%d entries hold %d KiB", count, held>>10)
	}
}
