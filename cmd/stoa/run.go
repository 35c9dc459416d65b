package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/alecthomas/kong"

	"stoa/internal/app"
	"stoa/internal/app/datafolder"
	"stoa/internal/data/database"
	"stoa/internal/operate/settings"
)

// cli is the command line. Package settings says of each flag what operators read: its variable,
// default, bounds and sentence.
type cli struct {
	Serve     serveCmd     `cmd:"" help:"Run the platform until it receives a stop signal."`
	Migrate   migrateCmd   `cmd:"" help:"Bring the database schema up to date and exit."`
	Admin     adminCmd     `cmd:"" help:"Manage administrators and passwords."`
	Keys      keysCmd      `cmd:"" help:"Manage the keys that sign tokens and license answers."`
	Audit     auditCmd     `cmd:"" help:"Export the audit log."`
	Catalog   catalogCmd   `cmd:"" help:"Import and export the catalog."`
	Plugin    pluginCmd    `cmd:"" help:"Develop plugins."`
	Market    marketCmd    `cmd:"" help:"Let other stoas install from this one."`
	Package   packageCmd   `cmd:"" help:"Sign packages, and check their signatures."`
	Passwords passwordsCmd `cmd:"" help:"Build lists of passwords that nobody may choose."`
	Backup    backupCmd    `cmd:"" help:"Back up the shop, and verify backups."`
	Storage   storageCmd   `cmd:"" help:"Manage where package files and media are."`
	Restore   restoreCmd   `cmd:"" help:"Make a shop of a backup, where there is none yet (docs/backup.md)."`
	Version   versionCmd   `cmd:"" help:"Print the version."`

	Healthcheck healthcheckCmd `cmd:"" help:"Ask a stoa on this machine whether it is ready; exit with 1 if not. For containers."`
}

// streams are where a command reads and writes.
type streams struct {
	in       io.Reader
	out, err io.Writer

	// start is how long plugins and theme apps may take to start, to get healthy and to let stoa wait; 0: as long as
	// app.Config says. Tests set it.
	start time.Duration
}

// exit codes.
const (
	exitOK     = 0
	exitFailed = 1
	exitUsage  = 2 // the settings are wrong: the same command would fail again
)

// run carries out one command and returns the process's exit code.
func run(ctx context.Context, args []string, in io.Reader, out, errOut io.Writer) (code int) {
	return streams{in: in, out: out, err: errOut}.run(ctx, args)
}

func (std streams) run(ctx context.Context, args []string) (code int) {
	fail := func(code int, err error) int {
		fmt.Fprintln(std.err, "stoa:", err)
		return code
	}

	// kong ends the process itself for --help; turned into a return here.
	type exited int
	defer func() {
		switch e := recover().(type) {
		case nil:
		case exited:
			code = int(e)
		default:
			panic(e)
		}
	}()
	parser, err := newParser(std.out, std.err, func(c int) { panic(exited(c)) })
	if err != nil {
		return fail(exitFailed, err)
	}
	parsed, err := parser.Parse(args)
	if faults, ok := errors.AsType[*settings.Faults](err); ok && !faults.Malformed {
		return fail(exitUsage, err)
	}
	if err != nil {
		return fail(exitUsage, fmt.Errorf("%w (see stoa --help)", err))
	}
	parsed.BindTo(ctx, (*context.Context)(nil))
	err = parsed.Run(std)
	switch {
	case err == nil, errors.Is(err, context.Canceled):
		return exitOK
	case settings.IsWrong(err), errors.Is(err, database.ErrURL):
		return fail(exitUsage, err)
	}
	return fail(exitFailed, err)
}

func newParser(out, errOut io.Writer, exit func(int)) (*settings.Parser, error) {
	return settings.NewParser(new(cli),
		kong.Name("stoa"),
		kong.Description("Accounts, a license marketplace and plugins for a commerce platform, in one binary.\n\n"+
			"Secrets are read from the environment only:\n"+settings.SecretsHelp()),
		kong.Writers(out, errOut),
		kong.Exit(exit),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, FlagsLast: true}),
		kong.UsageOnError(),
	)
}

// with runs fn on an App for the data folder of a command. The App serves no requests.
func with(
	ctx context.Context, std streams, folder datafolder.Folder, fn func(*app.App) error, set ...func(*app.Config),
) error {
	return app.With(ctx, std.err, folder, fn, append(set, stamp)...)
}
