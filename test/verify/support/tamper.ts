import fc from "fast-check";
import { type Bundle, sign } from "./bundle.ts";
import type { Installation } from "./installation.ts";

/** A bundle with another value at a path such as `integrity.records.0.leafData`; the rest is the same. */
export function changed(bundle: Bundle, path: string, change: (value: never) => unknown): Bundle {
  const copy = structuredClone(bundle);
  const names = path.split(".");
  const last = names.pop() ?? "";
  const holder = names.reduce<Bundle>((value, name) => value[name], copy);
  if (!(last in holder)) throw new Error(`the bundle has no ${path}`);
  holder[last] = change(holder[last] as never);
  return copy;
}

/** What an attacker does who has the installation's key: the change stands wherever it is repeated, and all is signed again. */
export function forged(
  installation: Installation,
  bundle: Bundle,
  path: string,
  change: (value: never) => unknown,
): Bundle {
  const copy = changed(bundle, path, change);
  const main = copy.integrity.records.findLast((record: Bundle) => record.kind !== "click.session.completed");
  for (const member of ["leafData", "leafHash", "receiptJws", "disclosures", "log"]) {
    copy.integrity[member] = main[member];
  }
  return sign(installation, copy);
}

/** The text with one bit of its UTF-8 flipped; undefined when that is no UTF-8 any more. */
export function flipped(text: string, bit: number): string | undefined {
  const bytes = Buffer.from(text);
  const index = (bit >> 3) % bytes.length;
  bytes[index] = (bytes[index] as number) ^ (1 << (bit & 7));
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** Flips one bit of whatever stands there; passes over texts that would be none any more. */
export function flip(value: unknown, bit: number): unknown {
  if (typeof value === "number") return value ^ (1 << (bit % 20));
  if (typeof value === "boolean") return !value;
  const text = flipped(value as string, bit);
  fc.pre(text !== undefined);
  return text;
}

export const bits = fc.nat({ max: 2 ** 30 });
