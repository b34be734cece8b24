// Builds the offline verifier: one readable file without dependencies, for browsers and for Node 20 and later, and with
// `--mode page` the page that runs the same code.
import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";
import { pageInOneFile } from "./page-plugin.mjs";

const folder = (path) => fileURLToPath(new URL(path, import.meta.url));

const outputs = {
  production: { entry: "src/index.ts", formats: ["es"], fileName: () => "verify-bundle.mjs" },
  page: { entry: "page/main.ts", formats: ["es"], fileName: () => "verify.js" },
};

export default defineConfig(({ mode }) => ({
  root: folder("."),
  publicDir: false,
  logLevel: "warn",
  plugins: mode === "page" ? [pageInOneFile(folder("page"), "verify.html")] : [],
  build: {
    outDir: "../dist",
    emptyOutDir: false,
    target: "es2022",
    // Whoever has to trust it must be able to read it.
    minify: false,
    reportCompressedSize: false,
    lib: outputs[mode],
    rolldownOptions: { external: [/^node:/] },
  },
}));
