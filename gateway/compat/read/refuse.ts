import type { Reader } from "./reader.ts";

/** Reports the properties that are there and that would change the meaning of a request if they were ignored. */
export function refuseMeaningful(reader: Reader, names: readonly string[]): void {
  for (const name of names) {
    if (!isEmpty(reader.raw(name))) reader.problem(name, "NOT_SUPPORTED", "is not supported: leave it out");
  }
}

/** Reports texts that are neither empty nor one of those that mean nothing special; in lower case. */
export function refuseOthers(reader: Reader, name: string, usual: readonly string[]): void {
  const said = reader.text(name)?.trim().toLowerCase() ?? "";
  if (said !== "" && !usual.includes(said)) {
    reader.problem(name, "NOT_SUPPORTED", `is not supported unless it is ${usual.join(" or ")}`);
  }
}

/** What says nothing: false in any form, an empty text, list or object, and objects of nothing else. */
function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === false || value === 0) return true;
  if (typeof value === "string") return ["", "false", "0"].includes(value.trim().toLowerCase());
  return typeof value === "object" && Object.values(value).every(isEmpty);
}
