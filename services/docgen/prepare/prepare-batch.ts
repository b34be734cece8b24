import { setImmediate as nextTurn } from "node:timers/promises";
import type { BatchItemSource, DocumentSource as SourceMessage } from "#gen/assent/docgen/v1/docgen_pb.ts";
import type { Caller } from "#platform/caller.ts";
import { DomainError, type ErrorCode } from "#platform/errors.ts";
import type { Failure } from "../domain/document.ts";
import { defaultTimeZone, parseMetadata } from "../domain/output.ts";
import { defaultLocale, lineProblems, parseLocale, refuse } from "../domain/problems.ts";
import {
  findTemplate,
  nothingFound,
  type PrepareDeps,
  type PreparedSource,
  prepareSource,
  profileOf,
} from "./prepare-source.ts";

/** An item that can be rendered, or one that has already failed. */
export type PreparedItem = Omit<PreparedSource, "source"> & {
  readonly itemIndex: number;
  readonly ref: string;
} & (
    | { readonly status: "queued"; readonly source: PreparedSource["source"] }
    | { readonly status: "failed"; readonly source: null; readonly failure: Failure }
  );

/** How long the event loop may be blocked before other work runs. */
const sliceMs = 10;

/**
 * Prepares the items of a batch as if each were a document of its own; a defect of one item fails only that item.
 * Throws GEN_INVALID_REQUEST for an ambiguous request, and every error that is not caused by an item.
 */
export async function prepareBatch(
  deps: PrepareDeps,
  caller: Caller,
  items: readonly BatchItemSource[],
  signal?: AbortSignal,
): Promise<PreparedItem[]> {
  refuse(items.flatMap(({ ref }, index) => lineProblems(`items[${index}].ref`, ref)));
  const found = nothingFound();
  const prepared: PreparedItem[] = [];
  let since = performance.now();
  for (const [itemIndex, { ref, source }] of items.entries()) {
    // The proto's rules require it.
    if (source === undefined) throw new DomainError("GEN_INVALID_REQUEST");
    const item = { itemIndex, ref };
    try {
      const { document } = await prepareSource(deps, caller, source, found);
      prepared.push({ ...document, ...item, status: "queued" });
    } catch (error) {
      const failure = failureOf(error);
      const templateId = await findTemplate(deps, caller, source, found);
      prepared.push({ ...whatIsKnown(source), templateId, ...item, status: "failed", source: null, failure });
    }
    if (performance.now() - since < sliceMs) continue;
    await nextTurn();
    signal?.throwIfAborted();
    since = performance.now();
  }
  return prepared;
}

/** The errors that an item can cause. All others, such as an unavailable service, concern the whole request. */
const itemFaults: ReadonlySet<ErrorCode> = new Set([
  "GEN_INVALID_REQUEST",
  "GEN_PAYLOAD_TOO_LARGE",
  "GEN_TEMPLATE_NOT_FOUND",
  "GEN_TEMPLATE_NOT_PUBLISHED",
  "GEN_ASSET_NOT_FOUND",
  "GEN_INVALID_DATA",
  "GEN_TEMPLATE_ERROR",
]);

/** Rethrows errors that the item did not cause. */
function failureOf(error: unknown): Failure {
  if (!(error instanceof DomainError) || !itemFaults.has(error.code)) throw error;
  const { code, message, metadata, details } = error;
  const [first] = details;
  // Where the facts do not say it, the first field does.
  const place =
    first === undefined || code !== "GEN_INVALID_REQUEST" ? {} : { field: first.field, reason: first.message };
  return { code, message: storable(message), details: storableFacts({ ...place, ...metadata }) };
}

const storableFacts = (facts: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(facts).map(([name, value]) => [name, storable(value)]));

/** Names of fields may come from the data. */
const storable = (text: string): string => text.replaceAll("\u0000", "").toWellFormed();

/** Of an item that could not be prepared, for its row. */
function whatIsKnown(message: SourceMessage): Omit<PreparedSource, "source" | "templateId"> {
  const { locale, metadataJson } = message;
  return {
    templateVersion: null,
    templateRef: null,
    profile: profileOf(message),
    fileName: "document.pdf",
    locale: orElse(() => parseLocale("locale", locale), defaultLocale),
    timeZone: defaultTimeZone,
    metadata: orElse(() => parseMetadata("metadata", metadataJson), null),
    expiresIn: null,
  };
}

function orElse<T>(parse: () => T, otherwise: T): T {
  try {
    return parse();
  } catch {
    return otherwise;
  }
}
