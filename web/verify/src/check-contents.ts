import { hashLabel, utf8 } from "./bytes.ts";
import { erased, type Finding, find, notPresent, type Outcome, pass } from "./finding.ts";
import { canonicalJson, isSameJson, type Json } from "./json.ts";
import { ensure, fail } from "./problem.ts";
import { at, object, text } from "./read.ts";
import { type LogRecord, receiptsOf } from "./records.ts";
import { mainRecord, type Run } from "./run.ts";

/** That the bundle holds the text, its rendering, the words, the deployment and the terms that were signed for. */
export async function checkContents(run: Run): Promise<Finding[]> {
  return [
    await find("CONTENT_HASH", undefined, () => checkContent(run)),
    await find("RENDER_HASH", undefined, () => checkRendered(run)),
    await find("WORDS_HASH", undefined, () => checkWords(run)),
    await find("DEPLOYMENT_HASH", undefined, () => checkDeployment(run)),
    await find("TERMS_HASH", undefined, () => checkTerms(run)),
    await find("POLICY_HASH", undefined, () => checkPolicyHash(run)),
  ];
}

async function checkContent({ bundle, records }: Run): Promise<Outcome> {
  const hash = await hashLabel(utf8(text(bundle, "agreement.content")));
  const stated = ["agreement.contentHash", "integrity.contentHash", "session.contentHash"];
  for (const path of stated) ensure(at(bundle, path) === hash, `the text is not the one of ${path}`);
  for (const { id, leaf } of records) {
    ensure(leaf === null || at(leaf, "contentHash") === hash, `the text is not the one of the record ${id}`);
  }
  return pass(`The text has the hash that ${signedFor(records)} (${short(hash)}).`);
}

const signedFor = (records: readonly LogRecord[]): string =>
  records.length === 0
    ? "the bundle states"
    : records.length === 1
      ? "the signed record names"
      : "all signed records name";

/** An acceptance names how its text was shown; other records do not. */
const asList = (record: LogRecord | undefined): readonly LogRecord[] =>
  record === undefined || record.receipt === null ? [] : [record];

/** Enough of a hash to find it again. */
const short = (hash: string): string => `${hash.slice(0, 23)}…`;

/** What a leaf holds of the rendering, or what the leaf's disclosure tells when the rendering is personal. */
async function checkRendered(run: Run): Promise<Outcome> {
  const { bundle } = run;
  const record = mainRecord(run);
  const signed = at(record?.leaf ?? null, "renderHash") ?? record?.disclosed.get("renderHash") ?? null;
  const rendered = at(bundle, "agreement.rendered");
  const stated = at(bundle, "agreement.renderHash");
  if (rendered === null) {
    const missing = "the text as it was shown";
    return signed === null && stated === null
      ? absent(record, missing)
      : withheld(record, missing, at(record?.leaf ?? null, "renderHash") !== null);
  }
  const hash = await hashLabel(utf8(text(bundle, "agreement.rendered")));
  ensure(stated === hash, "what was shown is not what agreement.renderHash names");
  ensure(record?.receipt == null || signed === hash, "what was shown is not what the signed record names");
  return pass(`What was shown has the hash that ${signedFor(asList(record))} (${short(hash)}).`);
}

/** Nobody knows of it; or only the person did, and that is hidden now. */
function absent(record: LogRecord | undefined, what: string): Outcome {
  if (record?.hidden === "erased") return erased(`If ${what} was recorded, it was erased with the person's data.`);
  return notPresent(`The service did not record ${what}.`);
}

/** The leaf names it and the bundle does not hold it. */
function withheld(record: LogRecord | undefined, what: string, isPublic: boolean): Outcome {
  if (record?.hidden === "erased") return erased(`The bundle no longer holds ${what}.`);
  if (record?.hidden !== undefined) return notPresent(`The bundle does not disclose ${what}.`);
  return fail(isPublic ? `the signed record names ${what}, and the bundle lacks it` : `the bundle lacks ${what}`);
}

const checkWords = (run: Run): Promise<Outcome> =>
  checkJson(run, {
    what: "the words around the text",
    value: at(run.bundle, "presentation.rendering.words"),
    stated: null,
    member: "wordsHash",
  });

const checkDeployment = (run: Run): Promise<Outcome> =>
  checkJson(run, {
    what: "the deployment that showed the text",
    value: at(run.bundle, "presentation.deployment"),
    stated: at(run.bundle, "presentation.deploymentHash"),
    member: "deploymentHash",
  });

interface HashedJson {
  readonly what: string;
  readonly value: Json;
  /** The hash that the bundle shows beside it; null when it shows none. */
  readonly stated: Json;
  /** The member of an acceptance's leaf. */
  readonly member: string;
}

async function checkJson(run: Run, { what, value, stated, member }: HashedJson): Promise<Outcome> {
  const record = mainRecord(run);
  const signed = at(record?.leaf ?? null, member);
  if (value === null) return signed === null && stated === null ? absent(record, what) : withheld(record, what, true);
  const hash = await hashLabel(utf8(canonicalJson(value)));
  ensure(stated === null || stated === hash, `${what} has another hash than the bundle states`);
  ensure(record?.receipt == null || signed === hash, `${what} is not what the signed record names`);
  return pass(`The hash of ${what} is the one that ${signedFor(asList(record))} (${short(hash)}).`);
}

/** The terms are the template's, with the flags that were in force. */
async function checkTerms({ bundle, records }: Run): Promise<Outcome> {
  const { id, ...template } = object(bundle, "agreement.template");
  const terms = { templateId: id ?? null, ...template, policy: at(bundle, "policy.flags") };
  const hash = await hashLabel(utf8(canonicalJson(terms)));
  for (const record of records) {
    const signed = at(record.leaf, "termsHash");
    ensure(record.leaf === null || signed === hash, `the terms are not those of the record ${record.id}`);
  }
  if (records.length === 0) return notPresent("No signed record names the terms.");
  return pass("The template, the counterparty and the flags are those that the signed records name.");
}

async function checkPolicyHash({ bundle, records }: Run): Promise<Outcome> {
  const flags = at(bundle, "policy.flags");
  const hash = await hashLabel(utf8(canonicalJson(flags)));
  ensure(text(bundle, "policy.hash") === hash, "the flags are not those of policy.hash");
  ensure(isSameJson(at(bundle, "session.policy"), flags), "the session has other flags than the bundle");
  for (const receipt of receiptsOf(bundle)) {
    ensure(at(receipt, "policy.hash") === hash, "a receipt names other flags");
  }
  for (const { id, leaf } of records) {
    const signed = at(leaf, "policyHash");
    ensure(signed === null || signed === hash, `the flags are not those of the record ${id}`);
  }
  return pass(`The flags in force have the hash that is stated everywhere (${short(hash)}).`);
}
