import { readFileSync } from "node:fs";
import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin } from "vite";

// Console and storefront each get a copy of the texts, in which only their own sections
// remain: as one module, the storefront would load those of the console, too.
const textsApart: Plugin = {
  name: "texts-apart",
  enforce: "pre",
  resolveId: (source, importer) => (source.endsWith("/texts/en.json") && importer
    ? `\0texts-${importer.includes("/storefront/") ? "shop" : "console"}.js` : null),
  load: (id) => (id.startsWith("\0texts-")
    ? Object.entries(JSON.parse(readFileSync("texts/en.json", "utf8")))
      .map(([section, texts]) => `export const ${section} = ${JSON.stringify(texts)};`).join("\n") : null),
};

// The binary embeds dist/assets and finds each entry's files in its manifest. There is no
// index.html: stoa writes every page's head itself (internal/webapp).
export default defineConfig({
  plugins: [textsApart, react()],
  base: "/assets/",
  build: {
    outDir: "dist/assets",
    assetsDir: "",
    manifest: "manifest.json",
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0, // the Content-Security-Policy allows no data: addresses of scripts and styles
    target: "es2022",
    cssTarget: ["chrome123", "firefox120", "safari17.5"], // the first with light-dark(), on which tokens.css is built
    reportCompressedSize: false,
    chunkSizeWarningLimit: 700, // kB before compression; the tests hold the compressed sizes
    rollupOptions: {
      input: { console: "src/console/main.tsx", storefront: "src/storefront/main.tsx", page: "src/storefront/page.ts" },
    },
  },
});
