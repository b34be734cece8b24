import { fromBase64, hashLabel, utf8 } from "./bytes.ts";
import { ensure, erased, type Finding, fail, find, notPresent, type Outcome, pass } from "./finding.ts";
import { canonicalJson, isSameJson, type Json, parseJson } from "./json.ts";
import { asText, at, list, object, text } from "./read.ts";
import { type LogRecord, receiptsOf } from "./records.ts";
import { mainRecord, type Run } from "./run.ts";
import { blocksOf } from "./text-blocks.ts";
import { isDifferenceOf, readDifference, written } from "./told-changes.ts";

/** That the bundle holds the text, its rendering, the words, the deployment and the terms that were signed for. */
export async function checkContents(run: Run): Promise<Finding[]> {
  return [
    await find("CONTENT_HASH", undefined, () => checkContent(run)),
    ...(await checkPdf(run)),
    await find("RENDER_HASH", undefined, () => checkRendered(run)),
    await find("WORDS_HASH", undefined, () => checkWords(run)),
    ...(await checkChanges(run)),
    await find("DEPLOYMENT_HASH", undefined, () => checkDeployment(run)),
    ...(await checkScreenshot(run)),
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

/** Only of texts that are files: the content names the file and says what each page says. */
async function checkPdf({ bundle }: Run): Promise<Finding[]> {
  const held = at(bundle, "agreement.pdf");
  if (at(bundle, "agreement.contentType") !== pdfTextType && held === null) return [];
  const outcome = async (): Promise<Outcome> => {
    const named = parseJson(text(bundle, "agreement.content"), "the text");
    ensure(at(named, "kind") === "assent.pdf-text", "the bundle holds a document, and the text names none");
    if (held === null) return fail("the text names a document that the bundle lacks");
    const bytes = fromBase64(text(bundle, "agreement.pdf.content"), "the document");
    const hash = await hashLabel(bytes);
    ensure(hash === at(named, "hash") && bytes.length === at(named, "size"), "the document is not the one of the text");
    ensure(at(held, "hash") === hash, "the document has another hash than the bundle states");
    const shown = at(bundle, "presentation.rendering.words.pdf.hash");
    ensure(shown === null || shown === hash, "another document was shown than the text names");
    const rendered = at(bundle, "agreement.rendered");
    ensure(
      rendered === null || rendered === spokenHtml(list(named, "pages")),
      "what was to be heard is not what the text says",
    );
    return pass(`The document that was shown has the hash that the text names (${short(hash)}).`);
  };
  return [await find("PDF_HASH", undefined, outcome)];
}

const pdfTextType = "application/vnd.assent.pdf-text+json";

/** What the pages say, as it is handed out to those who do not see them. */
const spokenHtml = (pages: readonly Json[]): string =>
  pages
    .map((page) => list(page, "text").map((one) => `<p>${written(asText(one, "a paragraph of a page"))}</p>\n`))
    .map((paragraphs) => `<section>\n${paragraphs.join("")}</section>\n`)
    .join("");

const signedFor = (records: readonly LogRecord[]): string =>
  records.length === 0
    ? "the bundle states"
    : records.length === 1
      ? "the signed record names"
      : "all signed records name";

/** An acceptance names how its text was shown; other records do not. */
const asList = (record: LogRecord | undefined): readonly LogRecord[] =>
  record === undefined || record.receipt === null ? [] : [record];

/** The first characters of a hash, enough to recognise it. */
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

/** The bundle tells nothing of it, or what it told was personal and is hidden now. */
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

/** Only of bundles whose deployment names a picture of itself, or that hold one. */
async function checkScreenshot({ bundle }: Run): Promise<Finding[]> {
  const named = at(bundle, "presentation.deployment.screenshotHash");
  const held = at(bundle, "presentation.deploymentScreenshot");
  if (named === null && held === null) return [];
  const outcome = async (): Promise<Outcome> => {
    ensure(named !== null, "the bundle holds a picture of the deployment, and the deployment names none");
    if (held === null) return notPresent("The deployment names a picture of itself that the bundle does not hold.");
    const encoded = text(bundle, "presentation.deploymentScreenshot.content");
    const hash = await hashLabel(fromBase64(encoded, "the picture of the deployment"));
    ensure(hash === named, "the picture is not the one that the deployment names");
    const stated = at(bundle, "presentation.deploymentScreenshot.hash");
    ensure(stated === hash, "the picture has another hash than the bundle states");
    return pass(`The picture of the deployment has the hash that the deployment names (${short(hash)}).`);
  };
  return [await find("SCREENSHOT_HASH", undefined, outcome)];
}

/** Only of bundles that say, in the words that were signed for or beside them, that changes were told. */
async function checkChanges(run: Run): Promise<Finding[]> {
  const told = at(run.bundle, "presentation.rendering.words.changes");
  const held = at(run.bundle, "presentation.changes");
  return told === null && held === null ? [] : [await find("CHANGES", undefined, () => checkDifference(run, told))];
}

/** That what was shown is the difference of exactly these two texts, whoever has computed it. */
async function checkDifference({ bundle }: Run, told: Json): Promise<Outcome> {
  ensure(told !== null, "the bundle holds changes, and the words that were shown name none");
  const from = text(bundle, "presentation.changes.from");
  const isRendered = at(bundle, "presentation.changes.to") === null;
  const to = text(bundle, isRendered ? "agreement.rendered" : "presentation.changes.to");
  const isPersonal = at(bundle, "agreement.template.type") === "GENERATED";
  ensure(isRendered || isPersonal, "the changes lead to another text than the one that was shown");
  const hashOf = (content: string) => hashLabel(utf8(content));
  ensure((await hashOf(from)) === at(told, "from.htmlHash"), "the earlier text is not the one that the words name");
  ensure((await hashOf(to)) === at(told, "to.htmlHash"), "the later text is not the one that the words name");
  const label = text(told, "from.label");
  const former = `version ${label} (${short(text(told, "from.contentHash"))})`;
  const shown = text(bundle, "presentation.changes.shown");
  const hash = await hashOf(shown);
  ensure(hash === at(told, "shownHash"), "the changes that were shown are not those that the words name");
  const summary = at(told, "changeSummary");
  const named = { label, changeSummary: summary === null ? null : asText(summary, "changeSummary") };
  const difference =
    readDifference(shown, named) ?? fail("the changes that were shown are not written as the service does");
  if (difference === "too long") {
    return pass(`The person was told that too much had changed since ${former} to be shown (${short(hash)}).`);
  }
  const isRight = isDifferenceOf(difference, blocksOf(from), blocksOf(to));
  ensure(isRight, "the changes that were shown do not lead from the earlier text to the later one");
  const pairs = [
    ["earlier", at(told, "from.contentHash"), at(told, "from.htmlHash")],
    ["later", isRendered ? at(told, "to.htmlHash") : at(bundle, "agreement.contentHash"), at(told, "to.htmlHash")],
  ] as const;
  const loose = pairs.flatMap(([which, source, html]) => (isSameJson(source, html) ? [] : [`the ${which} text`]));
  const doubt = " Taken as the record names it, and not shown to be made from the source of its version:";
  const rest = loose.length === 0 ? "" : `${doubt} ${loose.join(", ")}.`;
  return pass(`What had changed since ${former} was shown (${short(hash)}), and it is right.${rest}`);
}

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
