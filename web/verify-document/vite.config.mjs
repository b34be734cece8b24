// Builds the page that checks sealed documents, in one file.
import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";
import { pageInOneFile } from "../verify/page-plugin.mjs";

const folder = fileURLToPath(new URL(".", import.meta.url));

export default defineConfig({
  root: folder,
  publicDir: false,
  logLevel: "warn",
  plugins: [pageInOneFile(folder, "verify-document.html")],
  build: {
    outDir: "../dist",
    emptyOutDir: false,
    target: "es2022",
    // Whoever has to trust it must be able to read it.
    minify: false,
    reportCompressedSize: false,
    lib: { entry: "main.ts", formats: ["es"], fileName: () => "verify-document.js" },
  },
});
