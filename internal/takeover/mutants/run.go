package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"time"
)

// runner runs the tests of mutants.
type runner struct {
	dir  string // for what is built
	at   int    // how many tests run at once
	each time.Duration
	both bool // on both engines
}

// overlay writes the code with all mutants, and returns the file that has the compiler read it.
func (r runner) overlay(list []mutant) (config string, err error) {
	files, err := mutated(".", list)
	if err != nil {
		return "", err
	}
	var overlay struct{ Replace map[string]string }
	overlay.Replace = map[string]string{}
	for file, text := range files {
		name, err := filepath.Abs(file)
		if err != nil {
			return "", err
		}
		overlay.Replace[name] = filepath.Join(r.dir, strings.ReplaceAll(file, "/", "-"))
		if err := os.WriteFile(overlay.Replace[name], []byte(text), 0o600); err != nil {
			return "", err
		}
	}
	raw, err := json.Marshal(overlay)
	if err != nil {
		return "", err
	}
	config = filepath.Join(r.dir, "overlay.json")
	return config, os.WriteFile(config, raw, 0o600)
}

// build compiles the tests of packages, with all mutants in the code.
func (r runner) build(ctx context.Context, list []mutant, packages []string) error {
	config, err := r.overlay(list)
	if err != nil {
		return err
	}
	for _, pkg := range packages {
		cmd := exec.CommandContext(ctx, "go", "test", "-c", "-vet=off", "-overlay", config, "-o", r.binary(pkg), "./"+pkg)
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("the tests of %s do not compile: %w\n%s", pkg, err, out)
		}
	}
	return nil
}

// binary is where the tests of a package are.
func (r runner) binary(pkg string) string {
	return filepath.Join(r.dir, strings.ReplaceAll(pkg, "/", "-")+".test")
}

// outcome is how a test ended.
type outcome struct {
	passed, failed bool   // neither: it did not come to an end
	output         string // what it printed
	met            bool   // the mutant that was switched on came to pass
}

var (
	passRE = regexp.MustCompile(`(?m)^--- PASS: `)
	failRE = regexp.MustCompile(`(?m)^--- FAIL: `)
	// reasonRE is where a test says what is wrong.
	reasonRE = regexp.MustCompile(`(?m)^\s+(\w+_test\.go:\d+: .*(?:\n\s{8,}\S.*)?)`)
	// brokenRE is what no lack of a defense prints: the mutant breaks something else.
	brokenRE = regexp.MustCompile(`(?m)^panic: |INTERNAL_ERROR|^fatal error: |test timed out`)
)

// test runs a test with a mutant switched on, or with none.
func (r runner) test(ctx context.Context, test, mutant string) (outcome, error) {
	pkg, name := packageOf(test)
	met, err := os.CreateTemp(r.dir, "met-")
	if err != nil {
		return outcome{}, err
	}
	_ = met.Close()
	if err := os.Remove(met.Name()); err != nil {
		return outcome{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, r.each+time.Minute) // the test ends itself before
	defer cancel()
	args := []string{"-test.v", "-test.run", exactly(name), "-test.timeout", r.each.String()}
	if !r.both {
		args = append(args, "-test.short")
	}
	cmd := exec.CommandContext(ctx, r.binary(pkg), args...)
	cmd.Dir = pkg
	cmd.Env = append(os.Environ(), nameVar+"="+mutant, metVar+"="+met.Name())
	if r.both {
		cmd.Env = append(cmd.Env, "STOA_TEST_ENGINES=both")
	}
	raw, err := cmd.CombinedOutput()
	out := outcome{output: string(raw)}
	if _, exited := errors.AsType[*exec.ExitError](err); err != nil && !exited {
		return out, err
	}
	out.passed = err == nil && passRE.MatchString(out.output)
	out.failed = err != nil && failRE.MatchString(out.output)
	_, gone := os.Stat(met.Name())
	out.met = gone == nil
	return out, nil
}

// exactly is the pattern for a test, or a subtest of one, with that name.
func exactly(name string) string {
	parts := strings.Split(name, "/")
	for i, p := range parts {
		parts[i] = "^" + regexp.QuoteMeta(p) + "$"
	}
	return strings.Join(parts, "/")
}

// unharmed runs the tests of mutants without any, which all must pass.
func (r runner) unharmed(ctx context.Context, list []mutant) error {
	var mu sync.Mutex
	var faults []error
	r.all(testsOf(list), func(test string) {
		out, err := r.test(ctx, test, "")
		switch {
		case err != nil:
		case !out.passed:
			err = fmt.Errorf("it does not pass without any mutant:\n%s", tail(out.output))
		case out.met:
			err = errors.New("a mutant was switched on by itself")
		}
		if err != nil {
			mu.Lock()
			defer mu.Unlock()
			faults = append(faults, fmt.Errorf("%s: %w", test, err))
		}
	})
	return errors.Join(faults...)
}

// all calls fn for each text, some at once.
func (r runner) all(texts []string, fn func(string)) {
	var wg sync.WaitGroup
	slots := make(chan struct{}, r.at)
	for _, text := range texts {
		slots <- struct{}{}
		wg.Go(func() {
			fn(text)
			<-slots
		})
	}
	wg.Wait()
}

// kill runs the tests of each mutant with it, tells how each ended, and returns how many were not killed.
func (r runner) kill(ctx context.Context, list []mutant) (lived int) {
	byName := make(map[string]mutant, len(list))
	names := make([]string, len(list))
	for i, m := range list {
		byName[m.name], names[i] = m, m.name
	}
	var mu sync.Mutex
	r.all(names, func(name string) {
		reason, killed := r.killed(ctx, byName[name])
		mu.Lock()
		defer mu.Unlock()
		word := "killed  "
		if !killed {
			word = "SURVIVED"
			lived++
		}
		fmt.Println(word, name+":", reason)
	})
	return lived
}

// killed reports whether each test of a mutant fails with it, and how.
func (r runner) killed(ctx context.Context, m mutant) (reason string, killed bool) {
	var reasons []string
	for _, test := range m.tests {
		out, err := r.test(ctx, test, m.name)
		_, name := packageOf(test)
		switch {
		case err != nil:
			return name + " did not run: " + err.Error(), false
		case out.passed && out.met:
			return name + " passes", false
		case out.passed:
			return name + " passes, and does not come to the place", false
		case brokenRE.MatchString(out.output):
			return name + " fails for another reason:\n" + tail(out.output), false
		case !out.failed:
			return name + " did not come to an end:\n" + tail(out.output), false
		case !out.met:
			return name + " fails, although it does not come to the place:\n" + tail(out.output), false
		}
		first := ""
		if found := reasonRE.FindStringSubmatch(out.output); found != nil {
			first = strings.Join(strings.Fields(found[1]), " ")
		}
		reasons = append(reasons, name+": "+first[:min(len(first), 160)])
	}
	return strings.Join(reasons, "; "), true
}

// tail returns the end of what a test printed.
func tail(output string) string { return output[max(0, len(output)-3000):] }
