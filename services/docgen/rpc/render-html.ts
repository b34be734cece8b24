import { timestampDate } from "@bufbuild/protobuf/wkt";
import type { ServiceImpl } from "@connectrpc/connect";
import {
  type Attachment,
  Profile,
  type RendererService,
  type RenderHtmlRequest,
} from "#gen/assent/docgen/v1/docgen_pb.ts";
import type { FieldProblem } from "#platform/errors.ts";
import { defaultPage, type RenderProfile } from "../domain/page.ts";
import {
  defaultLocale,
  lineProblems,
  nameProblems,
  parseLocale,
  problem,
  refuse,
  textProblems,
} from "../domain/problems.ts";
import type { RenderJob } from "../renderer/render-job.ts";
import type { DocgenDeps } from "./deps.ts";
import { createWaitingBytes, rendered } from "./renderings.ts";
import { parsePage } from "./template-versions.ts";

export const renderHtml = (
  { renderer }: Pick<DocgenDeps, "renderer">,
  waiting = createWaitingBytes(),
): Pick<ServiceImpl<typeof RendererService>, "renderHtml"> => ({
  async renderHtml(request, context) {
    const job = parseJob(request);
    const { pdf, pages, warnings } = await waiting.during(bytesOf(request), () =>
      rendered(renderer.render(job, context.signal, "services")),
    );
    return { pdf, pages, warnings: warnings.map(({ path = "", char = "", ...rest }) => ({ ...rest, path, char })) };
  },
});

const bytesOf = ({ html, attachments }: RenderHtmlRequest): number =>
  attachments.reduce((sum, { content }) => sum + content.length, html.length);

/** Throws GEN_INVALID_REQUEST. */
function parseJob(request: RenderHtmlRequest): RenderJob {
  const { title, html, page, locale, createdAt, attachments } = request;
  const profile = profiles[request.profile];
  const at = createdAt === undefined ? new Date(Number.NaN) : timestampDate(createdAt);
  refuse([
    ...nameProblems("title", title),
    ...textProblems("html", html),
    ...(profile === undefined ? [problem("profile", "REQUIRED", "must be a profile")] : []),
    ...timeProblems(at),
    ...attachmentProblems(attachments, profile),
  ]);
  return {
    content: { kind: "html", html },
    title,
    page: parsePage(page, defaultPage),
    locale: locale === "" ? defaultLocale : parseLocale("locale", locale),
    profile: profile ?? "pdf",
    createdAt: at,
    images: new Map(),
    attachments: attachments.map(({ fileName, mediaType, description, content }) => {
      return { fileName, mediaType, description, bytes: content };
    }),
  };
}

const profiles: Readonly<Record<Profile, RenderProfile | undefined>> = {
  [Profile.UNSPECIFIED]: undefined,
  [Profile.PDF]: "pdf",
  [Profile.PDF_A_2A]: "pdf/a-2a",
  [Profile.PDF_A_3A]: "pdf/a-3a",
  [Profile.PDF_UA_1]: "pdf/ua-1",
};

/** Problems of a PDF's creation time, whose year must have four digits. */
const timeProblems = (at: Date): FieldProblem[] =>
  at.getTime() >= 0 && at.getUTCFullYear() <= 9999
    ? []
    : [problem("createdAt", "OUT_OF_RANGE", "must be a time from 1970 to 9999")];

function attachmentProblems(attachments: readonly Attachment[], profile: RenderProfile | undefined): FieldProblem[] {
  if (attachments.length === 0) return [];
  const names = attachments.map(({ fileName }) => fileName);
  return [
    ...(profile === "pdf/a-3a" ? [] : [problem("attachments", "NOT_ALLOWED", "are for the profile pdf/a-3a only")]),
    ...(new Set(names).size === names.length ? [] : [problem("attachments", "NOT_UNIQUE", "must differ in fileName")]),
    ...attachments.flatMap(({ fileName, mediaType, description }, index) => [
      ...nameProblems(`attachments[${index}].fileName`, fileName),
      ...mediaTypeProblems(`attachments[${index}].mediaType`, mediaType),
      ...lineProblems(`attachments[${index}].description`, description),
    ]),
  ];
}

const mediaTypeProblems = (field: string, mediaType: string): FieldProblem[] =>
  /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+$/.test(mediaType)
    ? []
    : [problem(field, "INVALID_MEDIA_TYPE", "must be a media type such as application/json")];
