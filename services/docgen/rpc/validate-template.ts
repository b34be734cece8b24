import type { ServiceImpl } from "@connectrpc/connect";
import type { DocgenService } from "#gen/assent/docgen/v1/docgen_pb.ts";
import { requireCaller } from "#platform/caller.ts";
import { parseJsonObject } from "../domain/json-object.ts";
import { refuse } from "../domain/problems.ts";
import { textProblems } from "../domain/text.ts";
import type { DocgenDeps } from "./deps.ts";
import { findingMessage, formatFromWire } from "./messages.ts";

export const validateTemplate = (
  deps: Pick<DocgenDeps, "checker">,
): Pick<ServiceImpl<typeof DocgenService>, "validateTemplate"> => ({
  async validateTemplate(request, context) {
    requireCaller(context);
    const { content, dataJson } = request;
    refuse(textProblems("content", content));
    const source = { format: formatFromWire(request.format), content };
    const data = dataJson === "" ? undefined : parseJsonObject("data", dataJson);
    const { findings } =
      data === undefined ? await deps.checker.check(source) : await deps.checker.checkWithData(source, data);
    return { findings: findings.map(findingMessage) };
  },
});
