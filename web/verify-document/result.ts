import { element } from "../verify/page/element.ts";
import type { Found, FoundSeal, Sealed, Signer } from "./check-file.ts";
import type { Texts, VerdictKind } from "./texts.ts";

const looks: Readonly<Record<VerdictKind, "good" | "unsure" | "bad">> = {
  sealed: "good",
  deleted: "good",
  unknown: "unsure",
  added: "bad",
  changed: "bad",
  foreign: "unsure",
  none: "unsure",
};

/** Everything that is said of a file; what comes from it or from others comes in as texts only. */
export function showResult(place: HTMLElement, found: Found, texts: Texts, language: string): void {
  const [title, meaning] = texts.verdicts[found.verdict];
  const isBroken = found.sealed?.auditTrailIntact === false;
  const heading = element("h2", { id: "verdict", tabindex: "-1" }, title);
  const time = (iso: string | null): string =>
    iso === null ? "" : new Date(iso).toLocaleString(language, { dateStyle: "long", timeStyle: "long" });
  place.replaceChildren(
    element(
      "div",
      { class: `verdict ${isBroken ? "bad" : looks[found.verdict]}` },
      heading,
      element("p", {}, meaning),
      found.addedBytes === 0 ? undefined : element("p", {}, additionOf(found, texts, language)),
      isBroken ? element("p", {}, texts.auditBroken) : undefined,
    ),
    factList(found, texts, time),
    ...(found.sealed === null ? [] : [signerTable(found.sealed, texts, time)]),
    ...(found.seals.length === 0 ? [] : [sealTable(found.seals, texts)]),
  );
  place.hidden = false;
  heading.focus();
}

const additionOf = ({ sealed, addedBytes }: Found, texts: Texts, language: string): string =>
  texts.addedBytes[sealed === null ? "unknown" : "known"].replace("{count}", addedBytes.toLocaleString(language));

type TimeText = (iso: string | null) => string;

function factList({ sealed, deleted, sha256 }: Found, { facts, certificateOf }: Texts, time: TimeText): HTMLElement {
  const rows: readonly (readonly [string, string | null])[] = [
    ...(sealed === null
      ? []
      : ([
          [facts.document, sealed.kind === "certificate" ? certificateOf : sealed.documentName],
          [facts.subject, sealed.emailSubject],
          [facts.sender, sealed.organizationName],
          [facts.completed, time(sealed.completedAt)],
          [facts.agreement, sealed.agreementId],
          [facts.evidence, sealed.evidenceLeafHash],
        ] as const)),
    ...(deleted === null
      ? []
      : ([
          [facts.completed, time(deleted.endedAt)],
          [facts.deleted, time(deleted.deletedAt)],
          [facts.agreement, deleted.agreementId],
          [facts.evidence, deleted.deletionLeafHash],
        ] as const)),
    [facts.sha256, sha256],
  ];
  return element(
    "dl",
    {},
    ...rows.flatMap(([term, value]) =>
      value ? [element("dt", {}, term), element("dd", {}, element("bdi", {}, value))] : [],
    ),
  );
}

function signerTable({ signers }: Sealed, texts: Texts, time: TimeText): HTMLElement {
  const { columns, roles, statuses } = texts;
  const cell = (text: string) => element("td", {}, text);
  const row = ({ name, role, status, endedAt }: Signer) =>
    element(
      "tr",
      {},
      element("th", { scope: "row" }, element("bdi", {}, name)),
      cell(roles[role ?? ""] ?? role ?? ""),
      cell([statuses[status ?? ""] ?? status ?? "", time(endedAt)].filter((text) => text !== "").join(", ")),
    );
  const head = element("tr", {}, ...columns.map((column) => element("th", { scope: "col" }, column)));
  return table(texts.signers, head, signers.map(row));
}

function sealTable(seals: readonly FoundSeal[], texts: Texts): HTMLElement {
  const row = ({ certificate, isOurs }: FoundSeal) =>
    element(
      "tr",
      {},
      element("th", { scope: "row" }, certificate?.name ?? "?"),
      element("td", {}, isOurs ? texts.ours : texts.others),
    );
  return table(texts.signatures, undefined, seals.map(row));
}

const table = (caption: string, head: HTMLElement | undefined, rows: readonly HTMLElement[]): HTMLElement =>
  element(
    "table",
    {},
    element("caption", {}, caption),
    head === undefined ? undefined : element("thead", {}, head),
    element("tbody", {}, ...rows),
  );
