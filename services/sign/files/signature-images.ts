import { randomUUID } from "node:crypto";
import { sha256Of } from "#platform/blobs/blob-store.ts";
import type { AdoptedSignature, Agreement, Recipient, StoredFile } from "../agreement/agreement.ts";

/** The stored image of a signature that was drawn. */
export const imageOf = (adopted: AdoptedSignature | null): readonly StoredFile[] =>
  adopted?.drawn === undefined ? [] : [{ id: adopted.drawn.id, sha256: Buffer.from(adopted.drawn.sha256, "hex") }];

/**
 * Drawn signatures are stored like all files: takes them out of the recipients, of whom nothing else changes. Also those
 * that older releases have kept in the recipients.
 */
export function withImagesApart(agreement: Agreement): {
  readonly agreement: Agreement;
  readonly images: ReadonlyMap<string, Uint8Array>;
} {
  const images = new Map<string, Uint8Array>();
  const apart = (adopted: AdoptedSignature | null): AdoptedSignature | null => {
    if (adopted === null || adopted.drawnPng === "") return adopted;
    const id = randomUUID();
    const png = Buffer.from(adopted.drawnPng, "base64");
    images.set(id, png);
    return { ...adopted, drawnPng: "", drawn: { id, sha256: sha256Of(png).toString("hex") } };
  };
  const recipients = agreement.recipients.map((one) => withAdopted(one, apart(one.signature), apart(one.initials)));
  return { agreement: images.size === 0 ? agreement : { ...agreement, recipients }, images };
}

/** Puts the images back, to be drawn. */
export async function withImages(
  agreement: Agreement,
  read: (file: StoredFile) => Promise<Buffer>,
): Promise<Agreement> {
  const back = async (adopted: AdoptedSignature | null): Promise<AdoptedSignature | null> => {
    const [image] = imageOf(adopted);
    if (adopted === null || image === undefined) return adopted;
    return { ...adopted, drawnPng: (await read(image)).toString("base64") };
  };
  const recipients: Recipient[] = [];
  for (const one of agreement.recipients) {
    recipients.push(withAdopted(one, await back(one.signature), await back(one.initials)));
  }
  return { ...agreement, recipients };
}

/** The same object when nothing has changed, which then needs no write. */
const withAdopted = (
  recipient: Recipient,
  signature: AdoptedSignature | null,
  initials: AdoptedSignature | null,
): Recipient =>
  signature === recipient.signature && initials === recipient.initials
    ? recipient
    : { ...recipient, signature, initials };
