import { readFileSync } from "node:fs";
import { env } from "node:process";
import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin } from "vite";

// Serves one section of the catalog of texts, so that the storefront does not load the
// console's: import section from "…/en.json?section=shop". &only=name,name leaves only these
// groups of it, &without=name,name leaves groups out. STOA_TEXTS names another catalog, for a build
// in another language.
const sections: Plugin = {
  name: "stoa-sections",
  enforce: "pre",
  load(id) {
    const [path = "", query] = id.split("?");
    const asked = new URLSearchParams(query),
      section = asked.get("section"),
      only = asked.get("only")?.split(",");
    if (section === null) return null;
    const catalog = JSON.parse(readFileSync(env["STOA_TEXTS"] ?? path, "utf8")) as Record<
      string,
      Record<string, unknown>
    >;
    const without = asked.get("without")?.split(",") ?? [];
    const texts = Object.fromEntries(
      Object.entries(catalog[section] ?? {}).filter(
        ([name]) => (!only || only.includes(name)) && !without.includes(name),
      ),
    );
    return { code: `export default ${JSON.stringify(texts)}`, moduleType: "js" };
  },
};

// The binary embeds dist/assets and finds each entry's files in its manifest. There is no
// index.html: stoa writes every page's head itself (internal/html/webapp).
export default defineConfig({
  plugins: [sections, react()],
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
      input: {
        console: "src/console/main.tsx",
        storefront: "src/storefront/main.ts",
        run: "src/storefront/run.tsx",
        page: "src/storefront/page.ts",
      },
    },
  },
});
