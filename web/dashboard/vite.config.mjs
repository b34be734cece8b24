// Builds the dashboard. Everything that it needs is served by the gateway: nothing is loaded from elsewhere.
import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";
import { pdfDataPlugin } from "../pdf-data-plugin.mjs";

const folder = (path) => fileURLToPath(new URL(path, import.meta.url));

export default defineConfig({
  root: folder("."),
  base: "/dashboard/assets/",
  publicDir: false,
  logLevel: "warn",
  plugins: [pdfDataPlugin],
  resolve: {
    alias: {
      // Its edition for browsers reads character references through innerHTML, which the policy of the page refuses.
      "decode-named-character-reference": folder("../../node_modules/decode-named-character-reference/index.js"),
    },
  },
  // Texts that people see go through a runtime of our own, which names what they hide.
  oxc: { jsx: { runtime: "automatic", importSource: "#visible", development: false } },
  build: {
    outDir: "../dist/dashboard",
    emptyOutDir: true,
    target: "es2022",
    // For light-dark(), which a rewrite for older browsers would double.
    cssTarget: ["chrome123", "edge123", "firefox121", "safari17.5"],
    assetsDir: "code",
    // Files stay files, so that the policy of the page needs no data: addresses.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // What reads documents is large, and loaded only where one is shown.
    chunkSizeWarningLimit: 2_500,
    rolldownOptions: {
      // "use client" says nothing to a page that has no server side.
      checks: { moduleLevelDirective: false },
    },
    // Which files the first page loads, for the test of their size.
    manifest: "manifest.json",
  },
});
