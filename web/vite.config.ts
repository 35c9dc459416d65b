import { createRequire } from "node:module";
import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin } from "vite";

// Serves one section of the catalog of texts, so that the storefront does not load the
// console's: import section from "…/en.json?section=shop". &only=name,name leaves only these
// groups of it, &without=name,name leaves groups out. What is built has a mark in place of the texts, for
// which pack.js puts those of each language.
const sections: Plugin = {
  name: "stoa-sections",
  enforce: "pre",
  load(id) {
    const query = id.split("?")[1] ?? "";
    if (!new URLSearchParams(query).has("section")) return null;
    return { code: `export default JSON.parse("@@texts ${query}@@")`, moduleType: "js" };
  },
};

// Makes a component of one of Tabler's icons: import IconTrash from "tabler:trash". All of them are
// data in one file: the package that has a component for each has 18,000 files, which took longer to
// install than everything else together.
const tabler: { icons: Record<string, { body: string }> } = createRequire(import.meta.url)(
  "@iconify-json/tabler/icons.json",
);
const icons: Plugin = {
  name: "stoa-icons",
  enforce: "pre",
  resolveId: (id) => (id.startsWith("tabler:") ? `\0${id}` : null),
  load(id) {
    if (!id.startsWith("\0tabler:")) return null;
    const name = id.slice("\0tabler:".length);
    const body = tabler.icons[name]?.body ?? "";
    const paths = Array.from(body.matchAll(/<path[^>]* d="([^"]+)"/g), ([, d]) => d);
    if (paths.length === 0 || /<(?!path |g |\/g>)/.test(body))
      throw new Error(`Tabler has no icon of paths called ${name}`);
    const made = `icon(${JSON.stringify(name)}, ${JSON.stringify(paths)})`;
    const code = `import { icon } from "/src/console/kit/icon.tsx"; export default ${made}`;
    return { code, moduleType: "js", moduleSideEffects: false };
  },
};

// chunks are what is built, by file, with what each imports.
let chunks: Record<string, { imports?: string[] }> = {};
const graph: Plugin = {
  name: "stoa-graph",
  enforce: "pre",
  generateBundle: {
    order: "pre",
    handler(_, bundle) {
      chunks = bundle;
    },
  },
};

// loadedWith returns a file and all that it imports: what runs in it need not name these again.
const loadedWith = (file: string, found = new Set<string>()): Set<string> => {
  if (found.has(file)) return found;
  found.add(file);
  for (const next of chunks[file]?.imports ?? []) loadedWith(next, found);
  return found;
};

// The binary embeds dist/assets and finds each entry's files in its manifest. There is no
// index.html: stoa writes every page's head itself (internal/html/webapp).
export default defineConfig({
  plugins: [sections, icons, graph, react()],
  base: "./", // the files of each language have a folder of their own, as browsers see it
  build: {
    outDir: "dist/assets",
    assetsDir: "",
    manifest: "manifest.json",
    modulePreload: {
      polyfill: false,
      resolveDependencies: (_, files, { hostId }) => files.filter((file) => !loadedWith(hostId).has(file)),
    },
    assetsInlineLimit: 0, // the Content-Security-Policy allows no data: addresses of scripts and styles
    target: "es2022",
    cssTarget: ["chrome123", "firefox120", "safari17.5"], // the first with light-dark(), on which tokens.css is built
    reportCompressedSize: false,
    chunkSizeWarningLimit: 700, // kB before compression; the tests hold the compressed sizes
    rollupOptions: {
      input: {
        console: "src/console/main.tsx",
        storefront: "src/storefront/main.ts",
        run: "src/storefront/run.tsx",
        page: "src/storefront/page.ts",
      },
    },
  },
});
