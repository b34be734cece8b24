import type { FieldProblem } from "#platform/errors.ts";
import { resolvedUrlProblem } from "#platform/net/outbound-url.ts";
import { isEventType } from "../domain/event-types.ts";
import { problem, refuse, textProblems } from "../domain/problems.ts";
import type { WebhooksDeps } from "./deps.ts";

/** What a request says about an endpoint; what is undefined it does not name. */
export interface EndpointInput {
  readonly url: string | undefined;
  readonly description: string | undefined;
  readonly eventTypes: readonly string[] | undefined;
}

/** Throws VALIDATION_FAILED; may look up a name, so no transaction is to be open. Each type is there once after that. */
export async function checkEndpointInput<T extends EndpointInput>(
  { rules }: Pick<WebhooksDeps, "rules">,
  input: T,
): Promise<T> {
  const { url, description = "", eventTypes } = input;
  refuse([
    ...(url === undefined ? [] : await urlProblems({ rules }, "url", url)),
    ...textProblems("description", description),
    ...(eventTypes ?? []).flatMap(typeProblems),
  ]);
  return eventTypes === undefined ? input : { ...input, eventTypes: [...new Set(eventTypes)] };
}

/** Whether events may be sent there. Takes as long as it takes to look the name up. */
export async function urlProblems(
  { rules }: Pick<WebhooksDeps, "rules">,
  field: string,
  url: string,
): Promise<readonly FieldProblem[]> {
  const message = await resolvedUrlProblem(url, rules);
  return message === undefined ? [] : [problem(field, "FORMAT", message)];
}

const typeProblems = (type: string, index: number): readonly FieldProblem[] =>
  isEventType(type)
    ? []
    : [
        problem(
          `eventTypes[${index}]`,
          "UNKNOWN",
          "must be the type of an event; GET /v1/webhooks/event-types lists them",
        ),
      ];
