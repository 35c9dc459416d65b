package main

import (
	"context"
	"flag"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

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

// Wrong settings end with 2, wherever they are found: systemd would start stoa again for ever after 1.
func TestWrongSettingsEndWithTwo(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	for name, tt := range map[string]struct {
		args []string
		env  map[string]string
		want int
		says string
	}{
		"no network":              {env: map[string]string{"STOA_TRUSTED_PROXIES": "nginx"}, says: "--trusted-proxies must be networks"},
		"out of bounds":           {args: []string{"--body-memory=1"}, says: "--body-memory is 1"},
		"settings that clash":     {args: []string{"--backup-dir=a", "--backup-url=s3://b"}, says: "where backups should be once"},
		"a public URL":            {args: []string{"--public-url=shop"}, says: "--public-url"},
		"payments not chosen":     {args: []string{"--public-url=https://shop.example"}, says: "choose how purchases"},
		"the demo for all":        {args: []string{"--demo", "--addr=0.0.0.0:0"}, says: "--demo"},
		"mail without URL":        {args: []string{"--smtp-url=smtp://h"}, says: "--public-url"},
		"a mail server":           {args: []string{"--smtp-url=gopher://h", "--public-url=http://localhost"}, says: "STOA_SMTP_URL"},
		"a short ops token":       {env: map[string]string{"STOA_OPS_TOKEN": "x"}, says: "STOA_OPS_TOKEN"},
		"a master key":            {env: map[string]string{"STOA_MASTER_KEY": "x"}, says: "STOA_MASTER_KEY must be 64"},
		"the next master key":     {env: map[string]string{"STOA_MASTER_KEY_NEXT": "x"}, says: "STOA_MASTER_KEY_NEXT must be 64"},
		"a database":              {args: []string{"--database-url=mysql://h/d"}, says: "the database must be a URL like postgres://"},
		"a PostgreSQL URL":        {args: []string{"--database-url=postgres://h:port/d"}, says: "the database must be a URL like postgres://"},
		"a PostgreSQL parameter":  {args: []string{"--database-url=postgres://h/d?sslmode=maybe"}, says: "sslmode"},
		"Redis":                   {args: []string{"--redis-url=nginx"}, says: "the Redis URL cannot be read"},
		"object storage":          {args: []string{"--storage-url=nginx"}, says: "--storage-url"},
		"a Stripe key":            {args: []string{"--payments=live"}, env: map[string]string{"STOA_STRIPE_SECRET_KEY": "x"}, says: "sk_"},
		"a service without key":   {args: []string{"--service-jwt-issuer=x"}, says: "SERVICE_JWT_ISSUER needs"},
		"a service's short key":   {args: []string{"--service-jwt-issuer=x"}, env: map[string]string{"SERVICE_JWT_SECRET": "x"}, says: "32 bytes"},
		"a service's public key":  {args: []string{"--service-jwt-issuer=x", "--service-jwt-public-key=x"}, says: "SERVICE_JWT_PUBLIC_KEY"},
		"half an administrator":   {args: []string{"--admin-email=a@example.com"}, says: "must both be set"},
		"an administrator":        {args: []string{"--admin-email=a"}, env: map[string]string{"STOA_ADMIN_PASSWORD": "12345678"}, says: "STOA_ADMIN_EMAIL"},
		"the shop's name":         {args: []string{"--name=" + strings.Repeat("x", 500)}, says: "name"},
		"a host":                  {args: []string{"--allowed-hosts=a/b"}, says: "allowed hosts"},
		"an instance":             {args: []string{"--dev-instances=*.*"}, says: "dev"},
		"where audit goes":        {args: []string{"--audit-stream=ftp://h"}, says: "audit log"},
		"who opens backups":       {args: []string{"--backup-dir=b", "--backup-recipients=x"}, says: "recipient"},
		"a telemetry protocol":    {args: []string{"--telemetry=otlp"}, env: map[string]string{"OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"}, says: "http/protobuf"},
		"built-ins not there":     {args: []string{"--builtin-dir=/nowhere/at/all"}, says: "/nowhere"},
		"an address without port": {args: []string{"--addr=localhost"}, says: "--addr"},
		"an address of no port":   {args: []string{"--addr=localhost:none"}, says: "--addr"},
		"a port that is too high": {args: []string{"--addr=localhost:99999"}, says: "--addr"},
		"an ops address":          {args: []string{"--ops-addr=localhost"}, says: "--ops-addr"},
		"an address that is taken": {
			args: []string{"--addr=" + taken.Addr().String()}, want: exitFailed, says: "--addr",
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := migratedFolder(t)
			for name, value := range tt.env {
				t.Setenv(name, value)
			}
			if tt.want == 0 {
				tt.want = exitUsage
			}
			ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
			defer cancel()
			var errOut strings.Builder
			args := append([]string{"serve", "--data=" + dir, "--addr=127.0.0.1:0", "--ops-addr=off", "--log-level=error"}, tt.args...)
			code := run(ctx, args, nil, io.Discard, &errOut)
			said := errOut.String()
			if code != tt.want || !strings.Contains(said, tt.says) {
				t.Errorf("ends with %d, want %d and %q\n%s", code, tt.want, tt.says, said)
			}
			for _, word := range []string{"strconv", "ParsePrefix", "netip", "asn1", "x509", "illegal base64", "bech32", "parse \""} {
				if strings.Contains(said, word) {
					t.Errorf("says %q\n%s", word, said)
				}
			}
		})
	}
}
