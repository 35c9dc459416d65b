package main

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"stoa/bench/measure"
)

// target is how much longer an install may take than sha256sum and unzip.
const target = 1.0

const (
	adminEmail    = "bench@example.com"
	adminPassword = "correct horse battery"
)

// packed is an archive to install.
type packed struct {
	name  string
	files int
	size  int // of each file, in bytes
	text  bool
}

var archives = []packed{
	{"50 MB, 10 files that cannot be compressed", 10, 5_200_000, false},
	{"50 MB, 5,000 files that cannot be compressed", 5000, 10_000, false},
	{"32 MB of 80 MB text, 2,000 files", 2000, 40_000, true},
}

// install measures the install of each archive and prints a table.
func install(ctx context.Context, o options, dir string) (err error) {
	data := filepath.Join(dir, "install")
	stoa, err := measure.StartStoa(ctx, o.stoa, []string{
		"STOA_DATA=" + data, "STOA_ADMIN_EMAIL=" + adminEmail, "STOA_ADMIN_PASSWORD=" + adminPassword,
	}, "--ops-addr="+o.ops)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stoa.Stop()) }()
	token, err := signIn(ctx, stoa.Addr)
	if err != nil {
		return err
	}
	api := api{"http://" + stoa.Addr, token}
	fmt.Println("| install | stoa ms | sha256sum, unzip ms | ratio | lowest | highest | target | stoa CPU ms | " +
		"peer CPU ms |")
	fmt.Println("|---|---|---|---|---|---|---|---|---|")
	for _, a := range archives {
		file := filepath.Join(dir, "package.zip")
		if err := a.write(file); err != nil {
			return err
		}
		if err := a.measure(ctx, o.rounds, api, stoa.PID(), file); err != nil {
			return fmt.Errorf("%s: %w", a.name, err)
		}
	}
	fmt.Printf("\npeak memory of stoa: %s\n\n", peakMemory(stoa.PID()))
	return nil
}

func (a packed) measure(ctx context.Context, rounds int, api api, pid int, file string) error {
	var ours, peers, cpu, peerCPU []time.Duration
	var ratios []float64
	for i := range rounds + 1 {
		used, begin := measure.CPUOf(pid), time.Now()
		if err := api.install(ctx, file); err != nil {
			return err
		}
		took, used := time.Since(begin), measure.CPUOf(pid)-used
		if err := api.do(ctx, http.MethodDelete, "/api/v1/admin/plugins/bench?purge=true", nil, 0); err != nil {
			return err
		}
		peer, peerUsed, err := unpack(ctx, file)
		if err != nil {
			return err
		}
		if i == 0 {
			continue // neither is warm
		}
		ours, peers = append(ours, took), append(peers, peer)
		cpu, peerCPU = append(cpu, used), append(peerCPU, peerUsed)
		ratios = append(ratios, took.Seconds()/peer.Seconds())
	}
	lowest, highest := ratios[0], ratios[0]
	for _, r := range ratios {
		lowest, highest = min(lowest, r), max(highest, r)
	}
	fmt.Printf("| %s | %d | %d | %.2f | %.2f | %.2f | %.1f | %d | %d |\n", a.name, median(ours).Milliseconds(),
		median(peers).Milliseconds(), median(ratios), lowest, highest, target, median(cpu).Milliseconds(),
		median(peerCPU).Milliseconds())
	return nil
}

// unpack does what an install must do at least: it reads the file's SHA-256, and unpacks
// the file.
func unpack(ctx context.Context, file string) (took, cpu time.Duration, err error) {
	to := file + ".d"
	defer func() { err = errors.Join(err, os.RemoveAll(to)) }()
	begin := time.Now()
	for _, args := range [][]string{{"sha256sum", file}, {"unzip", "-q", "-d", to, file}} {
		cmd := exec.CommandContext(ctx, args[0], args[1:]...) //nolint:gosec // one of the two above
		if out, err := cmd.CombinedOutput(); err != nil {
			return 0, 0, fmt.Errorf("%s: %w\n%s", args[0], err, out)
		}
		cpu += cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	}
	return time.Since(begin), cpu, nil
}

// write writes the archive to a file. The same archive has the same bytes.
func (a packed) write(file string) (err error) {
	f, err := os.Create(file) //nolint:gosec // in the folder of the run
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	zw := zip.NewWriter(f)
	manifest := `{"schemaVersion":1,"slug":"bench","name":"Bench","version":"1.0.0","runtimeType":"external-http",` +
		`"externalBaseUrl":"https://plugin.example"}`
	w, err := zw.Create("manifest.json")
	if err != nil {
		return err
	}
	if _, err := io.WriteString(w, manifest); err != nil {
		return err
	}
	random := rand.NewChaCha8([32]byte{1})
	for i := range a.files {
		w, err := zw.Create(fmt.Sprintf("lib/%d/f%d.js", i/100, i))
		if err != nil {
			return err
		}
		if _, err := w.Write(a.content(random)); err != nil {
			return err
		}
	}
	return zw.Close()
}

// content returns the bytes of a file.
func (a packed) content(random *rand.ChaCha8) []byte {
	if !a.text {
		b := make([]byte, a.size)
		_, _ = random.Read(b)
		return b
	}
	var b bytes.Buffer
	for b.Len() < a.size {
		b.WriteString("export const v")
		b.WriteString(strconv.FormatUint(random.Uint64(), 36))
		b.WriteString(" = () => (")
		b.WriteString(strconv.FormatUint(random.Uint64()%1000, 10))
		b.WriteString(")\n")
	}
	return b.Bytes()[:a.size]
}

// api is a stoa that is called as its administrator.
type api struct{ url, token string }

func (a api) install(ctx context.Context, file string) error {
	f, err := os.Open(file) //nolint:gosec // in the folder of the run
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	return a.do(ctx, http.MethodPost, "/api/v1/admin/extensions/plugin/install", f, info.Size())
}

func (a api) do(ctx context.Context, method, path string, body io.Reader, size int64) error {
	req, err := http.NewRequestWithContext(ctx, method, a.url+path, body)
	if err != nil {
		return err
	}
	req.ContentLength = size
	req.Header.Set("Authorization", "Bearer "+a.token)
	req.Header.Set("Content-Type", "application/json")
	if strings.HasSuffix(path, "/install") {
		req.Header.Set("Content-Type", "application/zip")
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err == nil && res.StatusCode/100 != 2 {
		err = fmt.Errorf("%s %s: %s: %s", method, path, res.Status, text)
	}
	return err
}

// signIn returns an access token of the administrator.
func signIn(ctx context.Context, addr string) (string, error) {
	c, err := measure.Dial(ctx, addr)
	if err != nil {
		return "", err
	}
	defer c.Close()
	body, err := json.Marshal(map[string]string{"email": adminEmail, "password": adminPassword})
	if err != nil {
		return "", err
	}
	answer, err := c.Do(http.MethodPost, "/auth/login", "", body)
	if err != nil {
		return "", err
	}
	var tokens struct{ Data struct{ Token string } }
	err = errors.Join(json.Unmarshal(answer, &tokens), tokenError(answer))
	return tokens.Data.Token, err
}

func tokenError(answer []byte) error {
	if !strings.Contains(string(answer), `"token"`) {
		return fmt.Errorf("no token in %s", answer)
	}
	return nil
}

// peakMemory returns the most memory that a process had at once.
func peakMemory(pid int) string {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if m := regexp.MustCompile(`VmHWM:\s*(.*)`).FindSubmatch(text); err == nil && m != nil {
		return string(m[1])
	}
	return "unknown"
}
