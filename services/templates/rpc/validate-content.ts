import type { ServiceImpl } from "@connectrpc/connect";
import type { TemplatesService } from "#gen/assent/templates/v1/templates_pb.ts";
import { requireCaller } from "#platform/caller.ts";
import { DomainError } from "#platform/errors.ts";
import { invalid, problem } from "../domain/problems.ts";
import type { TemplatesDeps } from "./deps.ts";
import { reportMessage } from "./report-messages.ts";
import { parseFormat } from "./version-input.ts";
import { fromWire, wireType } from "./wire-enums.ts";

export const validateContent = (
  deps: Pick<TemplatesDeps, "checker">,
): Pick<ServiceImpl<typeof TemplatesService>, "validateContent"> => ({
  async validateContent(request, context) {
    requireCaller(context);
    const type = fromWire(wireType, request.type);
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
