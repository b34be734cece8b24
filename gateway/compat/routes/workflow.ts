import type { JsonSchema } from "#api/kinds.ts";
import type { Agreement } from "#gen/assent/sign/v1/agreement_pb.ts";
import { workflowView } from "../../../views/compat/workflow.ts";
import { jsonReply } from "../../http/reply.ts";
import { jsonBody, onBehalfOf, type Route } from "../../routes/route.ts";
import { listOf, required } from "../../routes/schema-parts.ts";
import { readWith } from "../read/reader.ts";
import { readWorkflow } from "../read/workflow.ts";
import { defineCompatRoute } from "../route.ts";
import { looseBody, sampleTime, textsAnswer } from "../schema-parts.ts";
import { envelopeTarget } from "../target.ts";

const texts = (names: Readonly<Record<string, string>>): JsonSchema => textsAnswer(names, {}, []);
const rules = { rules: listOf(texts({ resumeDate: sampleTime, delay: "0.12:00:00" })) };
const timed = textsAnswer({ status: "pending", resumeDate: sampleTime }, rules, ["status", "rules"]);

/** `Workflow`, in answers. */
export const workflowSchema: JsonSchema = textsAnswer(
  { workflowStatus: "paused", resumeDate: sampleTime, currentWorkflowStepId: "2" },
  {
    scheduledSending: timed,
    workflowSteps: listOf(
      textsAnswer(
        {
          ...{ workflowStepId: "2", action: "pause_before", triggerOnItem: "routing_order", itemId: "2" },
          ...{ status: "in_progress", triggeredDate: sampleTime, completedDate: sampleTime },
        },
        { delayedRouting: timed },
        ["workflowStepId", "action", "triggerOnItem", "itemId", "status"],
      ),
    ),
  },
  ["workflowSteps"],
);

export const sampleWorkflow = {
  scheduledSending: { rules: [{ delay: "0.12:00:00" }] },
  workflowSteps: [{ action: "pause_before", triggerOnItem: "routing_order", itemId: "2" }],
};

const workflowBody = looseBody({
  workflowStatus: "in_progress resumes an envelope that is paused or scheduled.",
  scheduledSending: "rules with one resumeDate or delay.",
  workflowSteps: "Each with action, triggerOnItem, itemId and delayedRouting.",
});

const shared = { tag: "Compatible envelopes", path: "/envelopes/{envelopeId}/workflow" } as const;
const success = { status: 200, description: "The workflow.", schema: workflowSchema } as const;

/** When an envelope is sent, and where it pauses. */
export const compatWorkflowRoutes: readonly Route[] = [
  defineCompatRoute({
    ...shared,
    scopes: ["sign:read"],
    operationId: "compatGetWorkflow",
    method: "GET",
    summary: "Read the workflow of an envelope",
    description: "The schedule and the pauses, and what the envelope waits for.",
    success,
    errors: [],
    call: (request, { sign }) =>
      sign.getAgreement({ target: envelopeTarget(request.params.envelopeId) }, onBehalfOf(request)),
    respond: ({ agreement }) => jsonReply(200, workflowView(required(agreement))),
  }),
  defineCompatRoute({
    ...shared,
    scopes: ["sign:write"],
    operationId: "compatUpdateWorkflow",
    method: "PUT",
    summary: "Change or resume the workflow of an envelope",
    description:
      "Drafts only: steps that you send replace all existing ones. With the workflowStatus in_progress alone, a paused or scheduled envelope goes on.",
    body: jsonBody<object>({ schema: workflowBody, example: sampleWorkflow }),
    success,
    errors: ["ENVELOPE_CANNOT_BE_MODIFIED", "INVALID_ENVELOPE_STATUS"],
    call: async (request, { sign }): Promise<{ readonly agreement?: Agreement | undefined }> => {
      const { body, observed, params } = request;
      const { resumes, ...changes } = readWith(body, (reader) => {
        const workflow = readWorkflow(reader);
        const isAlone = workflow.schedule === undefined && workflow.routing === undefined;
        return {
          ...workflow,
          resumes: isAlone && reader.text("workflowStatus")?.trim().toLowerCase() === "in_progress",
        };
      });
      const options = onBehalfOf(request);
      return resumes
        ? sign.resumeAgreement({ agreementId: params.envelopeId, observed }, options)
        : sign.updateAgreement({ target: envelopeTarget(params.envelopeId), changes, observed }, options);
    },
    respond: ({ agreement }) => jsonReply(200, workflowView(required(agreement))),
  }),
  defineCompatRoute({
    ...shared,
    scopes: ["sign:write"],
    operationId: "compatDeleteWorkflow",
    method: "DELETE",
    summary: "Remove the workflow of an envelope",
    description: "Drafts only: the envelope is sent at once and never pauses.",
    success: { ...success, description: "The workflow, without steps." },
    errors: ["ENVELOPE_CANNOT_BE_MODIFIED"],
    call: (request, { sign }) => {
      const target = envelopeTarget(request.params.envelopeId);
      const changes = { schedule: {}, routing: {} };
      return sign.updateAgreement({ target, changes, observed: request.observed }, onBehalfOf(request));
    },
    respond: ({ agreement }) => jsonReply(200, workflowView(required(agreement))),
  }),
];
