import type { MessageInitShape } from "@bufbuild/protobuf";
import type { HandlerContext, ServiceImpl } from "@connectrpc/connect";
import type {
  ContentFindingSchema,
  ContentReportSchema,
  TemplatesService,
} from "#gen/assent/templates/v1/templates_pb.ts";
import { requireCaller } from "#platform/caller.ts";
import { DomainError } from "#platform/errors.ts";
import type { OrgId } from "#platform/ids.ts";
import { type ContentFinding, type ContentReport, limitFindings, maxFindings } from "../domain/content-rules/report.ts";
import { invalid, problem } from "../domain/problems.ts";
import type { Template } from "../domain/template.ts";
import { inOrganization } from "../store/orm.ts";
import { findTemplates } from "../store/template-store.ts";
import type { TemplatesDeps, TemplatesRpcs } from "./deps.ts";
import { contentFormatOf, type DraftInit, type TemplateInit, templateTypeOf, type VersionInit } from "./messages.ts";
import { publicationSubject } from "./publish-version.ts";
import { parseFormat } from "./update-version.ts";

type Handlers = Partial<ServiceImpl<typeof TemplatesService>>;
type Deps = Pick<TemplatesDeps, "orm" | "checker" | "checkLimits" | "logger">;

/** Where answers have versions. */
interface Answer {
  readonly version?: VersionInit;
  readonly versions?: VersionInit[];
  readonly template?: TemplateInit;
  readonly templates?: TemplateInit[];
  readonly draft?: DraftInit;
}

/** A version or its draft. */
type Written = Pick<VersionInit, "templateId" | "locale" | "content" | "format" | "texts" | "validation">;

/** A version in a long list comes with fewer findings, so that the list fits into one message. */
const maxFindingsOfAnswer = 1000;

/**
 * Adds to every version and draft in a response whether it could be published now, and if not, why. Done here for all
 * handlers, because a check may take time and must not run inside a transaction.
 */
export function withValidation(deps: Deps, handlers: Handlers): Handlers {
  const wrapped = Object.entries(handlers).map(([name, handler]) => {
    const handle = handler as (request: unknown, context: HandlerContext) => Promise<Answer>;
    const validate = async (request: unknown, context: HandlerContext): Promise<Answer> => {
      const answer = await handle(request, context);
      const versions = versionsIn(answer);
      if (versions.length === 0) return answer;
      // What the handler did is done, so nothing here may fail the call.
      await addReports(deps, requireCaller(context).orgId, versions).catch((error: unknown) => {
        deps.logger.error({ err: error }, "versions answered without validation");
      });
      return answer;
    };
    return [name, validate];
  });
  return Object.fromEntries(wrapped) as Handlers;
}

const versionsIn = ({ version, draft, versions = [], template, templates = [] }: Answer): Written[] => [
  ...[version, draft].filter((one) => one !== undefined),
  ...versions,
  ...[...(template === undefined ? [] : [template]), ...templates].flatMap((one) => one.versions ?? []),
];

async function addReports(deps: Deps, orgId: OrgId, versions: readonly Written[]): Promise<void> {
  const ids = [...new Set(versions.map((version) => version.templateId ?? ""))];
  const found = await inOrganization(orgId, deps.orm, (tenant) => findTemplates(tenant, ids));
  const templates = new Map(found.map((template) => [template.id, template]));
  const limit = Math.max(1, Math.min(maxFindings, Math.floor(maxFindingsOfAnswer / versions.length)));
  const rest = versions.values();
  let isLate = false;
  const checkInTurn = async (): Promise<void> => {
    for (const version of rest) {
      if (isLate) return;
      const template = templates.get(version.templateId ?? "");
      if (template !== undefined) await addReport(deps, template, version, limit);
    }
  };
  // Two at a time: short contents are checked on the event loop, and others want to have it in between.
  const done = Promise.all([checkInTurn(), checkInTurn()]);
  await withPatience(done, deps.checkLimits.patienceMs);
  isLate = true;
}

async function addReport(deps: Deps, template: Template, version: Written, limit: number): Promise<void> {
  const { content = "", locale = "", texts = {} } = version;
  const format = contentFormatOf(version.format) ?? "HTML";
  const subject = publicationSubject(template, { content, locale, format, texts });
  const outcome = await deps.checker.check(subject);
  if (outcome.kind === "report") version.validation = reportMessage(outcome.report, limit);
}

/** What is not known by then is left out; the next answer will have it. */
async function withPatience(work: Promise<unknown>, patienceMs: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const patience = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, patienceMs);
  });
  try {
    await Promise.race([work, patience]);
  } finally {
    clearTimeout(timer);
  }
}

export const validateContent = (deps: Pick<TemplatesDeps, "checker">): TemplatesRpcs<"validateContent"> => ({
  async validateContent(request, context) {
    requireCaller(context);
    const type = templateTypeOf(request.type);
    if (type === undefined) throw invalid(problem("type", "INVALID_TYPE", "must be STATIC, GENERATED or CONSENT"));
    const { content } = request;
    const outcome = await deps.checker.check({ type, format: parseFormat(request.format), content });
    switch (outcome.kind) {
      case "report":
        return { report: reportMessage(outcome.report) };
      case "tooComplex":
        throw invalid(problem("content", "TOO_COMPLEX", "takes too long to check: make it simpler or shorter"));
      case "busy":
        throw new DomainError("SERVICE_UNAVAILABLE");
    }
  },
});

type ReportInit = MessageInitShape<typeof ContentReportSchema>;

/** A report with at most so many findings of each severity, and one more that says so when there are others. */
const reportMessage = (report: ContentReport, limit = maxFindings): ReportInit => ({
  valid: report.valid,
  errors: limitFindings(report.errors, limit).map(findingMessage),
  warnings: limitFindings(report.warnings, limit).map(findingMessage),
});

const findingMessage = (finding: ContentFinding): MessageInitShape<typeof ContentFindingSchema> => ({
  code: finding.code,
  message: finding.message,
  path: finding.path,
  line: finding.line,
  column: finding.column,
  offset: finding.offset,
  length: finding.length,
  snippet: finding.snippet,
});
