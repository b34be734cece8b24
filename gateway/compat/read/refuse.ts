import { createHash } from "node:crypto";
import { canonicalJson } from "#platform/canonical-json.ts";
import type { DocumentFile } from "../../document-bodies/document-file.ts";
import type { Reader } from "./reader.ts";

/** Reports properties whose being ignored would change the meaning of the request. */
export function refuseMeaningful(reader: Reader, names: readonly string[]): void {
  for (const name of names) {
    if (!isEmpty(reader.raw(name))) reader.problem(name, "NOT_SUPPORTED", "is not supported: leave it out");
  }
}

/** Reports texts other than empty ones and the given neutral values; compared in lower case. */
export function refuseOthers(reader: Reader, name: string, usual: readonly string[]): void {
  const said = reader.text(name)?.trim().toLowerCase() ?? "";
  if (said !== "" && !usual.includes(said)) {
    reader.problem(name, "NOT_SUPPORTED", `is not supported unless it is ${usual.join(" or ")}`);
  }
}

/** Values without meaning: false in any form, an empty text, list or object, and objects of only such values. */
function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === false || value === 0) return true;
  if (typeof value === "string") return ["", "false", "0"].includes(value.trim().toLowerCase());
  return typeof value === "object" && Object.values(value).every(isEmpty);
}

/** What an idempotency key is bound to: the operation, its body in any order of fields, and its files. */
export const requestHash = (
  operation: string,
  body: unknown,
  files: readonly DocumentFile[] = [],
): Uint8Array<ArrayBuffer> => {
  const hashes = files.map(({ sha256 }) => Buffer.from(sha256).toString("hex"));
  return new Uint8Array(
    createHash("sha256")
      .update(canonicalJson({ operation, body, files: hashes }))
      .digest(),
  );
};
