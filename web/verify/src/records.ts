import { type Bytes, fromBase64, utf8Text } from "./bytes.ts";
import { type Disclosure, parseDisclosure } from "./displayed.ts";
import { fail, Problem } from "./finding.ts";
import { isObject, type Json, parseJson } from "./json.ts";
import { at, items } from "./read.ts";

/** Why what is personal in a record cannot be seen. */
export type Hidden = "erased" | "restricted" | "undisclosed";

/** A record of the log, as the bundle brings it along. */
export interface LogRecord {
  readonly id: string;
  /** The item of integrity.records. */
  readonly item: Json;
  /** The exact bytes that were signed and logged; fails when they cannot be read. */
  readonly leafBytes: () => Bytes;
  /** What they say; null when they cannot be read. */
  readonly leaf: Json;
  /** The receipt of this acceptance; null for a record that is none. */
  readonly receipt: Json;
  /** By their names, as far as the leaf commits to them. */
  readonly disclosed: ReadonlyMap<string, Json>;
  readonly disclosures: readonly (Disclosure | Problem)[];
  readonly hidden: Hidden | undefined;
}

/** The records of a bundle, in its order. None when the list of them cannot be read, which the check LEAF tells. */
export async function readRecords(bundle: Json): Promise<LogRecord[]> {
  return Promise.all(items(at(bundle, "integrity.records")).map((item) => readRecord(bundle, item)));
}

async function readRecord(bundle: Json, item: Json): Promise<LogRecord> {
  const id = String(at(item, "recordId"));
  const leafBytes = settled(() => {
    const encoded = at(item, "leafData");
    return fromBase64(typeof encoded === "string" ? encoded : fail("the leaf is missing"), "the leaf");
  });
  const leaf = settled(() => parseJson(utf8Text(leafBytes(), "the leaf"), "the leaf"));
  const receipt = receiptsOf(bundle).find((one) => at(one, "receiptId") === id) ?? null;
  const disclosures = await readDisclosures(item);
  const readable = orNull(leaf);
  return {
    id,
    item,
    leafBytes,
    leaf: readable,
    receipt,
    disclosed: committed(readable, disclosures),
    disclosures,
    hidden: hiddenIn(bundle, receipt),
  };
}

/** Reads once, and fails every time when that failed. */
function settled<T>(read: () => T): () => T {
  try {
    const value = read();
    return () => value;
  } catch (error) {
    return () => {
      throw error;
    };
  }
}

function orNull(read: () => Json): Json {
  try {
    return read();
  } catch {
    return null;
  }
}

export const receiptsOf = (bundle: Json): readonly Json[] => items(at(bundle, "receipts"));

async function readDisclosures(item: Json): Promise<(Disclosure | Problem)[]> {
  const listed = at(item, "disclosures") ?? [];
  if (!Array.isArray(listed)) return [new Problem("the disclosures are not a list")];
  return Promise.all(
    (listed as readonly Json[]).map((one, index) =>
      parseDisclosure(one, `disclosure ${index + 1}`).catch((error: unknown) =>
        error instanceof Problem ? error : new Problem(`disclosure ${index + 1} cannot be read`),
      ),
    ),
  );
}

/** What the leaf does not commit to proves nothing. */
function committed(leaf: Json, disclosures: readonly (Disclosure | Problem)[]): ReadonlyMap<string, Json> {
  const known = new Set(items(at(leaf, "_sd")));
  return new Map(
    disclosures.flatMap((one) =>
      one instanceof Problem || !known.has(one.digest) ? [] : [[one.name, one.value] as const],
    ),
  );
}

/** A record that is no acceptance is as visible as the session that it belongs to. */
function hiddenIn(bundle: Json, receipt: Json): Hidden | undefined {
  const holders = isObject(receipt) ? [receipt] : [at(bundle, "subject"), at(bundle, "session")];
  if (holders.some((one) => at(one, "erased") === true)) return "erased";
  if (at(bundle, "disclosed") === false) return "undisclosed";
  return holders.some((one) => at(one, "restricted") === true) ? "restricted" : undefined;
}

export const isAcceptance = ({ leaf }: LogRecord): boolean =>
  at(leaf, "kind") === "click.acceptance" || at(leaf, "kind") === "click.decline";

export const isCompletion = ({ leaf }: LogRecord): boolean => at(leaf, "kind") === "click.session.completed";

/** When a record was made, by the clock of the service, in the member that its kind has for it. */
export function recordTimeMember({ leaf }: LogRecord): string {
  const members = ["acceptedAt", "completedAt", "recordedAt", "publishedAt", "requestedAt", "openedAt"];
  return members.find((member) => at(leaf, member) !== null) ?? fail("the leaf does not say when it was made");
}
