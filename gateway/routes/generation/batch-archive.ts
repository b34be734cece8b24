import { batchItem } from "#api/generation-documents.ts";
import { type BatchItem, DocumentStatus } from "#gen/assent/docgen/v1/docgen_pb.ts";
import { type Caller, callerHeaders } from "#platform/caller.ts";
import { fromConnectError } from "#platform/errors.ts";
import { archiveOverhead, maxArchiveBytes, type StreamedFile, zipStream } from "../../http/zip-stream.ts";
import type { Services } from "../services.ts";
import { contentTimeoutMs } from "./file-answer.ts";

type Docgen = Pick<Services["docgen"], "listBatchItems" | "getDocumentContent">;

/** The archive of a batch: what is done, one document after the other, and at the end what became of every item. */
export const archiveOf = (
  { docgen, clock }: { readonly docgen: Docgen } & Pick<Services, "clock">,
  caller: Caller,
  batchId: string,
): AsyncGenerator<Uint8Array> => {
  const options = { headers: callerHeaders(caller), timeoutMs: contentTimeoutMs };
  return zipStream(filesOf(docgen, options, batchId), clock.now());
};

interface Options {
  readonly headers: Record<string, string>;
  readonly timeoutMs: number;
}

const manifestName = "manifest.json";
/** Room for the manifest of 500 items with their errors and warnings. */
const manifestBytes = 16_000_000;

async function* filesOf(docgen: Docgen, options: Options, batchId: string): AsyncGenerator<StreamedFile> {
  const items = await allItems(docgen, options, batchId);
  const archived = new Map<number, string>();
  let room = maxArchiveBytes - manifestBytes;
  for (const item of items) {
    if (item.document?.status !== DocumentStatus.COMPLETED) continue;
    const name = fileNameOf(item);
    room -= Number(item.document.bytes) + archiveOverhead({ name });
    if (room < 0) break;
    const bytes = await contentOf(docgen, options, item.document.id);
    if (bytes === undefined) continue;
    archived.set(item.index, name);
    yield { name, bytes };
  }
  yield { name: manifestName, bytes: manifest(batchId, items, archived) };
}

const pageSize = 200;

async function allItems(docgen: Docgen, options: Options, batchId: string): Promise<BatchItem[]> {
  const items: BatchItem[] = [];
  for (let hasMore = true; hasMore; ) {
    const fromIndex = (items.at(-1)?.index ?? -1) + 1;
    const page = await docgen.listBatchItems({ batchId, fromIndex, pageSize }, options);
    items.push(...page.items);
    hasMore = page.hasMore && page.items.length > 0;
  }
  return items;
}

/** Undefined for a document that was deleted or has expired meanwhile. */
async function contentOf(docgen: Docgen, options: Options, documentId: string): Promise<Uint8Array | undefined> {
  try {
    return (await docgen.getDocumentContent({ documentId }, options)).content;
  } catch (error) {
    const code = fromConnectError(error)?.code;
    if (code === "GEN_DOCUMENT_NOT_FOUND" || code === "GEN_DOCUMENT_NOT_READY") return undefined;
    throw error;
  }
}

/** Unique through its number, and safe to unpack anywhere: `0001-row-1.pdf`. */
function fileNameOf({ index, ref, document }: BatchItem): string {
  const wanted = ref === "" ? (document?.fileName ?? "").replace(/\.pdf$/i, "") : ref;
  const safe = wanted
    .normalize("NFC")
    .replaceAll(/[^\p{L}\p{M}\p{N}_-]+/gu, "_")
    .replaceAll(/^_+|_+$/g, "");
  const short = Array.from(safe).slice(0, 60).join("");
  return `${String(index + 1).padStart(4, "0")}-${short === "" ? "document" : short}.pdf`;
}

function manifest(batchId: string, items: readonly BatchItem[], archived: ReadonlyMap<number, string>): Uint8Array {
  const listed = items.map((item) => ({ ...batchItem.answer(item), file: archived.get(item.index) ?? null }));
  return Buffer.from(`${JSON.stringify({ batchId, items: listed }, null, 2)}\n`);
}
