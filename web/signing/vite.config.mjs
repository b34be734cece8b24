// Builds the signing page. Everything that it needs is served by the gateway: nothing is loaded from elsewhere.
import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";
import { pdfDataPlugin } from "../pdf-data-plugin.mjs";

const folder = (path) => fileURLToPath(new URL(path, import.meta.url));

/** Every browser that runs this page reads WOFF 2, so the copies in WOFF stay out. */
const withoutOldFonts = {
  name: "without-old-fonts",
  enforce: "pre",
  transform: (code, id) =>
    id.includes("/@fontsource/") ? code.replaceAll(/, url\([^)]*\.woff\) format\('woff'\)/g, "") : undefined,
};

export default defineConfig({
  root: folder("."),
  base: "/signing/assets/",
  publicDir: false,
  logLevel: "warn",
  plugins: [pdfDataPlugin, withoutOldFonts],
  build: {
    outDir: "../dist/signing",
    emptyOutDir: true,
    target: "es2022",
    assetsDir: "code",
    // Fonts stay files, so that the policy of the page needs no data: addresses for them.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rollupOptions: {
      // Texts that are PDFs are shown with it, too, on pages that know no hash of it.
      input: {
        index: folder("./index.html"),
        "pdf-viewer": folder("./src/pdf-viewer.ts"),
        // The form loads the languages that its script has no room for.
        "more-words": folder("../embed/more-words.ts"),
      },
      preserveEntrySignatures: "strict",
      output: {
        entryFileNames: ({ name }) =>
          ["pdf-viewer", "more-words"].includes(name) ? "viewer/[name].js" : "code/[name]-[hash].js",
      },
    },
    chunkSizeWarningLimit: 2_500,
  },
});
