import { concat, fromBase64Url, hashLabel, utf8Text } from "./bytes.ts";
import { ensure, type Finding, fail, find, notPresent, type Outcome, pass } from "./finding.ts";
import { canonicalJson, isObject, isSameJson, type Json } from "./json.ts";
import { at, isoTime, list, text, texts, time } from "./read.ts";
import { isAcceptance, isCompletion, type LogRecord, receiptsOf } from "./records.ts";
import { mainRecord, type Run } from "./run.ts";
import { shownAcceptance } from "./shown-acceptance.ts";
import { epochIn, withoutEpoch } from "./signed-note.ts";

/** That a leaf is well made, hashes to what the log holds, and says what the bundle says. */
export const checkLeaf = (run: Run, record: LogRecord): Promise<Finding> =>
  find("LEAF", record.id, async () => {
    const { leaf, item } = record;
    const bytes = record.leafBytes();
    ensure(isObject(leaf), "the leaf is not a JSON object");
    ensure(canonicalJson(leaf) === utf8Text(bytes, "the leaf"), "the leaf is not canonical JSON (RFC 8785)");
    const hash = await hashLabel(concat(Uint8Array.of(0), bytes));
    ensure(text(item, "leafHash") === hash, "the leaf has another hash than the bundle states");
    ensure(at(leaf, "v") === 1, "the leaf is of a version that this verifier does not know");
    ensure(at(leaf, "kind") === at(item, "kind"), "the leaf is of another kind than the bundle states");
    ensure(at(leaf, "org") === at(run.bundle, "organizationId"), "the leaf belongs to another organization");
    requireDigests(leaf);
    if (isAcceptance(record)) requireAcceptance(run, record, hash);
    else if (isCompletion(record)) requireCompletion(run, record);
    else return requireOther(record);
    return pass(`Everything in the ${text(leaf, "kind")} record agrees with the receipt and the session.`);
  });

/** RFC 9901 §7.1: the same digest twice would let one value stand for another. */
function requireDigests(leaf: Json): void {
  ensure(text(leaf, "_sd_alg") === "sha-256", "the leaf commits by another hash than SHA-256");
  const digests = texts(leaf, "_sd");
  for (const digest of digests) {
    ensure(fromBase64Url(digest, "a digest in the leaf").length === 32, "a digest in the leaf is not one of SHA-256");
  }
  ensure(new Set(digests).size === digests.length, "the leaf has a digest twice");
}

function requireAcceptance(run: Run, record: LogRecord, hash: string): void {
  const { bundle } = run;
  const { leaf, receipt } = record;
  ensure(isObject(receipt), "the bundle has no receipt for this record");
  requireMembers(leaf, acceptanceMembers, { receipt, bundle });
  const decision = at(leaf, "kind") === "click.decline" ? "DECLINE" : "ACCEPT";
  ensure(at(receipt, "decision") === decision, "the receipt states another decision than the leaf");
  ensure(at(receipt, "status") === "RECORDED", "the receipt is not one of a recorded acceptance");
  ensure(at(receipt, "policy.satisfied") === true, "the receipt does not state that the policy was satisfied");
  for (const [path, expected] of receiptFacts(record, hash)) {
    ensure(isSameJson(at(receipt, path), expected), `the receipt's ${path} does not agree with the record`);
  }
  requireOrigin(text(receipt, "log.origin"), text(record.item, "log.origin"));
  for (const [path, other] of receiptTemplate) {
    ensure(isSameJson(at(receipt, path), at(bundle, other)), `the receipt's ${path} does not agree with ${other}`);
  }
  requireRenderHash(record, bundle);
  for (const [member, value] of Object.entries(shownAcceptance(run, record)?.facts ?? {})) {
    const isWithheld = value === null && record.hidden !== undefined;
    ensure(isWithheld || at(leaf, member) === value, `the bundle shows another ${member} than the leaf holds`);
  }
}

/** The hash of a text with somebody's values in it is personal: it stands in a disclosure instead. */
function requireRenderHash({ leaf, receipt, disclosed }: LogRecord, bundle: Json): void {
  const isPersonal = at(bundle, "agreement.template.type") === "GENERATED";
  const signed = at(leaf, "renderHash");
  ensure(!isPersonal || signed === null, "the leaf of a generated text holds the hash of the text");
  const expected = isPersonal ? (disclosed.get("renderHash") ?? null) : signed;
  ensure(at(receipt, "renderHash") === expected, "the receipt's renderHash does not agree with the record");
}

/** A receipt names the epoch in which it was recorded; later ones have its record, too. */
function requireOrigin(stated: string, origin: string): void {
  const isSame = withoutEpoch(stated) === withoutEpoch(origin) && epochIn(stated) <= epochIn(origin);
  ensure(isSame, "the receipt's log.origin does not agree with the record");
}

const promiseMs = 60_000;

/** What the receipt says about its own leaf. */
const receiptFacts = ({ leaf, item }: LogRecord, hash: string): [string, Json][] => [
  ["log.logId", at(leaf, "org")],
  ["log.leafIndex", at(item, "log.leafIndex")],
  ["log.leafHash", hash],
  ["log.integrateBy", isoTime(time(leaf, "acceptedAt") + promiseMs)],
  ["signature.alg", "EdDSA"],
  ["signature.jws", at(item, "receiptJws")],
];

const receiptTemplate: readonly [string, string][] = [
  ["templateSlug", "agreement.template.slug"],
  ["templateName", "agreement.template.name"],
  ["templateType", "agreement.template.type"],
];

function requireCompletion({ bundle, records }: Run, { leaf }: LogRecord): void {
  requireMembers(leaf, completionMembers, { receipt: null, bundle });
  const named = JSON.stringify([...texts(leaf, "receipts")].sort());
  const held = records.filter(isAcceptance).map(({ id }) => id);
  ensure(named === JSON.stringify(held.sort()), "the completion names other receipts than the bundle holds");
}

/** Exactly the members that belong there, each of which says the same wherever the bundle repeats it. */
function requireMembers(leaf: Json, rules: MemberRules, sources: { receipt: Json; bundle: Json }): void {
  const members = Object.keys(leaf as object);
  for (const member of members) ensure(Object.hasOwn(rules, member), `the leaf has the unknown member ${member}`);
  for (const [member, places] of Object.entries(rules)) {
    ensure(members.includes(member), `the leaf lacks the member ${member}`);
    for (const place of places) {
      const isInReceipt = place.startsWith("receipt.");
      const value = isInReceipt ? at(sources.receipt, place.slice("receipt.".length)) : at(sources.bundle, place);
      ensure(isSameJson(at(leaf, member), value), `the leaf's ${member} does not agree with ${place}`);
    }
  }
}

/** The bundle repeats nothing of records of other kinds. */
function requireOther({ leaf, id }: LogRecord): Outcome {
  const names = ["rid", "eid", "sid"].map((member) => at(leaf, member));
  ensure(names.includes(id), "the leaf belongs to another record");
  return pass(`The ${text(leaf, "kind")} record is well formed.`);
}

/** That the bundle holds the record of everything it tells of, and no other. */
export const checkRecords = (run: Run): Promise<Finding> =>
  find("LEAF", undefined, () => {
    const { bundle, records } = run;
    list(bundle, "integrity.records");
    const ids = records.map(({ id }) => id);
    ensure(new Set(ids).size === ids.length, "the bundle holds a record twice");
    const receiptIds = receiptsOf(bundle).map((receipt) => text(receipt, "receiptId"));
    for (const id of receiptIds) ensure(ids.includes(id), `the bundle lacks the record of the receipt ${id}`);
    ensure(isSameSet(receiptIds, texts(bundle, "session.receiptIds")), "the session names other receipts");
    requireCompletionRecord(run);
    requireOrder(run);
    requireSummary(run);
    if (records.length === 0) return notPresent("Nothing was accepted, declined or completed in this session.");
    const kinds = records.map(({ item }) => String(at(item, "kind")));
    return pass(`The bundle holds the records that it must hold, each once: ${kinds.join(", ")}.`);
  });

const isSameSet = (a: readonly string[], b: readonly string[]): boolean =>
  JSON.stringify([...a].sort()) === JSON.stringify([...b].sort());

/** A session that is an acceptance by itself ends with it. */
function requireCompletionRecord({ bundle, records }: Run): void {
  const isEnded = at(bundle, "session.status") === "COMPLETED" && at(bundle, "session.origin") === "API";
  const completions = records.filter(isCompletion).length;
  ensure(completions === (isEnded ? 1 : 0), "the records of the session's end are not what its status says");
}

function requireOrder({ records }: Run): void {
  const indexes = records.map(({ item }) => at(item, "log.leafIndex"));
  const isOrdered = indexes.every((index, n) => n === 0 || Number(index) > Number(indexes[n - 1]));
  ensure(isOrdered, "the records are not in the order of the log");
}

const summary = ["leafData", "leafHash", "receiptJws", "disclosures", "log"];

function requireSummary(run: Run): void {
  const main = mainRecord(run);
  for (const member of summary) {
    const shown = at(run.bundle, `integrity.${member}`);
    const expected = main === undefined ? (member === "disclosures" ? [] : null) : at(main.item, member);
    if (!isSameJson(shown, expected)) fail(`integrity.${member} is not that of the record the bundle is about`);
  }
}

/** What a leaf consists of, with the places in the bundle that say the same: `receipt.` in the record's own receipt. */
type MemberRules = Readonly<Record<string, readonly string[]>>;

const nowhere: readonly string[] = [];

/** What the session and the text are: the same in every record. */
const bound: MemberRules = {
  v: nowhere,
  kind: nowhere,
  iss: nowhere,
  org: ["organizationId", "session.organizationId"],
  tpl: ["session.templateId", "agreement.template.id"],
  ver: ["session.versionId", "agreement.version.id"],
  rev: ["session.revision", "agreement.version.revision"],
  label: ["session.label", "agreement.version.label"],
  locale: ["session.locale", "agreement.version.locale"],
  contentHash: ["session.contentHash", "agreement.contentHash"],
  termsHash: nowhere,
  sid: ["sessionId", "session.id"],
  _sd: nowhere,
  _sd_alg: nowhere,
};

/** The leaf of an acceptance or a decline. */
const acceptanceMembers: MemberRules = {
  ...bound,
  org: [...(bound.org ?? []), "receipt.organizationId"],
  tpl: [...(bound.tpl ?? []), "receipt.templateId"],
  ver: [...(bound.ver ?? []), "receipt.versionId"],
  rev: [...(bound.rev ?? []), "receipt.revision"],
  label: [...(bound.label ?? []), "receipt.versionLabel"],
  locale: [...(bound.locale ?? []), "receipt.locale"],
  contentHash: [...(bound.contentHash ?? []), "receipt.contentHash"],
  sid: [...(bound.sid ?? []), "receipt.sessionId"],
  rid: ["receipt.receiptId"],
  renderHash: nowhere,
  wordsHash: nowhere,
  deployment: ["receipt.deploymentId", "session.deploymentId"],
  deploymentHash: nowhere,
  policyHash: ["receipt.policy.hash", "policy.hash"],
  act: ["receipt.action"],
  assertedBy: ["receipt.assertedBy"],
  acceptedAt: ["receipt.acceptedAt"],
  clientAcceptedAt: ["receipt.clientAcceptedAt"],
  renderedAt: nowhere,
  expiresAt: ["receipt.expiresAt"],
  reacceptBy: ["receipt.reacceptBy"],
  superseded: ["receipt.superseded"],
};

/** The leaf of the end of a session. */
const completionMembers: MemberRules = {
  ...bound,
  outcome: ["session.outcome"],
  createdAt: ["session.createdAt"],
  completedAt: ["session.completedAt"],
  receipts: nowhere,
};
