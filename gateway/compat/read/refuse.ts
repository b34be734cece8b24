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
