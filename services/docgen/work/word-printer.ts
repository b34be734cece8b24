import { createHash } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { type Client, Code, ConnectError } from "@connectrpc/connect";
import type { ConverterService } from "#gen/assent/convert/v1/convert_pb.ts";
import { fromConnectError } from "#platform/errors.ts";
import { createKnownFormats } from "#platform/known-formats.ts";
import { RenderError } from "../renderer/render-job.ts";

/** Makes PDFs of Word files, by the convert service. */
export interface WordPrinter {
  /** Whether the convert service prints Word files. Rejects while it is away. */
  isThere(): Promise<boolean>;
  /**
   * The same file and time give the same bytes, with the same LibreOffice. Waits for a service that is away or busy until
   * the signal is aborted. Rejects with a RenderError for a file that cannot be printed.
   */
  print(orgId: string, file: Uint8Array, createdAt: Date, signal: AbortSignal): Promise<PrintedWord>;
}

export interface PrintedWord {
  readonly pdf: Uint8Array;
  readonly pages: number;
}

const maxPages = 200;
const printTimeoutMs = 50_000;
const [firstPauseMs, longestPauseMs] = [250, 5_000];

export function createWordPrinter(client: Client<typeof ConverterService>, now: () => number): WordPrinter {
  const formats = createKnownFormats(client, now);
  return {
    isThere: async () => (await formats()).has("docx"),
    print: async (orgId, content, createdAt, signal) => {
      const headers = { "x-org-id": orgId, "x-client-id": "docgen" };
      const request = { format: "docx", content };
      for (let pause = firstPauseMs; ; pause = Math.min(pause * 2, longestPauseMs)) {
        try {
          const { pdf } = await client.convertFile(request, { headers, timeoutMs: printTimeoutMs, signal });
          return settled(pdf, createdAt);
        } catch (error) {
          signal.throwIfAborted();
          const code = fromConnectError(error)?.code;
          if (code === "CORRUPTED_DOCUMENT") throw failed("unreadable", forTemplates(fromConnectError(error)?.message));
          if (code === "INVALID_DOCUMENT_FORMAT")
            throw failed("no_converter", "Word files are not converted any more.");
          if (error instanceof RenderError) throw error;
          // Not an outage: somebody else may try, and only so often. The time of a call passes while others are printed,
          // and the service itself ends what takes too long, so a call without an answer says nothing about the file.
          if (!waits.has(ConnectError.from(error).code)) throw error;
          await delay(pause, undefined, { signal });
        }
      }
    },
  };
}

const waits: ReadonlySet<Code> = new Set([Code.Unavailable, Code.DeadlineExceeded]);

/** The service speaks to whoever could have sent a PDF. */
const forTemplates = (message = ""): string => message.replace(/(, or send| Send) a PDF instead\.$/, end);
const end = (_whole: string, before: string): string => (before === " Send" ? "" : ".");

const failed = (reason: string, message: string): RenderError =>
  new RenderError("GEN_RENDER_FAILED", message, { reason });

/** LibreOffice writes when it printed, and what it makes of the time. Each takes as many bytes as what replaces it. */
function settled(printed: Uint8Array, createdAt: Date): PrintedWord {
  const pdf = Buffer.from(printed.buffer, printed.byteOffset, printed.byteLength);
  const text = pdf.toString("latin1");
  const pages = Math.max(
    0,
    ...Array.from(text.matchAll(/\/Type\s?\/Pages\b[^>]*?\/Count (\d{1,6})/g), ([, n]) => Number(n)),
  );
  if (pages === 0) throw failed("unreadable", "The Word file could not be printed.");
  if (pages > maxPages) throw failed("too_many_pages", `The document has more than ${maxPages} pages.`);
  const time = createdAt.toISOString().replaceAll(/\D/g, "").slice(0, 14);
  const at = text.lastIndexOf("/CreationDate(D:");
  if (at !== -1) pdf.write(time, at + "/CreationDate(D:".length, "latin1");
  const trailer = text.lastIndexOf("trailer");
  const hashes = Array.from(text.slice(trailer).matchAll(/(?<=[</])[0-9A-F]{32}\b/g), ({ index }) => trailer + index);
  for (const place of hashes) pdf.write("0".repeat(32), place, "latin1");
  const id = createHash("sha256").update(pdf).digest("hex").slice(0, 32).toUpperCase();
  for (const place of hashes) pdf.write(id, place, "latin1");
  return { pdf, pages };
}
