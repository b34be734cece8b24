// Builds the signing page. Everything that it needs is served by the gateway: nothing is loaded from elsewhere.
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";

const folder = (path) => fileURLToPath(new URL(path, import.meta.url));

/** What pdf.js loads while it shows a document: character maps, the fonts that every reader has, and image decoders. */
const pdfData = ["cmaps", "standard_fonts", "wasm"];

const pdfDataPlugin = {
  name: "pdf-data",
  generateBundle() {
    for (const name of pdfData) {
      const from = folder(`../../node_modules/pdfjs-dist/${name}/`);
      for (const file of readdirSync(from)) {
        this.emitFile({ type: "asset", fileName: `${name}/${file}`, source: readFileSync(`${from}${file}`) });
      }
    }
  },
};

export default defineConfig({
  root: folder("."),
  base: "/signing/assets/",
  publicDir: false,
  logLevel: "warn",
  plugins: [pdfDataPlugin],
  build: {
    outDir: "../dist/signing",
    emptyOutDir: true,
    target: "es2022",
    assetsDir: "code",
    // Fonts stay files, so that the policy of the page needs no data: addresses for them.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 2_500,
  },
});
