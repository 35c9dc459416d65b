package node

import (
	"encoding/json"
	"testing"

	"stoa/internal/testkit/nodetest"
)

const (
	routes = `app.get('/api/options', async () => opts)`
	esm    = "export default async function (app, opts) { " + routes + " }\n"
)

// The entry module exports a plugin function, as its default or by name (contract 4.14).
func TestEveryShapeOfPackageRuns(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		content files
	}{
		{"ES module with package.json", files{"package.json": `{"type":"module"}`, "index.js": esm}},
		{"ES module without package.json", files{
			"index.js":  "import { helper } from './helper.js'\nhelper()\n" + esm,
			"helper.js": "export function helper () {}\n",
		}},
		{"CommonJS", files{"index.js": "module.exports = async function (app, opts) { " + routes + " }"}},
		{"CommonJS with callback", files{
			"index.js": "module.exports = function (app, opts, done) { " + routes + "; done() }",
		}},
		{"CommonJS with package.json", files{
			"package.json": `{"type":"commonjs"}`,
			"index.js":     "module.exports = async (app, opts) => { " + routes + " }",
		}},
		{"TypeScript exports.default", files{"index.js": `"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.default = plugin;
async function plugin(app, opts) { ` + routes + ` }
`}},
		{"named export of ES module", files{"index.js": "export async function plugin (app, opts) { " + routes + " }\n"}},
		{"named export of CommonJS", files{"index.js": "exports.fastifyPlugin = async (app, opts) => { " + routes + " }"}},
		{"self-bundled", files{"index.js": selfBundled}},
		{"import of fastify-plugin", files{"index.js": `import fp from 'fastify-plugin'
import { fastifyPlugin } from 'fastify-plugin'
import { errorCodes } from 'fastify'
if (fp !== fastifyPlugin || !errorCodes) throw new Error('exports')
export default fp(async (app, opts) => { ` + routes + ` }, { fastify: '5.x', name: 'x' })
`}},
		{"require of fastify-plugin and fastify", files{"index.js": `const fp = require('fastify-plugin')
const fastify = require('fastify')
if (typeof fastify.fastify !== 'function') throw new Error('exports')
module.exports = fp(async (app, opts) => { ` + routes + ` })`}},
	}
	nodetest.Each(t, func(t *testing.T, path string) {
		f := newFixture(t, onNode(path))
		for i, tt := range tests {
			t.Run(tt.name, func(t *testing.T) {
				in := f.install(t, "shape-"+string(rune('a'+i)), tt.content)
				in.Instance.Config = json.RawMessage(`{"greeting":"good day","prefix":"/p","logLevel":"silent"}`)
				if got, want := f.get(t, in, "/api/options"),
					`{"greeting":"good day","prefix":"/p","logLevel":"silent"}`; got != want {
					t.Errorf("options: got %s, want %s", got, want)
				}
				// Nothing answers in the plugin's place; the gateway does (contract 5.10).
				if status, body, err := f.do(t, in, "GET", "/health", ""); status != 404 || err != nil {
					t.Errorf("health: got %d %s, %v; want the plugin's own 404", status, body, err)
				}
				f.Stop(in.Instance.ID)
			})
		}
	})
}

// selfBundled is the output of a bundler for a plugin with its own fastify-plugin.
const selfBundled = `"use strict";
var __defProp = Object.defineProperty;
var __getOwnPropNames = Object.getOwnPropertyNames;
var __export = (target, all) => {
  for (var name in all) __defProp(target, name, { get: all[name], enumerable: true });
};
var __copyProps = (to, from) => {
  for (let key of __getOwnPropNames(from)) __defProp(to, key, { get: () => from[key], enumerable: true });
  return to;
};
var __toCommonJS = (mod) => __copyProps(__defProp({}, "__esModule", { value: true }), mod);
var src_exports = {};
__export(src_exports, { default: () => src_default });
module.exports = __toCommonJS(src_exports);
function fp(fn) { fn[Symbol.for("skip-override")] = true; return fn; }
var src_default = fp(async (app, opts) => { ` + routes + ` });
`
