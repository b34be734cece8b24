import type { AuditEvent } from "../domain/audit-chain.ts";
import type { CertificateTexts } from "./certificate-texts.ts";
import { fingerprint, type Markup, markup, nothing, type Piece, table } from "./markup.ts";

/** More are not for people to read. */
const maxPrinted = 200;

/** The files that recipients have attached, as the trail tells of them; nothing when there are none. */
export function attachmentTable(events: readonly AuditEvent[], texts: CertificateTexts): Markup {
  const attached = events.filter(({ action }) => action === "recipient.attached");
  if (attached.length === 0) return nothing;
  const { labels } = texts;
  const columns = [
    { title: labels.number, width: 12 },
    { title: labels.name },
    { title: labels.by, width: 38 },
    { title: labels.sha256, width: 76 },
  ];
  const left = attached.length - maxPrinted;
  return markup`<h2>${texts.attachments}</h2>
${table(
  columns,
  attached.slice(0, maxPrinted).map((event, index) => rowOf(event, index + 1, texts)),
)}
${left <= 0 ? nothing : markup`<p class="small">${texts.omittedAttachments(left)}</p>`}`;
}

function rowOf({ actor, details }: AuditEvent, number: number, texts: CertificateTexts): readonly Piece[] {
  const { fileName, contentType, bytes, sha256 } = details ?? {};
  const kind = texts.fileKind(String(contentType), Number(bytes));
  return [
    number,
    markup`${String(fileName)}<br><span class="small muted">${kind}</span>`,
    actor.name === "" ? actor.email : actor.name,
    fingerprint(String(sha256)),
  ];
}
