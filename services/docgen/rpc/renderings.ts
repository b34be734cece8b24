import { timestampDate } from "@bufbuild/protobuf/wkt";
import type { ServiceImpl } from "@connectrpc/connect";
import type { RendererService } from "#gen/assent/docgen/v1/docgen_pb.ts";
import { requireCaller } from "#platform/caller.ts";
import { DomainError } from "#platform/errors.ts";
import { defaultPage } from "../domain/page.ts";
import { defaultLocale, invalidData, parseJsonObject } from "../domain/problems.ts";
import { RenderError, type Rendered, type RenderJob } from "../renderer/render-job.ts";
import type { DocgenDeps } from "./deps.ts";
import { findingMessage } from "./documents.ts";

type Handlers = Pick<ServiceImpl<typeof RendererService>, "readWord" | "fillWord">;

/** Word files of other services: they keep the files, and print what is filled. */
export const wordFiles = (
  { checker, renderer }: Pick<DocgenDeps, "checker" | "renderer">,
  waiting: WaitingBytes,
): Handlers => ({
  async readWord({ content }, context) {
    const { findings, schema } = await checker.check(templateOf(content), requireCaller(context).orgId);
    return { schemaJson: schema === undefined ? "" : JSON.stringify(schema), findings: findings.map(findingMessage) };
  },

  async fillWord({ content: file, dataJson, createdAt }, context) {
    if (createdAt === undefined) throw new DomainError("GEN_INVALID_REQUEST");
    const data = parseJsonObject("data", dataJson);
    const { findings, schema } = await checker.checkWithData(templateOf(file), data, requireCaller(context).orgId);
    const [first] = findings;
    if (first !== undefined && schema !== undefined) throw invalidData(findings);
    if (first !== undefined) throw new DomainError("GEN_TEMPLATE_ERROR", { message: first.message.slice(0, 200) });
    const job: RenderJob = {
      content: { kind: "word", file, data, timeZone: "UTC" },
      title: "Word",
      page: defaultPage,
      locale: defaultLocale,
      profile: "pdf",
      createdAt: timestampDate(createdAt),
      images: new Map(),
      attachments: [],
    };
    const { pdf: content } = await waiting.during(file.length, () =>
      rendered(renderer.render(job, context.signal, "services")),
    );
    return { content };
  },
});

const templateOf = (file: Uint8Array) => ({ format: "docx", content: "", file }) as const;

/** Total bytes of requests that wait or are being rendered; each counts at least as much as a small one costs. */
const maxWaitingBytes = 64 * 1024 * 1024;
const leastBytes = 2 * 1024 * 1024;

interface WaitingBytes {
  /** Throws GEN_BUSY when too much waits already. */
  during<T>(bytes: number, work: () => Promise<T>): Promise<T>;
}

export function createWaitingBytes(): WaitingBytes {
  let waitingBytes = 0;
  return {
    during: async (size, work) => {
      const bytes = Math.max(leastBytes, size);
      if (waitingBytes > 0 && waitingBytes + bytes > maxWaitingBytes) throw new DomainError("GEN_BUSY");
      waitingBytes += bytes;
      try {
        return await work();
      } finally {
        waitingBytes -= bytes;
      }
    },
  };
}

/** Throws what is to be answered in place of a RenderError. */
export async function rendered(rendering: Promise<Rendered>): Promise<Rendered> {
  try {
    return await rendering;
  } catch (error) {
    if (!(error instanceof RenderError)) throw error;
    const { code, message, details } = error;
    throw new DomainError(code, { message, metadata: details, cause: error });
  }
}
