// Puts the page's script and styles into the page itself, so that one file is all of it: to serve, and to save.
import { readFileSync } from "node:fs";
import { join } from "node:path";

export const pageInOneFile = (folder, fileName) => ({
  name: "page-in-one-file",
  enforce: "post",
  generateBundle(_options, bundle) {
    const [script, ...others] = Object.values(bundle);
    if (script?.type !== "chunk" || others.length > 0) this.error("the page must have one script");
    const read = (name) => readFileSync(join(folder, name), "utf8").trim();
    const page = fill(read("page.html"), { style: read("page.css"), script: script.code.trim() });
    for (const name of Object.keys(bundle)) delete bundle[name];
    this.emitFile({ type: "asset", fileName, source: `${page}\n` });
  },
});

/** Neither may hold what would end its element. */
function fill(page, parts) {
  return Object.entries(parts).reduce((filled, [name, text]) => {
    if (/<\/(script|style)|<!--/i.test(text)) throw new Error(`the ${name} of the page would end too early`);
    return filled.replace(`/* ${name} */`, () => text);
  }, page);
}
