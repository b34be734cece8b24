import type { JsonObject } from "@bufbuild/protobuf";
import type { Receipt } from "#api/receipts.ts";
import { type PdfText, readPdfText } from "#platform/pdf-text.ts";
import type { PolicyCheck } from "../accept/policy-checks.ts";
import type { Aftermath } from "../consent/aftermath.ts";
import type { Copy } from "../copies/copy.ts";
import type { AcceptanceEvidence } from "../receipts/acceptance-evidence.ts";
import { type AcceptanceLeaf, withheldReceipt } from "../receipts/receipt.ts";
import type { ShownWords } from "../render/compose.ts";
import type { PageEvent } from "../sessions/session.ts";
import type { SessionView } from "../sessions/session-view.ts";
import type { ShownFacts } from "../terms/agreement.ts";
import type { ContentFormat } from "../terms/content-store.ts";
import type { Terms } from "../terms/terms.ts";
import type { EvidenceIntegrity } from "./evidence-integrity.ts";

/** The text that was shown, as stored. */
export interface ShownText {
  readonly title: string | null;
  readonly content: Buffer;
  readonly format: ContentFormat;
  readonly contentHash: string;
  readonly texts: object;
  readonly publishedAt: Date | null;
  readonly publishedBy: string;
}

/** An acceptance or decline, as far as it may be shown. */
export interface EvidencedAcceptance {
  readonly receipt: Receipt;
  readonly leaf: AcceptanceLeaf;
  /** Null when nothing personal may be shown. */
  readonly evidence: AcceptanceEvidence | null;
  /** The results of the policy checks; empty after erasure. */
  readonly checks: readonly PolicyCheck[];
}

/** Everything known about a session, with its proofs. */
export interface Evidence {
  readonly generatedAt: Date;
  readonly session: SessionView;
  /** The stated reason for closing the session, if any. */
  readonly reason: string | null;
  /** The end user's context when the session was created. */
  readonly sessionContext: object | null;
  /** In log order; the bundle is about the last one. */
  readonly acceptances: readonly EvidencedAcceptance[];
  readonly terms: Terms;
  readonly policyHash: string;
  readonly text: ShownText;
  readonly showing: EvidencedShowing;
  /** The session page's reports, oldest first. */
  readonly events: readonly PageEvent[];
  readonly aftermath: Aftermath;
  /** The copies that were asked for, in the order of their acceptances. */
  readonly copies: readonly Copy[];
  readonly integrity: EvidenceIntegrity;
}

/** How the text was shown, with the contents that the facts refer to by hash. */
export interface EvidencedShowing {
  /** Null when unknown. */
  readonly facts: ShownFacts | null;
  readonly contents: ReadonlyMap<string, Buffer>;
  /** The public key (JWK) that verifies the render token. */
  readonly key: object | null;
}

/** The hashes of the contents these facts refer to. */
export const hashesOf = (facts: Pick<ShownFacts, "renderHash" | "wordsHash" | "deploymentHash"> | null): string[] =>
  [facts?.renderHash, facts?.wordsHash, facts?.deploymentHash].filter((hash) => typeof hash === "string");

/** The hashes of what these words tell of an earlier text. */
export function changesHashesOf(words: Buffer | undefined): string[] {
  const { changes } = words === undefined ? {} : (JSON.parse(words.toString("utf8")) as Partial<ShownWords>);
  if (changes === undefined) return [];
  return [changes.from.htmlHash, changes.to.htmlHash, changes.shownHash];
}

/** The hash of the picture that the snapshot of a deployment names; none when it names no picture that is kept. */
export function screenshotHashesOf(snapshot: Buffer | undefined): string[] {
  const { screenshotHash } = snapshot === undefined ? {} : (JSON.parse(snapshot.toString("utf8")) as JsonObject);
  return typeof screenshotHash === "string" ? [screenshotHash] : [];
}

/** The picture of the deployment that showed the text. */
export function deploymentScreenshot({ facts, contents }: Pick<EvidencedShowing, "facts" | "contents">) {
  const [hash] = screenshotHashesOf(contents.get(facts?.deploymentHash ?? ""));
  const content = contents.get(hash ?? "");
  if (hash === undefined || content === undefined) return null;
  return { hash, contentType: content[0] === 0x89 ? "image/png" : "image/jpeg", content };
}

/** The file that the text is; null for other texts. */
export function agreementPdf({ text, showing }: Pick<Evidence, "text" | "showing">) {
  const pdf = pdfTextOf(text);
  const content = showing.contents.get(pdf?.hash ?? "");
  if (pdf === undefined) return null;
  // Without its bytes nobody could check it: better no bundle than one that fails.
  if (content === undefined) throw new Error(`the file ${pdf.hash} of a text is missing or damaged`);
  return { hash: pdf.hash, size: pdf.size, pages: pdf.pages.length, content };
}

export const pdfTextOf = ({ format, content }: Pick<ShownText, "format" | "content">): PdfText | undefined =>
  format === "PDF" ? readPdfText(content.toString("utf8")) : undefined;

/** What the public part of the log says about how the text was shown; null when it says nothing. */
export function loggedFacts(leaf: AcceptanceLeaf): ShownFacts | null {
  const { renderedAt, renderHash, wordsHash, deployment: deploymentId, deploymentHash } = leaf;
  const known = { renderedAt, renderHash, wordsHash, deploymentId, deploymentHash };
  if (Object.values(known).every((fact) => fact === null)) return null;
  return { renderId: null, renderToken: null, data: null, ...known };
}

/** The text as shown, for the bundle's `agreement` member. */
export const renderedText = ({ facts, contents }: EvidencedShowing) => ({
  rendered: contents.get(facts?.renderHash ?? "")?.toString("utf8") ?? null,
  renderHash: facts?.renderHash ?? null,
  data: facts?.data ?? null,
});

/** The same for the bundle's `presentation` member; only there when a picture is. */
function screenshotObject(shown: EvidencedShowing) {
  const screenshot = deploymentScreenshot(shown);
  if (screenshot === null) return {};
  return { deploymentScreenshot: { ...screenshot, content: screenshot.content.toString("base64") } };
}

/** Where and when it was shown, for the bundle's `presentation` member. */
export const showing = (shown: EvidencedShowing) => ({ ...showingOf(shown), ...screenshotObject(shown) });

const showingOf = ({ facts, contents, key }: EvidencedShowing) => ({
  deployment: jsonOf(contents, facts?.deploymentHash),
  deploymentHash: facts?.deploymentHash ?? null,
  renderedAt: facts?.renderedAt ?? null,
  rendering:
    facts?.renderedAt == null
      ? null
      : {
          renderId: facts.renderId,
          renderedAt: facts.renderedAt,
          renderHash: facts.renderHash,
          words: jsonOf(contents, facts.wordsHash),
          renderToken: facts.renderToken,
          renderTokenKey: key,
        },
  changes: changesObject(contents, facts),
});

/** What words.changes names, with both texts; the later one is null when it is what was rendered. */
function changesObject(contents: ReadonlyMap<string, Buffer>, facts: ShownFacts | null): JsonObject | null {
  const words = facts?.renderedAt == null ? null : (jsonOf(contents, facts.wordsHash) as Partial<ShownWords> | null);
  if (words?.changes === undefined) return null;
  const { from, to, shownHash } = words.changes;
  const textOf = (hash: string) => contents.get(hash)?.toString("utf8") ?? null;
  return {
    from: textOf(from.htmlHash),
    to: to.htmlHash === facts?.renderHash ? null : textOf(to.htmlHash),
    shown: textOf(shownHash),
  };
}

function jsonOf(contents: ReadonlyMap<string, Buffer>, hash: string | null | undefined): JsonObject | null {
  const content = contents.get(hash ?? "");
  return content === undefined ? null : (JSON.parse(content.toString("utf8")) as JsonObject);
}

/** The same evidence without personal data; the remaining proofs still hold. */
export function withholdPersonal(evidence: Evidence): Evidence {
  const { session, acceptances, terms, showing, aftermath, integrity } = evidence;
  return {
    ...evidence,
    session: withheldSession(session),
    reason: null,
    sessionContext: null,
    acceptances: acceptances.map((one) => withheldAcceptance(one, terms)),
    showing: withheldShowing(showing, terms, acceptances.at(-1)),
    events: [],
    aftermath: { ...aftermath, consents: [], endings: [], later: [] },
    integrity: {
      ...integrity,
      records: integrity.records.map((record) => ({ ...record, disclosures: [] })),
      // No token is left that this key could verify.
      keys: integrity.keys.filter(({ purpose }) => purpose !== "render"),
    },
  };
}

const isPersonalized = ({ type }: Pick<Terms, "type">): boolean => type === "GENERATED";

const withheldSession = (session: SessionView): SessionView => ({
  ...session,
  userRef: null,
  metadata: {},
  returnUrl: null,
  data: null,
  renderHash: isPersonalized({ type: session.templateType }) ? null : session.renderHash,
});

function withheldAcceptance({ receipt, leaf, checks }: EvidencedAcceptance, terms: Terms): EvidencedAcceptance {
  const { erased, restricted, log, signature } = receipt;
  return {
    receipt: { ...withheldReceipt(leaf, terms), erased, restricted, log, signature },
    leaf,
    evidence: null,
    // Whether a flag was satisfied is not personal; the facts that satisfied it are.
    checks: checks.map((check) => ({ ...check, observed: null })),
  };
}

function withheldShowing(
  { facts, contents }: EvidencedShowing,
  terms: Terms,
  last: EvidencedAcceptance | undefined,
): EvidencedShowing {
  const known = last === undefined ? withheldFacts(facts, terms) : loggedFacts(last.leaf);
  const personal = isPersonalized(terms) ? facts?.renderHash : undefined;
  return { facts: known, contents: new Map([...contents].filter(([hash]) => hash !== personal)), key: null };
}

const withheldFacts = (facts: ShownFacts | null, terms: Terms): ShownFacts | null =>
  facts && { ...facts, renderToken: null, data: null, renderHash: isPersonalized(terms) ? null : facts.renderHash };
