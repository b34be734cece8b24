import { hashLabel, utf8, utf8Text } from "./bytes.ts";
import { displayedSince, isDirect, readTokenClaims, tokenTime } from "./check-policy.ts";
import { type Disclosure, type ProvenTime, requireProvenBefore } from "./displayed.ts";
import { isSigned } from "./ed25519.ts";
import { ensure, erased, type Finding, fail, find, notPresent, type Outcome, Problem, pass } from "./finding.ts";
import { canonicalJson, isObject, isSameJson, type Json, parseJson, parseJws } from "./json.ts";
import { findKey, requireInTime } from "./keys.ts";
import { at, isoTime, items, list, text, time } from "./read.ts";
import { isAcceptance, isCompletion, type LogRecord } from "./records.ts";
import { mainRecord, type Run } from "./run.ts";
import { meaningful, type ShownAcceptance, shownAcceptance } from "./shown-acceptance.ts";

const bundleTyp = "click-evidence+jws";

/** Checks the signature over the whole bundle, and names the source of the keys. */
export async function checkBundle(run: Run): Promise<Finding[]> {
  return [
    await find("BUNDLE_SIGNATURE", undefined, () => checkSignature(run)),
    await find("KEYS", undefined, () => checkKeys(run)),
    await find("KEY_VALIDITY", undefined, () => checkSigner(run)),
  ];
}

async function checkSignature({ bundle, keys, records }: Run): Promise<Outcome> {
  const { bundleSignature, ...others } = isObject(bundle) ? bundle : fail("the bundle is not an object");
  const jws = parseJws(text(bundle, "bundleSignature.jws"), bundleTyp, "the bundle's signature");
  const members = isObject(bundleSignature ?? null) ? Object.keys(bundleSignature as object).sort() : [];
  ensure(members.join() === "alg,jws,kid", "the bundle's signature does not have exactly alg, kid and jws");
  ensure(text(bundle, "bundleSignature.alg") === "EdDSA", "the bundle's signature is not one of EdDSA");
  ensure(text(bundle, "bundleSignature.kid") === jws.kid, "the bundle's signature names two keys");
  const key = findKey(keys, jws.kid, "receipt");
  ensure(await isSigned(key.key, jws.signature, jws.signed), "the bundle's signature does not hold");
  const claims = parseJson(utf8Text(jws.payload, "what the bundle's signature is over"), "the bundle's signature");
  const digest = await hashLabel(utf8(canonicalJson(others)));
  ensure(text(claims, "digest") === digest, "the bundle was changed after it was signed");
  for (const [claim, member] of Object.entries(claimed)) {
    ensure(text(claims, claim) === text(bundle, member), `the bundle's signature is for another ${member}`);
  }
  const issuer = text(claims, "iss");
  const isOneIssuer = records.every(({ leaf }) => leaf === null || at(leaf, "iss") === issuer);
  ensure(isOneIssuer, `the bundle was signed by ${issuer}, and a record by another installation`);
  return pass(`The file is exactly as ${issuer} handed it out at ${text(bundle, "generatedAt")}.`);
}

const claimed = { bundleId: "bundleId", org: "organizationId", generatedAt: "generatedAt" };

function checkKeys({ keys }: Run): Outcome {
  ensure(keys.problems.length === 0, `keys that cannot be used: ${keys.problems.join("; ")}`);
  if (!keys.isGiven) {
    return notPresent(
      "The keys come from the bundle itself. Keys inside a bundle prove nothing by themselves: whoever forges a bundle puts keys of their own in it. Get the key file from the installation and verify again with it.",
    );
  }
  const counts = [
    counted(keys.signing.length, "signing key"),
    counted(keys.logs.length, "log key"),
    counted(
      keys.tsaCertificates?.length ?? 0,
      "certificate of a time-stamping authority",
      "certificates of time-stamping authorities",
    ),
  ];
  return pass(`The keys come from the key file: ${counts.join(", ")}.`);
}

const counted = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`;

/** A bundle can be fetched again at any time, so nothing excuses a key that was revoked. */
function checkSigner({ bundle, keys }: Run): Outcome {
  const { kid } = parseJws(text(bundle, "bundleSignature.jws"), bundleTyp, "the bundle's signature");
  const key = findKey(keys, kid, "receipt");
  requireInTime(key, time(bundle, "generatedAt"));
  if (key.revokedAt !== null) {
    fail(`the key that signed the bundle was revoked as of ${isoTime(key.revokedAt)}; fetch the bundle again`);
  }
  return pass("The key that signed the bundle was in use when the bundle was made.");
}

/** That the service itself has shown exactly this text, and for long enough. */
export const checkRenderToken = (run: Run, record: LogRecord, proven: ProvenTime | undefined): Promise<Finding> =>
  find("RENDER_TOKEN", record.id, async () => {
    const shown = shownAcceptance(run, record) ?? fail("the bundle has no receipt for this record");
    const { renderToken } = shown;
    if (renderToken === null) return missing(run, record);
    const { jws, claims } = readTokenClaims(renderToken);
    const key = findKey(run.keys, jws.kid, "render");
    ensure(await isSigned(key.key, jws.signature, jws.signed), "the signature of the render token does not hold");
    const made = tokenTime(claims);
    requireInTime(key, made);
    if (key.revokedAt !== null) requireProvenBefore("the key of the render token", key.revokedAt, proven);
    requireSameText(run, record, claims);
    requireMoment(record, claims, made);
    const seconds = requireDisplayTime(run, record, shown);
    return pass(`The service showed exactly this text ${seconds} seconds before; its token is from ${isoTime(made)}.`);
  });

function missing({ bundle }: Run, { leaf, hidden }: LogRecord): Outcome {
  if (hidden === "erased") return erased("The token was erased with the person's data, if there was one.");
  if (hidden !== undefined) return notPresent(`The token is ${hidden}, if there was one.`);
  const isRequired = at(bundle, "policy.flags.requireRenderToken") === true && at(leaf, "kind") === "click.acceptance";
  ensure(!isRequired, "the policy asks for a render token, and the bundle lacks it");
  return notPresent("No token tells that the service itself has shown the text.");
}

/** What a token says, and what the leaf calls the same. Absent claims are null on both sides. */
const sameInLeaf: readonly [string, string][] = [
  ["org", "org"],
  ["tpl", "tpl"],
  ["ver", "ver"],
  ["rev", "rev"],
  ["locale", "locale"],
  ["ch", "contentHash"],
  ["dep", "deployment"],
  ["dsh", "deploymentHash"],
];

function requireSameText(run: Run, { leaf, receipt }: LogRecord, claims: Json): void {
  for (const [claim, member] of sameInLeaf) {
    ensure(at(claims, claim) === at(leaf, member), `the render token has another ${claim} than the record`);
  }
  const session = isDirect(run) ? null : at(run.bundle, "sessionId");
  ensure(at(claims, "sid") === session, "the render token belongs to another session");
  // What was not rendered by the service is not in the record.
  const shown: [string, Json][] = [
    ["rh", at(receipt, "renderHash")],
    ["wh", at(leaf, "wordsHash")],
  ];
  for (const [claim, hash] of shown) {
    ensure(hash === null || at(claims, claim) === hash, `the render token has another ${claim} than the record`);
  }
}

/** How far the clocks of two processes may differ. */
const skewMs = 60_000;

function requireMoment({ leaf }: LogRecord, claims: Json, made: number): void {
  const acceptedAt = time(leaf, "acceptedAt");
  const expires = at(claims, "exp");
  ensure(made <= acceptedAt + skewMs, "the render token is younger than the acceptance");
  const isValid = typeof expires === "number" && expires * 1000 > acceptedAt;
  ensure(isValid, "the render token had expired when the text was accepted");
}

/** In whole seconds, as the service counts. Only an acceptance needs time to read. */
function requireDisplayTime(run: Run, record: LogRecord, shown: ShownAcceptance): number {
  const required = at(run.bundle, "policy.flags.minDisplaySeconds");
  const acceptedAt = time(record.leaf, "acceptedAt");
  const moments = displayedSince(run, record, shown).filter((moment) => moment !== null);
  const seconds = Math.max(...moments.map((moment) => Math.floor((acceptedAt - moment) / 1000)));
  const isLongEnough =
    at(record.leaf, "kind") === "click.decline" || typeof required !== "number" || seconds >= required;
  ensure(isLongEnough, `the text was on display for ${seconds} seconds only, not for ${String(required)}`);
  return seconds;
}

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
