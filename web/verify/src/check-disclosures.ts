import type { Disclosure } from "./displayed.ts";
import { ensure, erased, type Finding, fail, find, notPresent, type Outcome, Problem, pass } from "./finding.ts";
import { isObject, isSameJson, type Json } from "./json.ts";
import { at, items, list } from "./read.ts";
import { isAcceptance, isCompletion, type LogRecord } from "./records.ts";
import { mainRecord, type Run } from "./run.ts";
import { meaningful, shownAcceptance } from "./shown-acceptance.ts";

/** That what the bundle shows of a person is what the leaf committed to. */
export const checkDisclosures = (run: Run, record: LogRecord): Promise<Finding> =>
  find("DISCLOSURES", record.id, () => {
    ensure(record.leaf !== null, "the leaf cannot be read");
    const values = requireCommitted(record);
    const shown = shownValues(run, record);
    requireDelivered(run, record, values);
    const places = list(record.leaf, "_sd").length;
    if (record.hidden === "erased") {
      requireNothingShown(values, shown);
      return erased(`The person's data was erased. The leaf still holds ${places} digests, which tell nothing.`);
    }
    requireSubject(run, record);
    if (values.size === 0 && record.hidden !== undefined) return withheld(record.hidden, shown, places);
    return compare(values, shown, places);
  });

/** Every disclosure is one that the leaf commits to, under a name of its own. */
function requireCommitted({ leaf, disclosures }: LogRecord): ReadonlyMap<string, Json> {
  const digests = new Set(list(leaf, "_sd"));
  const values = new Map<string, Json>();
  const known = disclosures.map((one): Disclosure => (one instanceof Problem ? fail(one.message) : one));
  for (const { name, value, digest } of known) {
    ensure(digests.has(digest), `the leaf does not commit to the disclosed "${name}"`);
    ensure(!values.has(name), `"${name}" is disclosed twice`);
    values.set(name, value);
  }
  return values;
}

/** A copy went to the address that the leaf commits to, of which the bundle shows a part. */
function requireDelivered({ bundle }: Run, { id }: LogRecord, values: ReadonlyMap<string, Json>): void {
  for (const copy of items(at(bundle, "delivery")).filter((one) => at(one, "receiptId") === id)) {
    const [to, address] = [at(copy, "to"), values.get("copyTo")];
    if (to === null) continue;
    const part = typeof address === "string" && `${Array.from(address)[0]}…${address.slice(address.indexOf("@"))}`;
    ensure(to === part, "the bundle names another address of the copy than the leaf commits to");
  }
}

/** What the bundle shows, by the names of disclosures; undefined where it has no place for a value. */
type ShownValues = ReadonlyMap<string, Json | undefined>;

function shownValues(run: Run, record: LogRecord): ShownValues {
  if (isAcceptance(record)) return new Map(Object.entries(acceptanceValues(run, record)));
  return new Map(isCompletion(record) ? Object.entries(completionValues(run)) : []);
}

function acceptanceValues(run: Run, record: LogRecord): Record<string, Json | undefined> {
  const { receipt, leaf } = record;
  const shown = shownAcceptance(run, record);
  if (shown === null) return {};
  const { claimed } = shown;
  return {
    userRef: at(receipt, "userRef"),
    idempotencyKey: at(receipt, "idempotencyKey"),
    ip: at(claimed, "ip"),
    userAgent: at(claimed, "userAgent"),
    pageUrl: at(claimed, "pageUrl"),
    referrer: at(claimed, "referrer"),
    context: restOf(claimed),
    observed: shown.observed,
    verification: shown.verification,
    typedName: shown.typedName,
    metadata: shown.metadata,
    mergeData: shown.mergeData,
    consents: at(receipt, "purposes"),
    presentation: shown.presentation,
    // It stands in the leaf itself unless the text is personal.
    renderHash: at(leaf, "renderHash") === null ? at(receipt, "renderHash") : undefined,
    renderToken: shown.renderToken,
  };
}

const named = ["ip", "userAgent", "pageUrl", "referrer"];

const restOf = (claimed: Json): Json =>
  isObject(claimed) ? Object.fromEntries(Object.entries(claimed).filter(([name]) => !named.includes(name))) : null;

function completionValues({ bundle }: Run): Record<string, Json | undefined> {
  const end = items(at(bundle, "timeline")).find((entry) => at(entry, "type") === "SESSION_COMPLETED") ?? null;
  const outcome = at(bundle, "session.outcome");
  const detail = at(end, "detail");
  return {
    userRef: at(bundle, "session.userRef") ?? undefined,
    // Without a reason the timeline tells the outcome.
    reason: detail === outcome ? undefined : detail,
    metadata: at(bundle, "session.metadata"),
    context: at(bundle, "context.session"),
  };
}

function requireNothingShown(values: ReadonlyMap<string, Json>, shown: ShownValues): void {
  for (const name of values.keys()) fail(`"${name}" is disclosed although the person's data was erased`);
  for (const name of namesShown(shown)) fail(`the bundle shows "${name}" although the person's data was erased`);
}

const namesShown = (shown: ShownValues): string[] =>
  [...shown].filter(([, value]) => meaningful(value ?? null) !== null).map(([name]) => name);

function withheld(hidden: string, shown: ShownValues, places: number): Outcome {
  const names = namesShown(shown);
  const unproven = names.length === 0 ? "" : ` Nothing proves what is shown as ${names.join(", ")}.`;
  return notPresent(`What the leaf commits to is ${hidden}: its ${places} digests stay unopened.${unproven}`);
}

/** The subject of the bundle is who made its main record, and the receipt repeats how they were verified. */
function requireSubject(run: Run, record: LogRecord): void {
  const shown = shownAcceptance(run, record);
  if (shown === null) return;
  const { receipt } = record;
  if (mainRecord(run) === record) {
    const subject = at(run.bundle, "subject.userRef");
    // A session may have been made for nobody in particular.
    ensure(
      subject === null || subject === at(receipt, "userRef"),
      "the subject of the bundle is not who the receipt names",
    );
  }
  const short = items(shown.verification).map((one) => ({
    method: at(one, "method"),
    verifiedAt: at(one, "verifiedAt"),
  }));
  ensure(isSameJson(at(receipt, "verification"), short), "the receipt tells of another verification than the bundle");
}

/** The values of a session's text are committed to by the hash of the merged text. */
const mayBeUncommitted = ["mergeData"];

function compare(values: ReadonlyMap<string, Json>, shown: ShownValues, places: number): Outcome {
  const uncommitted: string[] = [];
  for (const [name, value] of shown) {
    if (value === undefined) continue;
    const isEqual = isSameJson(meaningful(value), meaningful(values.get(name) ?? null));
    if (isEqual) continue;
    const isOpen = !values.has(name) && mayBeUncommitted.includes(name);
    if (!isOpen) fail(`the bundle shows another "${name}" than the leaf commits to`);
    uncommitted.push(name);
  }
  const names = [...values.keys()].join(", ");
  const opened = values.size === 0 ? "Nothing is disclosed" : `What is disclosed is what was signed: ${names}`;
  const rest = `${places - values.size} of ${places} digests stay unopened or are empty places`;
  const note =
    uncommitted.length === 0 ? "" : ` The leaf does not commit to what is shown as ${uncommitted.join(", ")}.`;
  return pass(`${opened}; ${rest}.${note}`);
}
