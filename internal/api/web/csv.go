package web

import (
	"encoding/csv"
	"iter"
	"net/http"
	"strings"
)

// byteOrderMark makes spreadsheets read a file as UTF-8.
const byteOrderMark = "\uFEFF"

// WriteCSV answers with a table, row by row as rows are read: as RFC 4180 has it, in UTF-8 with a byte order mark. name
// is what the browser calls the file. Cells that others wrote go through CSVText.
//
// It returns the error of rows if nothing was sent yet. After that it breaks the connection off, so that nobody takes
// a part for the whole.
func WriteCSV(w http.ResponseWriter, name string, header []string, rows iter.Seq2[[]string, error]) error {
	out := csv.NewWriter(w)
	out.UseCRLF = true
	started := false
	begin := func() {
		started = true
		DescribeCSV(w, name)
		_, _ = w.Write([]byte(byteOrderMark)) // the next write fails as well
		_ = out.Write(header)
	}
	for row, err := range rows {
		if err != nil && !started {
			return err
		}
		if !started {
			begin()
		}
		if err == nil {
			err = out.Write(row)
		}
		if err != nil {
			panic(http.ErrAbortHandler)
		}
	}
	if !started {
		begin()
	}
	out.Flush()
	return nil
}

// DescribeCSV sets the headers of WriteCSV, which are also what HEAD asks for.
func DescribeCSV(w http.ResponseWriter, name string) {
	NoStore(w)
	w.Header().Set("Content-Type", "text/csv; charset=utf-8; header=present")
	w.Header().Set("Content-Disposition", `attachment; filename="`+name+`"`)
}

// CSVText returns a text for a cell. One that a spreadsheet would take for a formula gets an apostrophe in front.
func CSVText(s string) string {
	if s != "" && strings.ContainsRune("=+-@\t\r\n", rune(s[0])) {
		return "'" + s
	}
	return s
}
