// Jest runs what production runs: the sources with their types blanked out by Node itself.
// Positions are kept, so stack traces are right without source maps.
import { createHash } from "node:crypto";
import { stripTypeScriptTypes } from "node:module";

const strip = (source) => ({ code: stripTypeScriptTypes(source, { mode: "strip" }) });

export default {
  canInstrument: false,
  getCacheKey: (source, path) =>
    createHash("sha256").update(process.version).update(path).update("\0").update(source).digest("hex"),
  process: strip,
  processAsync: async (source) => strip(source),
};
