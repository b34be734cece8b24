import { isObject, type Json, type JsonObject } from "./json.ts";
import { at, items } from "./read.ts";
import type { LogRecord } from "./records.ts";
import { mainRecord, type Run } from "./run.ts";

/** What the bundle shows of an acceptance besides its receipt. */
export interface ShownAcceptance {
  /** Surface, words on the page, what was ticked; null when nothing is shown. */
  readonly presentation: Json;
  readonly claimed: Json;
  readonly observed: Json;
  readonly verification: Json;
  readonly typedName: Json;
  readonly metadata: Json;
  readonly mergeData: Json;
  readonly renderToken: Json;
  readonly checks: Json;
  /** What was shown and when, by the names that it has in the leaf. */
  readonly facts: Readonly<Record<string, Json>>;
}

/** The bundle is about its last acceptance; what came before stands under `earlier`. Null for other records. */
export function shownAcceptance(run: Run, record: LogRecord): ShownAcceptance | null {
  if (record.receipt === null) return null;
  return mainRecord(run) === record ? shownLast(run.bundle, record) : shownEarlier(run.bundle, record.id);
}

const shownLast = (bundle: Json, record: LogRecord): ShownAcceptance => ({
  presentation: asSent(at(bundle, "presentation")),
  claimed: at(bundle, "context.claimed"),
  observed: at(bundle, "context.observed"),
  verification: at(bundle, "subject.verification"),
  typedName: at(bundle, "subject.typedName"),
  metadata: at(bundle, "context.metadata"),
  mergeData: at(bundle, "agreement.data"),
  renderToken: at(bundle, "presentation.rendering.renderToken") ?? record.disclosed.get("renderToken") ?? null,
  checks: at(bundle, "policy.checks"),
  // The hashes are compared with what they are of.
  facts: { renderedAt: at(bundle, "presentation.renderedAt") },
});

/** In a bundle the presentation has all its members, null where nothing was sent, and a place for the screenshot itself. */
function asSent(presentation: Json): Json {
  if (!isObject(presentation)) return null;
  const sent: Record<string, Json> = {};
  for (const name of sentMembers) sent[name] = at(presentation, name);
  return { ...sent, screenshotHash: at(presentation, "screenshot.hash") };
}

const sentMembers = [
  "surface",
  "wrapType",
  "displayMode",
  "noticeText",
  "buttonText",
  "checkboxText",
  "checkboxInitiallyChecked",
  "scrolledToEnd",
  "displayedMs",
  "documentsOpened",
  "viewport",
  "events",
] as const;

function shownEarlier(bundle: Json, receiptId: string): ShownAcceptance {
  const earlier = items(at(bundle, "earlier")).find((one) => at(one, "receiptId") === receiptId);
  const of = (path: string): Json => at(earlier ?? null, path);
  return {
    presentation: of("presentation"),
    claimed: of("claimed"),
    observed: of("observed"),
    verification: of("verification"),
    typedName: of("typedName"),
    metadata: of("metadata"),
    mergeData: of("shown.data"),
    renderToken: of("shown.renderToken"),
    checks: of("checks"),
    facts: {
      renderedAt: of("shown.renderedAt"),
      wordsHash: of("shown.wordsHash"),
      deployment: of("shown.deploymentId"),
      deploymentHash: of("shown.deploymentHash"),
    },
  };
}

/** Without what says nothing: members that are null, and values that are empty. Null when nothing is left. */
export function meaningful(value: Json): Json {
  if (Array.isArray(value)) return value.length === 0 ? null : (value as readonly Json[]).map(withoutNulls);
  const kept = withoutNulls(value);
  return isObject(kept) && Object.keys(kept).length === 0 ? null : kept;
}

function withoutNulls(value: Json): Json {
  if (!isObject(value)) return value;
  const members = Object.entries(value as JsonObject).flatMap(([name, member]) => {
    const kept = meaningful(member);
    return kept === null ? [] : [[name, kept] as const];
  });
  return Object.fromEntries(members);
}
