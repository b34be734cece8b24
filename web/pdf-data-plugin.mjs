// Puts into a build what pdf.js loads while it shows a document.
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** Character maps, the fonts that every reader has, and image decoders. */
const pdfData = ["cmaps", "standard_fonts", "wasm"];

export const pdfDataPlugin = {
  name: "pdf-data",
  generateBundle() {
    for (const name of pdfData) {
      const from = fileURLToPath(new URL(`../node_modules/pdfjs-dist/${name}/`, import.meta.url));
      for (const file of readdirSync(from)) {
        this.emitFile({ type: "asset", fileName: `${name}/${file}`, source: readFileSync(`${from}${file}`) });
      }
    }
  },
};
