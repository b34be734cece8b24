import type { Tenant } from "#platform/db/pool.ts";
import { DomainError, type ErrorCode, type FieldProblem } from "#platform/errors.ts";
import { isUuid } from "#platform/ids.ts";
import { resolvedUrlProblem } from "#platform/net/outbound-url.ts";
import type { Endpoint } from "../domain/endpoint.ts";
import { isEventType } from "../domain/event-types.ts";
import { problem, refuse, textProblems } from "../domain/problems.ts";
import { findEndpoint } from "../store/endpoint-store.ts";
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

/** As the database writes it. Throws `otherwise` for what is no id: it names nothing. */
export function parseId(id: string, otherwise: ErrorCode): string {
  if (!isUuid(id)) throw new DomainError(otherwise);
  return id.toLowerCase();
}

/** An endpoint of our own format; `lock` as for findEndpoint. Throws WEBHOOK_ENDPOINT_NOT_FOUND. */
export async function requireEndpoint(
  tenant: Tenant,
  id: string,
  options: { readonly lock?: boolean } = {},
): Promise<Endpoint> {
  const endpoint = await findEndpoint(tenant, parseId(id, "WEBHOOK_ENDPOINT_NOT_FOUND"), options);
  if (endpoint?.kind !== "standard") throw new DomainError("WEBHOOK_ENDPOINT_NOT_FOUND");
  return endpoint;
}
