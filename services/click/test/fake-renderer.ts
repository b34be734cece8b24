import type { RenderHtmlRequest } from "#gen/assent/docgen/v1/docgen_pb.ts";
import { RendererService } from "#gen/assent/docgen/v1/docgen_pb.ts";
import { createMemoryTransport } from "#platform/rpc/memory.ts";

/** The renderer of documents as this service sees it: its PDFs are the HTML that it was given. */
export function createFakeRenderer() {
  const seen: RenderHtmlRequest[] = [];
  const before: { render: (request: RenderHtmlRequest) => void | Promise<void> } = { render: () => undefined };
  const transport = createMemoryTransport(
    (router) =>
      router.service(RendererService, {
        renderHtml: async (request) => {
          seen.push(request);
          await before.render(request);
          return { pdf: Buffer.from(`%PDF ${request.html}`), pages: 1 };
        },
      }),
    { interceptors: [], maxMessageBytes: 32 * 1024 * 1024 },
  );
  return { transport, seen, before };
}

export type FakeRenderer = ReturnType<typeof createFakeRenderer>;
