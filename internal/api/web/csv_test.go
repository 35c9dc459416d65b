package web_test

import (
	"encoding/csv"
	"errors"
	"iter"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"stoa/internal/api/web"
)

// rowsThen yields rows, and then an error unless it is nil.
func rowsThen(err error, rows ...[]string) iter.Seq2[[]string, error] {
	return func(yield func([]string, error) bool) {
		for _, r := range rows {
			if !yield(r, nil) {
				return
			}
		}
		if err != nil {
			yield(nil, err)
		}
	}
}

func TestATableIsWrittenAsSpreadsheetsReadIt(t *testing.T) {
	t.Parallel()

	for _, tt := range []struct {
		name string
		rows [][]string
		want string
	}{
		{"no rows", nil, "id,name\r\n"},
		{"plain", [][]string{{"1", "Ada"}, {"2", "Bob"}}, "id,name\r\n1,Ada\r\n2,Bob\r\n"},
		{"what must be quoted", [][]string{{"1", "a,b\"c\nd"}}, "id,name\r\n1,\"a,b\"\"c\r\nd\"\r\n"},
	} {
		w := httptest.NewRecorder()
		if err := web.WriteCSV(w, "list.csv", []string{"id", "name"}, rowsThen(nil, tt.rows...)); err != nil {
			t.Fatal(err)
		}
		if got := w.Body.String(); got != "\uFEFF"+tt.want {
			t.Errorf("%s: %q, want a byte order mark and %q", tt.name, got, tt.want)
		}
		for name, want := range map[string]string{
			"Content-Type":        "text/csv; charset=utf-8; header=present",
			"Content-Disposition": `attachment; filename="list.csv"`,
			"Cache-Control":       "no-store",
		} {
			if got := w.Header().Get(name); got != want {
				t.Errorf("%s: %s: %q, want %q", tt.name, name, got, want)
			}
		}
	}
}

func TestATableThatBreaksOffIsNoWholeAnswer(t *testing.T) {
	t.Parallel()

	broken := errors.New("the database is away")
	w := httptest.NewRecorder()
	if err := web.WriteCSV(w, "list.csv", []string{"id"}, rowsThen(broken)); !errors.Is(err, broken) {
		t.Errorf("before the first row: %v, want the error", err)
	}
	if w.Body.Len() > 0 || w.Header().Get("Content-Type") != "" {
		t.Errorf("something was sent: %q, %v", w.Body, w.Header())
	}
	defer func() {
		if p := recover(); p != http.ErrAbortHandler { //nolint:errorlint // panics carry the value itself
			t.Errorf("after it: %v, want the connection broken off", p)
		}
	}()
	_ = web.WriteCSV(httptest.NewRecorder(), "list.csv", []string{"id"}, rowsThen(broken, []string{"1"}))
	t.Error("after it: the answer ends as if it were whole")
}

func TestATextIsNoFormula(t *testing.T) {
	t.Parallel()

	for text, want := range map[string]string{
		"": "", "Ada": "Ada", "a=1": "a=1", " =1": " =1", "'=1": "'=1", "é": "é",
		"=1+1": "'=1+1", "+1": "'+1", "-1": "'-1", "@SUM(A1)": "'@SUM(A1)", "\t=1": "'\t=1", "\r=1": "'\r=1", "\n=1": "'\n=1",
	} {
		if got := web.CSVText(text); got != want {
			t.Errorf("CSVText(%q) = %q, want %q", text, got, want)
		}
	}
}

// Whatever people wrote stays one cell, and no formula.
func FuzzCSVText(f *testing.F) {
	for _, seed := range []string{"", "=cmd|' /C calc'!A0", "a\r\n=b", "\"", "\x00", "\xff=", "\r", "a,\"=1\""} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		w := httptest.NewRecorder()
		if err := web.WriteCSV(w, "l.csv", []string{"a", "b"}, rowsThen(nil, []string{web.CSVText(text), "end"})); err != nil {
			t.Fatal(err)
		}
		body := strings.TrimPrefix(w.Body.String(), "\uFEFF")
		read, err := csv.NewReader(strings.NewReader(body)).ReadAll()
		if err != nil || len(read) != 2 || !slices.Equal(read[0], []string{"a", "b"}) || read[1][1] != "end" {
			t.Fatalf("%q: read as %q, %v", text, read, err)
		}
		if cell := read[1][0]; cell != "" && strings.ContainsRune("=+-@\t\r\n", rune(cell[0])) {
			t.Fatalf("%q: the cell %q is a formula", text, cell)
		}
	})
}
