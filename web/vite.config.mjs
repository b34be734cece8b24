// Builds what runs in browsers: one file without dependencies, for a classic script tag and for `import` alike.
import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";

const folder = fileURLToPath(new URL(".", import.meta.url));

export default defineConfig({
  root: folder,
  publicDir: false,
  logLevel: "warn",
  build: {
    outDir: "dist",
    emptyOutDir: true,
    target: ["chrome107", "edge107", "firefox104", "safari16.4"],
    // Newer than the target: older browsers do without colour schemes, and a rewrite would double the styles.
    cssTarget: ["chrome123", "edge123", "firefox121", "safari17.5"],
    reportCompressedSize: false,
    lib: { entry: "embed/index.ts", formats: ["iife"], name: "AssentEmbed", fileName: () => "embed.js" },
  },
});
