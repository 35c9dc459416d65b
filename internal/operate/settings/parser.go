package settings

import (
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"os"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/alecthomas/kong"
)

// Parser reads command lines. Its flags get their variable, default, help and rules from the table.
type Parser struct {
	*kong.Kong

	rows   map[*kong.Flag]Setting
	failed map[*kong.Value]bool
	faults []error
}

// NewParser returns a parser of commands: a struct for kong whose fields say of flags only their name
// and type. It fails if a flag has no row in the table.
func NewParser(commands any, options ...kong.Option) (*Parser, error) {
	p := &Parser{rows: make(map[*kong.Flag]Setting)}
	options = append(options, kong.PostBuild(p.fill), kong.Resolvers(kong.ResolverFunc(fromFile)))
	var err error
	p.Kong, err = kong.New(commands, options...)
	return p, err
}

// fill sets in kong's model what the table says.
func (p *Parser) fill(k *kong.Kong) error {
	var missing []error
	rows := Table()
	for _, leaf := range k.Model.Leaves(false) {
		command := commandOf(leaf)
		for _, f := range leaf.Flags {
			if f.Name == "help" {
				continue
			}
			row, ok := find(rows, command, f.Name)
			if !ok {
				missing = append(missing, fmt.Errorf("the table of settings has no row for --%s of stoa %s", f.Name, command))
			}
			p.rows[f] = row
			f.Help, f.OrigHelp, f.PlaceHolder = row.Sentence(), row.Sentence(), row.Placeholder
			f.Default, f.HasDefault, f.Required = row.Default, row.Default != "", row.Required
			f.Envs, f.Tag.Envs = []string{row.Env}, []string{row.Env}
			f.Mapper = collecting{f.Mapper, p}
		}
	}
	return errors.Join(missing...)
}

// commandOf returns the name of a command, such as "admin create".
func commandOf(n *kong.Node) string {
	return strings.TrimPrefix(strings.TrimSpace(n.Path()), "stoa ")
}

// Faults are all faults of a command line.
type Faults struct {
	// Malformed says that a fault is in the command line itself, not in what the settings mean
	// together.
	Malformed bool
	All       []error
}

// Error implements error: a line for each fault.
func (f *Faults) Error() string { return errors.Join(f.All...).Error() }

// Parse reads a command line and the environment. Its error names every fault of the values at once and
// is *Faults, but for a command line that cannot be read, such as one with an unknown flag.
func (p *Parser) Parse(args []string) (*kong.Context, error) {
	if err := refusePasswords(args); err != nil {
		return nil, &Faults{Malformed: true, All: []error{err}}
	}
	p.faults, p.failed = nil, make(map[*kong.Value]bool)
	parsed, err := p.Kong.Parse(args)
	if err != nil {
		if len(p.faults) > 0 {
			return nil, &Faults{Malformed: true, All: append(p.faults, err)}
		}
		return nil, err
	}
	faults := &Faults{All: p.faults}
	for _, f := range parsed.Flags() {
		row, ok := p.rows[f]
		if ok && !p.failed[f.Value] && !row.allows(fmt.Sprint(f.Target)) {
			faults.All = append(faults.All, fmt.Errorf("--%s must be one of %s but got %q",
				f.Name, `"`+strings.ReplaceAll(row.Values, ",", `","`)+`"`, fmt.Sprint(f.Target)))
		}
	}
	faults.Malformed = len(faults.All) > 0
	if faults.All = append(faults.All, p.check(parsed)...); len(faults.All) > 0 {
		return nil, faults
	}
	return parsed, nil
}

// check returns which values are out of bounds or contradict each other.
func (p *Parser) check(parsed *kong.Context) (faults []error) {
	flags := parsed.Flags()
	for _, f := range flags {
		row := p.rows[f]
		if p.failed[f.Value] || row.With != "" && !slices.ContainsFunc(flags, func(other *kong.Flag) bool {
			return slices.Contains(strings.Split(row.With, ","), other.Name) && !other.Target.IsZero()
		}) {
			continue
		}
		if f.Target.CanInt() && row.Values == "" {
			if err := row.Bounds.check("--"+f.Name, f.Target.Int()); err != nil {
				faults = append(faults, err)
			}
		}
	}
	if c, ok := parsed.Selected().Target.Interface().(interface{ Check() error }); ok {
		if err := c.Check(); err != nil {
			faults = append(faults, err)
		}
	}
	return faults
}

// collecting notes that a value cannot be read, and lets the parser go on to the next one.
type collecting struct {
	kong.Mapper

	p *Parser
}

// Decode implements kong.Mapper.
func (c collecting) Decode(ctx *kong.DecodeContext, target reflect.Value) error {
	given := ctx.Scan.Peek().String()
	err := c.Mapper.Decode(ctx, target)
	if err == nil || c.p.failed == nil {
		return err
	}
	c.p.failed[ctx.Value] = true
	fault := fmt.Errorf("--%s: %w", ctx.Value.Name, err)
	if form := formOf(target.Type()); form != "" { // not in the words of Go's parsers
		fault = fmt.Errorf("--%s must be %s, not %q", ctx.Value.Name, form, given)
	}
	if env := ctx.Value.Tag.Envs[0]; os.Getenv(env) == given {
		fault = fmt.Errorf("%w (%s says so)", fault, env)
	}
	if !slices.ContainsFunc(c.p.faults, func(other error) bool { return other.Error() == fault.Error() }) {
		c.p.faults = append(c.p.faults, fault)
	}
	return nil
}

// formOf says how values of a type are written, for errors; "" for texts, which have no form.
func formOf(t reflect.Type) string {
	switch t {
	case reflect.TypeFor[time.Duration]():
		return "a duration such as 90s, 15m or 168h"
	case reflect.TypeFor[slog.Level]():
		return "debug, info, warn or error"
	case reflect.TypeFor[[]netip.Prefix]():
		return "networks such as 10.0.0.0/8 or 2001:db8::/32, separated by commas"
	}
	switch t.Kind() {
	case reflect.Int, reflect.Int64:
		return "a whole number"
	case reflect.Bool:
		return "true or false"
	default:
		return ""
	}
}

// IsBool tells kong, which asks the mapper, that the flag of a bool needs no value.
func (c collecting) IsBool() bool {
	m, ok := c.Mapper.(kong.BoolMapper)
	return ok && m.IsBool()
}
