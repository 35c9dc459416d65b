.DEFAULT_GOAL := help
SHELL := /bin/bash

HOST_BUNDLE := internal/run/node/dist/host.cjs
# The console and the storefront, which are embedded in the binary.
WEB_BUNDLE := web/dist/assets/manifest.json
WEB_SOURCES := api/openapi.yaml $(shell find web -type f -not -path '*/node_modules/*' -not -path 'web/dist/*' -not -name '*.go' -not -name schema.d.ts 2>/dev/null)
# The filter of common passwords, which is embedded, too.
PASSWORD_FILTER := internal/account/breached/dist/common.filter
NODEHOST_SOURCES := $(shell find nodehost sdk/js-plugin/src -type f -not -path "*/node_modules/*" 2>/dev/null)

.PHONY: help
help: ## Show this help
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  %-13s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: run
run: build ## Build and start stoa with demo data on http://127.0.0.1:8080
	bin/stoa serve --demo

.PHONY: build
build: bin/stoa ## Build bin/stoa: a static binary without cgo

# The commit that stoa version and /livez tell. Go records it too, but not in a git
# worktree and not with -buildvcs=false.
COMMIT = $(shell git rev-parse HEAD 2>/dev/null)
COMMIT_DATE = $(shell TZ=UTC git log -1 --format=%cd --date=format-local:%Y-%m-%dT%H:%M:%SZ 2>/dev/null)

# go build touches even a file that is up to date, and a new time of bin/stoa would make
# Go run the tests that use it again.
# Without symbols (-s -w) the binary is a third smaller; stack traces stay.
.PHONY: bin/stoa
bin/stoa: $(HOST_BUNDLE) $(WEB_BUNDLE) $(PASSWORD_FILTER)
	CGO_ENABLED=0 go build -trimpath -ldflags '-s -w -X main.commit=$(COMMIT) -X main.date=$(COMMIT_DATE)' -o bin/.stoa ./cmd/stoa
	@cmp -s bin/.stoa bin/stoa || { cp bin/.stoa bin/stoa.new && mv bin/stoa.new bin/stoa; }

# The Node program that runs internal plugins, bundled with Fastify into one file
# that is embedded in the binary.
$(HOST_BUNDLE): $(NODEHOST_SOURCES)
	cd nodehost && npm ci --no-audit --no-fund --loglevel=error
	go run ./nodehost/bundle

$(PASSWORD_FILTER): passwords/package-lock.json passwords/filter/main.go internal/account/breached/build.go internal/account/breached/list.go
	cd passwords && npm ci --no-audit --no-fund --loglevel=error
	go run ./passwords/filter

# The client of the API is generated from api/openapi.yaml first: what does not fit it
# does not compile.
$(WEB_BUNDLE): web/node_modules/.package-lock.json $(WEB_SOURCES)
	cd web && npm run --silent build

# Drives the browser in the tests of stoa's own pages.
BROWSER_DRIVER := browser/node_modules/.package-lock.json
# TypeScript, which checks the types of the JavaScript SDKs, and what plugins use them with.
SDK_TOOLS := sdk/js/node_modules/.package-lock.json sdk/js-plugin/node_modules/.package-lock.json
# What internal plugins are tested with: packages, and, with STOA_TEST_NODES=all, Node.js in several versions.
PLUGIN_TOOLS := compat/node_modules/.package-lock.json
PLUGIN_NODES := compat/nodes/node_modules/.package-lock.json
# Linters and client generators of others, which must accept api/openapi.yaml.
API_TOOLS := api/tools/node_modules/.package-lock.json
$(BROWSER_DRIVER) $(SDK_TOOLS) $(PLUGIN_TOOLS) $(PLUGIN_NODES) $(API_TOOLS) web/node_modules/.package-lock.json: %/node_modules/.package-lock.json: %/package.json %/package-lock.json
	cd $* && npm ci --no-audit --no-fund --loglevel=error
	touch $@

# What the tests need besides Go, and what the proof needs besides that. Installing waits for the disk
# and for others, so three run at once.
.PHONY: test-tools proof-tools
test-tools: build $(BROWSER_DRIVER) $(SDK_TOOLS) $(if $(filter all,$(STOA_TEST_NODES)),$(PLUGIN_NODES))
proof-tools: test-tools $(API_TOOLS) $(PLUGIN_TOOLS)
AT_ONCE := $(MAKE) --no-print-directory --jobs=3 --output-sync=target

# The flags that compile the binary, so that its build cache serves the tests, and a second
# run links little; tests that start stoa take that binary. -s leaves out the symbols: linking
# takes a fifth less. GOGC is what stoa sets itself; compiling, linking and tests take a tenth
# less with it. Tests ask no other machine over TLS; where NODE_EXTRA_CA_CERTS names the
# certificates of all authorities, each Node.js reads them before anything else, which takes
# longer than the rest of its start.
TEST_FLAGS := STOA_TEST_BINARY='$(CURDIR)/bin/stoa' CGO_ENABLED=0 GOGC=400 NODE_EXTRA_CA_CERTS= GOFLAGS='$(strip $(GOFLAGS) -trimpath -ldflags=-s)'

# One PostgreSQL for all packages.
GOTEST := go run ./internal/testkit/withpg go tool gotestsum --format pkgname-and-test-fails --format-hide-empty-pkg -- -timeout 40m

# Without -shuffle, Go's cache answers for packages that did not change. make check shuffles.
# Three packages at once, and eight tests of each: tests wait more than they compute. make lint and
# CI vet. The Go SDK is a separate module, which ./... does not include; compat tries what others
# wrote, and is CI's.
.PHONY: test
test: ## Install what the tests need, then test what a change can break
	$(AT_ONCE) test-tools
	./scripts/test-deps
	$(TEST_FLAGS) go -C sdk/go test -vet=off ./...
	packages=$$(go list ./...) && $(TEST_FLAGS) $(GOTEST) -vet=off -p 3 -parallel 8 $$(grep -vx stoa/compat <<<"$$packages")

.PHONY: quick
quick: ## Test the packages that you changed, on SQLite
	$(TEST_FLAGS) ./scripts/quick

.PHONY: race
race: ## Run all tests but the long ones shuffled, and a tenth of the proof, with the race detector
	$(AT_ONCE) proof-tools
	./scripts/test-deps
	go -C sdk/go test -race -shuffle=on -count=1 ./...
	$(GOTEST) -race -shuffle=on -count=1 ./...
	STOA_PROOF=short $(GOTEST) -race -count=1 ./internal/proof

# What takes minutes or hours: docs/proof.md. What measures times runs by itself.
TIMES := ^TestHowLongAnAnswerTakesTellsNothing$$
.PHONY: proof
proof: ## Prove what takes long: both engines, every Node.js, races, mutants, kills, rolling upgrades, fuzzing, packages
	STOA_TEST_NODES=all $(AT_ONCE) proof-tools
	./scripts/test-deps
	STOA_TEST_ENGINES=both STOA_TEST_NODES=all STOA_PROOF_PAGES=1 STOA_PROOF=$(or $(STOA_PROOF),1) $(TEST_FLAGS) $(GOTEST) -count=1 -timeout 120m -skip '$(TIMES)' ./...
	STOA_TEST_ENGINES=both STOA_PROOF=1 $(TEST_FLAGS) $(GOTEST) -count=1 -run '$(TIMES)' ./internal/takeover
	STOA_FRONT=off $(TEST_FLAGS) $(GOTEST) -count=1 ./internal/api/...
	env -u STOA_PROOF $(MAKE) race mutants roll fuzz check-deploy

.PHONY: takeover
takeover: ## Try to take accounts over, on both engines (docs/security/takeover.md)
	STOA_TEST_ENGINES=both $(TEST_FLAGS) $(GOTEST) -count=1 ./internal/takeover

# MUTANTS='-only reclaim' runs those with such names.
.PHONY: mutants
mutants: ## Remove each defense of accounts in turn, and show that a test notices (docs/security/takeover.md)
	$(TEST_FLAGS) go run ./internal/takeover/mutants $(MUTANTS)

# What CI runs after make test: a tenth of the proof; then all of it for licenses, what others wrote, what needs
# other programs or much memory, and each page in each look, which takes longest and so begins.
LICENSES := SeatTooMany|Linearizable|AnsweredSurvives|HaltedProcess
OTHERS := AMarketBehindNginx|HandlersOfExternal|PluginsPublish|CompilesInTypeScript|ProxiesPassOn|TestReference|SystemdRunsTheUnit|NoTypeOfAnswer|LibraryForTUF|StockTUFClient|WhatIsHeldOfAMarket
# Real programs that are killed, attacks that take the whole machine (and bound what they wait for, whatever runs beside
# them), and pages of the docs that are followed.
HEAVY := RealProgramIsKilled|KilledRestore|PrintsWithoutEnd|AssaultsEndAlone|CannotHoardMemory|WorksAsWritten|WorkAsWritten

.PHONY: proof-short
proof-short: ## Prove for some minutes what make test leaves out, as CI does
	$(AT_ONCE) proof-tools
	./scripts/test-deps
	STOA_PROOF=short $(TEST_FLAGS) $(GOTEST) -count=1 -p 2 -skip '$(LICENSES)' ./internal/proof ./compat
	STOA_PROOF=1 $(TEST_FLAGS) $(GOTEST) -count=1 -p 3 -run 'TestSweeps|$(LICENSES)|$(OTHERS)|$(HEAVY)' ./browser/scenarios ./internal/proof ./internal/market/origin ./internal/market/remote ./internal/run/node ./cmd/stoa ./sdk/... ./browser ./deploy

.PHONY: check-deploy
check-deploy: build ## Build the release, package, image and chart, and try them (docs/deploy.md)
	./scripts/test-deps
	./scripts/deploy-deps
	STOA_CHECK_DEPLOY=1 $(GOTEST) -count=1 -skip 'Proxies|Unit' ./deploy

.PHONY: release
release: ## Build static binaries of the last commit, SBOMs and SHA256SUMS, into dist/
	./scripts/release

.PHONY: deb
deb: ## Build Debian packages of the binaries in dist/
	./scripts/deb

.PHONY: image
image: ## Build container images of the binaries in dist/, with Podman
	./scripts/deploy-deps
	./scripts/image

.PHONY: lint
lint: web/node_modules/.package-lock.json ## Run go vet, check formatting, run golangci-lint
	go vet ./...
	go -C sdk/go vet ./...
	golangci-lint fmt --diff
	golangci-lint run
	cd sdk/go && golangci-lint run
	cd web && npm run --silent lint

.PHONY: check
check: lint race ## Run everything that a change must pass

.PHONY: fuzz
fuzz: ## Run every fuzz test for 20 seconds
	@grep -rl '^func Fuzz' --include='*_test.go' . | xargs -n1 dirname | sort -u | while read -r dir; do \
	  go -C "$$dir" test -list '^Fuzz' . | grep '^Fuzz' | while read -r name; do \
	    echo "$$dir $$name"; go -C "$$dir" test -run '^$$' -fuzz "^$$name$$" -fuzztime 20s . || exit 1; done || exit 1; done

.PHONY: bench
bench: build bench-peers ## Compare stoa with its peers on this machine: all of bench/README.md, an hour
	for one in accounts market between packages gateway hooks day; do echo "== $$one"; go run ./bench/$$one || exit 1; done

.PHONY: bench-peers
bench-peers:
	./scripts/bench-deps
	[ -d nodehost/node_modules/fastify ] || (cd nodehost && npm ci --no-audit --no-fund --loglevel=error)

.PHONY: bench-packages
bench-packages: build ## Measure installing packages, and starting with a thousand of them
	go run ./bench/packages

.PHONY: bench-gateway
bench-gateway: build bench-peers ## Compare calls to plugins with nginx, Caddy and a bare ReverseProxy
	go run ./bench/gateway

.PHONY: screenshots
screenshots: build $(BROWSER_DRIVER) ## Write a picture of every page, light and dark, at three widths, to screenshots/
	STOA_BINARY=$(CURDIR)/bin/stoa node browser/scenarios/screenshots.js screenshots

.PHONY: bench-day
bench-day: build ## Measure what each operation costs, and replay a day of a model shop
	go run ./bench/day

.PHONY: bench-hooks
bench-hooks: build ## Measure recording hooks, and delivering 10,000 while plugins are called
	go run ./bench/hooks

.PHONY: roll
roll: build ## Roll three replicas of the previous release to this tree, under load and kills
	STOA_PROOF=$(or $(STOA_PROOF),1) STOA_PROOF_PREVIOUS=build go test ./internal/proof -run '^TestReplicasBehindNginx$$' -count=1 -v -timeout 20m

.PHONY: fixture
fixture: build ## Write the fixture of a release: make fixture NAME=1.2.3 [COMMIT=...]
	./scripts/fixture $(NAME) $(COMMIT)

.PHONY: golden
golden: ## Rewrite golden files and generated documents; read the diff before committing
	./scripts/golden

# Only from the command line: in some shells, HOST in the environment is the
# machine's name.
.PHONY: sdk-host
sdk-host: ## Set where the Go SDK is published: make sdk-host HOST=github.com/example/stoa
	./scripts/sdk-host '$(if $(filter command line,$(origin HOST)),$(HOST))'

.PHONY: tools
tools: ## Install the linters
	go install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0
	go install mvdan.cc/gofumpt@latest

.PHONY: clean
clean: ## Remove built files; keep data/
	rm -rf bin dist web/node_modules web/dist/assets nodehost/node_modules passwords/node_modules browser/node_modules compat/node_modules compat/nodes/node_modules api/tools/node_modules sdk/js/node_modules sdk/js/cjs sdk/js-plugin/node_modules sdk/js-plugin/cjs
	find internal/run/node/dist internal/account/breached/dist -type f -not -name README.md -delete
