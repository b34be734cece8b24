import { defaultPage } from "../../domain/page.ts";
import { RenderError, type RenderJob, type TemplateContent } from "../render-job.ts";

export const htmlJob = (html: string, changes: Partial<RenderJob> = {}): RenderJob => ({
  content: { kind: "html", html },
  title: "Test",
  page: defaultPage,
  locale: "en",
  profile: "pdf",
  createdAt: new Date("2026-01-02T03:04:05Z"),
  images: new Map(),
  attachments: [],
  ...changes,
});

export const templateJob = (
  content: string,
  data: TemplateContent["data"] = {},
  changes: Partial<RenderJob> = {},
): RenderJob => ({
  ...htmlJob(""),
  content: { kind: "template", template: { format: "html", content }, data, timeZone: "UTC" },
  ...changes,
});

/** What a rendering fails with. */
export async function refusalOf(rendering: Promise<unknown>): Promise<RenderError> {
  const error = await rendering.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!(error instanceof RenderError)) throw new Error("no RenderError", { cause: error });
  return error;
}

export const reasonOf = async (rendering: Promise<unknown>): Promise<string | undefined> =>
  (await refusalOf(rendering)).details.reason;
