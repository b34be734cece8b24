import type { Agreement } from "../agreement/agreement.ts";

/** What a file is to an agreement. */
export interface KnownFile {
  readonly kind: "original" | "sealed" | "certificate";
  readonly agreement: Agreement;
  /** Empty for certificates. */
  readonly documentId: string;
  readonly documentName: string;
}

/** Everything in an agreement that has this hash. */
export function knownFiles(agreement: Agreement, sha256: Buffer): KnownFile[] {
  const { certificate, documents } = agreement;
  const found: KnownFile[] = documents.flatMap((document): KnownFile[] => {
    const { documentId, name: documentName } = document;
    const file = { agreement, documentId, documentName };
    if (document.sealedSha256?.equals(sha256) === true) return [{ ...file, kind: "sealed" }];
    const isOriginal = document.sha256.equals(sha256) || document.sentSha256?.equals(sha256) === true;
    return isOriginal ? [{ ...file, kind: "original" }] : [];
  });
  if (certificate?.sha256.equals(sha256) === true) {
    found.push({ kind: "certificate", agreement, documentId: "", documentName: "" });
  }
  return found;
}

/** Those that had to act; who gets a copy only is nobody's business here. */
export const partiesOf = ({ recipients }: Agreement) => recipients.filter(({ role }) => role !== "carbon-copy");
