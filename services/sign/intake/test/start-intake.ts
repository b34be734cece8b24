import { type Client, Code, ConnectError, createClient, createRouterTransport } from "@connectrpc/connect";
import { RendererService, type RenderHtmlRequest } from "#gen/assent/docgen/v1/docgen_pb.ts";
import { systemClock } from "#platform/clock.ts";
import { createLogger } from "#platform/logger.ts";
import { createIntake, type DocumentFile, type Intake, type IntakeOptions } from "../intake.ts";

export const startIntake = (options: Partial<IntakeOptions> = {}): Intake =>
  createIntake({ logger: createLogger("test", "silent"), renderer: rendererThat(), clock: systemClock, ...options });

/** A renderer that answers with this; without it, none is there. */
export function rendererThat(
  render?: (request: RenderHtmlRequest) => Promise<Uint8Array>,
): Client<typeof RendererService> {
  const transport = createRouterTransport(({ service }) => {
    service(RendererService, {
      renderHtml: async (request) => {
        if (render === undefined) throw new ConnectError("away", Code.Unavailable);
        return { pdf: await render(request), pages: 1 };
      },
    });
  });
  return createClient(RendererService, transport);
}

export const pdfFile = (content: DocumentFile["content"], changes: Partial<DocumentFile> = {}): DocumentFile => ({
  documentId: "1",
  name: "Agreement",
  fileExtension: "pdf",
  content,
  ...changes,
});
