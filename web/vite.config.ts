import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

// The binary embeds dist/assets and finds each entry's files in its manifest. There is no
// index.html: stoa writes every page's head itself (internal/webapp).
export default defineConfig({
  plugins: [react()],
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
