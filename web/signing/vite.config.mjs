// Builds the signing page. Everything that it needs is served by the gateway: nothing is loaded from elsewhere.
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { create } from "@cantoo/fontkit";
import { defineConfig } from "vite";
import { pdfDataPlugin } from "../pdf-data-plugin.mjs";

const folder = (path) => fileURLToPath(new URL(path, import.meta.url));

/**
 * Every browser that runs this page reads WOFF 2, so the copies in WOFF stay out. The ranges that the packages state are
 * those of their writing system; the page chooses a handwriting by the characters that it has.
 */
const handwritings = {
  name: "handwritings",
  enforce: "pre",
  transform(code, id) {
    if (!id.includes("/@fontsource/")) return undefined;
    return code.replaceAll(/@font-face \{[^}]*\}/g, (face) => {
      const [, file] = /url\(\.\/(files\/[^)]+\.woff2)\)/.exec(face) ?? [];
      const characters = create(readFileSync(join(dirname(id), file))).characterSet;
      if (characters.length === 0) return "";
      return face
        .replaceAll(/, url\([^)]*\.woff\) format\('woff'\)/g, "")
        .replace(/unicode-range: [^;]*;/, `unicode-range: ${rangesOf(characters)};`);
    });
  },
};

function rangesOf(characters) {
  const ranges = [];
  for (const code of characters.toSorted((one, other) => one - other)) {
    const last = ranges.at(-1);
    if (last?.[1] === code - 1) last[1] = code;
    else ranges.push([code, code]);
  }
  const hex = (code) => code.toString(16);
  return ranges.map(([first, last]) => `U+${hex(first)}${last === first ? "" : `-${hex(last)}`}`).join(", ");
}

export default defineConfig({
  root: folder("."),
  base: "/signing/assets/",
  publicDir: false,
  logLevel: "warn",
  plugins: [pdfDataPlugin, handwritings],
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
      // Reading the fonts takes most of the build, as it must.
      checks: { bundlerTimings: false },
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
