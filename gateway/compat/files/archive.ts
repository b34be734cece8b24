import type { CallOptions } from "@connectrpc/connect";
import type { Agreement } from "#gen/assent/sign/v1/agreement_pb.ts";
import { archiveOverhead, maxArchiveBytes, type StreamedFile, zipStream } from "../../http/zip-stream.ts";
import { required } from "../../routes/required.ts";
import type { Services } from "../../routes/services.ts";
import type { CompatTarget } from "../target.ts";
import { safeFileName } from "./document-reply.ts";

type Sign = Pick<Services["sign"], "getDocumentContent" | "getCertificate">;

/**
 * A ZIP of all documents, in order, and the agreement's certificate. The certificate is rendered before
 * anything is sent, so that a failure can still be reported.
 */
export async function archiveOf(
  { sign, clock }: { readonly sign: Sign } & Pick<Services, "clock">,
  agreement: Pick<Agreement, "documents">,
  target: CompatTarget,
  options: CallOptions,
): Promise<AsyncGenerator<Uint8Array>> {
  const certificate = await certificateOf(sign, target, options);
  return zipStream(filesOf(sign, agreement, { target, certificate }, options), clock.now());
}

async function certificateOf(
  sign: Sign,
  { id }: CompatTarget,
  options: CallOptions,
): Promise<StreamedFile | undefined> {
  if (id.case !== "agreementId") return undefined;
  const { file } = await sign.getCertificate({ agreementId: id.value }, options);
  return { name: certificateName, bytes: required(file).content };
}

const certificateName = "Summary.pdf";

async function* filesOf(
  sign: Sign,
  { documents }: Pick<Agreement, "documents">,
  { target, certificate }: { readonly target: CompatTarget; readonly certificate: StreamedFile | undefined },
  options: CallOptions,
): AsyncGenerator<StreamedFile> {
  const taken = new Set([certificateName.toLowerCase()]);
  let room = maxArchiveBytes;
  for (const { documentId, name } of documents) {
    const { file } = await sign.getDocumentContent({ target, documentId }, options);
    const { content } = required(file);
    const unique = uniqueName(pdfName(name), taken);
    room -= content.length + archiveOverhead({ name: unique });
    if (room < 0) throw new Error("the documents do not fit into one archive");
    yield { name: unique, bytes: content };
  }
  if (certificate !== undefined) yield certificate;
}

function pdfName(name: string): string {
  const safe = safeFileName(name);
  return safe.toLowerCase().endsWith(".pdf") ? safe : `${safe}.pdf`;
}

/** Some file systems are case-insensitive. */
function uniqueName(name: string, taken: Set<string>): string {
  let unique = name;
  for (let count = 2; taken.has(unique.toLowerCase()); count += 1) {
    unique = `${name.slice(0, -".pdf".length)} (${count}).pdf`;
  }
  taken.add(unique.toLowerCase());
  return unique;
}
