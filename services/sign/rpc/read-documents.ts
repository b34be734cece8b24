import type pg from "pg";
import type { OrgId } from "#platform/ids.ts";
import type { AgreementDocument } from "../domain/agreement.ts";
import type { SignDeps } from "./deps.ts";

/** The PDF of a document and its hash: sealed once it is, else as it was given. */
export async function readDocument(
  { blobs }: Pick<SignDeps, "blobs">,
  orgId: OrgId,
  client: pg.PoolClient,
  document: AgreementDocument,
): Promise<{ readonly content: Uint8Array; readonly sha256: Buffer }> {
  const sha256 = document.sealedSha256 ?? document.sha256;
  const content = await blobs.read(orgId, sha256, client);
  if (content === undefined) throw new Error(`the bytes of document ${document.id} are missing`);
  return { content, sha256 };
}

/** The name under which the PDF of a document is kept: that of the document, ending in .pdf. */
export function pdfFileName(name: string): string {
  const dot = name.lastIndexOf(".");
  const ending = dot < 0 ? "" : name.slice(dot + 1).toLowerCase();
  if (ending === "pdf") return name;
  const base = converted.has(ending) ? name.slice(0, dot) : name;
  return `${base === "" ? "document" : base}.pdf`;
}

/** Of files that became PDFs when they arrived. */
const converted: ReadonlySet<string> = new Set(["html", "htm", "txt"]);
