import type { Receipt } from "#api/receipts.ts";
import { withheldReason } from "./about-agreement.ts";
import {
  anyValue,
  exact,
  type Fact,
  facts,
  hash,
  knownFrom,
  list,
  type Markup,
  markup,
  nothing,
  type Piece,
  section,
  time,
  words,
  yesNo,
} from "./markup.ts";
import type { PrintedBundle, PrintedWords } from "./printed-bundle.ts";

export const decisionWords: Readonly<Record<Receipt["decision"], string>> = {
  ACCEPT: "accepted",
  DECLINE: "declined",
};

export function howSection(bundle: PrintedBundle): Markup {
  const { presentation: shown, receipts, session } = bundle;
  const last = receipts.at(-1);
  const around = shown.rendering?.words ?? null;
  return section(
    "How it was decided",
    facts([
      ["Decision", last === undefined ? "none was recorded" : decisionWords[last.decision]],
      ["Outcome of the session", words(session.outcome ?? session.status)],
      ["Place of the display (deployment)", deploymentOf(bundle)],
      ["Hash of the place of the display", hash(shown.deploymentHash)],
      ["Rendered by the service", time(shown.renderedAt)],
      ["Rendering", hash(shown.rendering?.renderId)],
      ["Text of the button, as rendered", around?.buttonText],
      ["Text beside the checkbox, as rendered", around?.checkboxText],
      ...changesFacts(around?.changes),
      ["What was seen of the user", absentFacts(bundle)],
    ]),
    disclosurePart(around),
    saidPart(bundle),
    checksPart(bundle.policy.checks, bundle.policy.hash),
  );
}

const changesFacts = (changes: PrintedWords["changes"]): Fact[] =>
  changes === undefined
    ? []
    : [
        ["Changes were shown since", `version ${changes.from.label}, revision ${changes.from.revision}`],
        ["What changed, in the words of the author", changes.changeSummary ?? undefined],
        ["Hash of the changes, as rendered", hash(changes.shownHash)],
      ];

/** What was handed out to be shown before the text; whether it was on the screen stands in the checks. */
const disclosurePart = (around: PrintedWords | null): Markup =>
  around?.disclosure === undefined
    ? nothing
    : markup`<h3>Disclosure on electronic records, as rendered</h3><p><strong>${around.disclosure.title}</strong></p>${around.disclosure.text.split("\n").map((line) => markup`<p>${line}</p>`)}`;

/** Claims that the service did not observe itself. */
function saidPart({ presentation: shown, receipts }: PrintedBundle): Markup {
  const last = receipts.at(-1);
  const { w, h } = shown.viewport ?? {};
  const said = facts([
    ["Way of deciding", last === undefined ? undefined : words(last.action)],
    ["Text of the button", shown.buttonText],
    ["Text beside the checkbox", shown.checkboxText],
    ["Notice", shown.noticeText],
    ["Ticked before the user ticked it", yesNo(shown.checkboxInitiallyChecked)],
    ["Scrolled to the end", yesNo(shown.scrolledToEnd)],
    ["On display", shown.displayedMs === null ? undefined : `${shown.displayedMs} ms, as the page measured it`],
    ["Documents that were opened", shown.documentsOpened.length === 0 ? undefined : shown.documentsOpened.join(" ")],
    ["Shown on", wordsOf(shown.surface)],
    ["Form of the display", wordsOf(shown.displayMode ?? shown.wrapType)],
    ["Size of the window", w === undefined || h === undefined ? undefined : `${w} × ${h} pixels`],
    ["Hash of a picture of the screen", hash(shown.screenshot?.hash)],
  ]);
  return said === nothing ? nothing : markup`<h3>How it was shown, as the sender of the decision tells it</h3>${said}`;
}

const deploymentOf = ({ presentation, session }: PrintedBundle): Piece | undefined =>
  presentation.deployment?.name ?? hash(session.deploymentId);

const wordsOf = (code: string | null): string | undefined => (code === null ? undefined : words(code));

const absentFacts = (bundle: PrintedBundle): string | undefined =>
  bundle.presentation.surface === null && bundle.context.observed === null ? withheldReason(bundle) : undefined;

function checksPart(checks: PrintedBundle["policy"]["checks"], policyHash: string): Markup {
  if (checks.length === 0) return nothing;
  return markup`<h3>What was required, and what was found</h3>
${list([["Rule", 50], "Required", "Found", ["Known from", 24], ["Met", 10]], checks, (check) => [
  check.flag,
  anyValue(check.required),
  anyValue(check.observed),
  knownFrom(check.source),
  yesNo(check.ok),
])}<p class="small">Hash of the rules: ${exact(policyHash)}</p>`;
}

export function consentSection({ consents, receipts }: PrintedBundle): Markup {
  if (consents.length > 0) {
    return section(
      "Consent",
      list(["Purpose", "Decision", ["When", 44], "Legal basis", "Way", "Until"], consents, (one) => [
        one.purpose,
        words(one.status),
        time(one.at),
        [one.legalBasis, one.jurisdiction].filter((part) => part !== null).join(", "),
        one.method === null ? null : words(one.method),
        time(one.expiresAt) ?? "withdrawn",
      ]),
    );
  }
  const purposes = receipts.at(-1)?.purposes ?? [];
  return purposes.length === 0
    ? nothing
    : section(
        "Consent",
        list(["Purpose", "Consent was given"], purposes, (one) => [one.purpose, yesNo(one.granted)]),
      );
}

export function sinceSection({ after, delivery }: PrintedBundle): Markup {
  const { withdrawals, laterAcceptances, currentRevision } = after;
  return section(
    "What has happened since",
    facts([
      ["Revision that is published now", currentRevision === null ? "none" : String(currentRevision)],
      ["Withdrawals", withdrawals.length === 0 ? "none" : undefined],
      ["Later decisions of the same person", laterAcceptances.length === 0 ? "none are told of" : undefined],
      ...delivery.map((one): Fact => ["Copy by mail", copyState(one)]),
    ]),
    withdrawals.length === 0
      ? nothing
      : list(["Purpose", "What", ["When", 44], "By", "Reason"], withdrawals, (one) => [
          one.purpose,
          words(one.type),
          time(one.at),
          words(one.actor),
          one.reason,
        ]),
    laterAcceptances.length === 0
      ? nothing
      : list(["Later decision", "Version", ["When", 44], ["Receipt", 62]], laterAcceptances, (one) => [
          words(one.decision),
          `${one.versionLabel} (revision ${one.revision})`,
          time(one.acceptedAt),
          exact(one.receiptId),
        ]),
  );
}

function copyState({ status, to, at }: PrintedBundle["delivery"][number]): string {
  const whom = to === null ? "" : ` to ${to}`;
  return at === null ? `${words(status)}${whom}` : `${words(status)}${whom}, ${time(at)}`;
}
