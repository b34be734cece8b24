import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { buildOpenApi } from "../../gateway/openapi/build.ts";
import { allRoutes } from "../../gateway/routes/index.ts";
import type { Json } from "../support/openapi.ts";

/** The OpenAPI document of the last release, without what is only for people to read. */
export const interfaceFile = join(import.meta.dirname, "interface.json.gz");

export const releasedInterface = (): Json => JSON.parse(gunzipSync(readFileSync(interfaceFile)).toString()) as Json;

export const interfaceOfNow = (): Json => JSON.parse(JSON.stringify(withoutWords(buildOpenApi(allRoutes)))) as Json;

/** The same bytes for the same document, so that a file that did not change does not look changed. */
export const compressed = (document: Json): Buffer => gzipSync(JSON.stringify(document), { level: 9 });

const words = new Set(["description", "summary", "examples", "example", "title", "info", "tags", "servers"]);
/** Members whose own members are called as the interface calls them. */
const dictionaries = new Set(["properties", "schemas", "paths", "headers", "responses", "webhooks"]);

function withoutWords(value: unknown, isDictionary = false): unknown {
  if (Array.isArray(value)) return value.map((one) => withoutWords(one));
  if (typeof value !== "object" || value === null) return value;
  const kept = Object.entries(value).filter(([name]) => isDictionary || !words.has(name));
  return Object.fromEntries(
    kept.map(([name, one]) => [name, withoutWords(one, dictionaries.has(name) && !isDictionary)]),
  );
}
