package main

import (
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/operate/settings"
)

var update = flag.Bool("update", false, "rewrite docs/config.md")

// docs/config.md lists every flag and variable there is, and no other.
func TestConfigDocumentIsComplete(t *testing.T) {
	t.Parallel()

	path := filepath.Join("..", "..", "docs", "config.md")
	want := parserOf(t).Document()
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("docs/config.md is out of date; run make golden (-want +got):\n%s", diff)
	}
}

// Every row of the table is a flag of some command. That every flag has a row, the parser checks.
func TestEverySettingIsAFlag(t *testing.T) {
	t.Parallel()

	for _, s := range parserOf(t).Unused() {
		t.Errorf("no command has a field for --%s", s.Flag)
	}
}

// The exit code says whether the same command line can ever succeed: systemd does not try again
// after 2.
func TestAFaultyCommandLineEndsWithTwo(t *testing.T) {
	t.Parallel()

	for _, args := range [][]string{
		{},
		{"serv"},
		{"serve", "--nonsense"},
		{"serve", "--payments=maybe"},
		{"serve", "--lease-ttl=long"},
		{"serve", "--redis-url=redis://:pw@cache:6379/0"},
		{"admin", "promote"},
	} {
		var errOut strings.Builder
		if code := run(t.Context(), args, nil, io.Discard, &errOut); code != exitUsage {
			t.Errorf("stoa %s ends with %d: %s", strings.Join(args, " "), code, errOut.String())
		}
	}
}

func parserOf(t *testing.T) *settings.Parser {
	t.Helper()
	parser, err := newParser(io.Discard, io.Discard, func(int) {})
	if err != nil {
		t.Fatal(err)
	}
	return parser
}
