import { createHmac } from "node:crypto";
import type { Endpoint, History, PublishedEvent, SeenRequest } from "./history.ts";

const longestAgeMs = 10_000;

/** What each receiver saw: nothing that is not for it, and all of it signed. */
export function checkRequests({ endpoints, published, requests, strays }: History): string[] {
  const endpointOf = new Map(endpoints.map((one) => [one.id, one]));
  const eventOf = new Map(published.map((one) => [one.id, one]));
  return [
    ...strays.map((path) => `a redirect was followed to ${path}`),
    ...requests.flatMap((request) => {
      const endpoint = endpointOf.get(request.endpointId);
      if (endpoint === undefined) return [`a request came to ${request.endpointId}, which is no endpoint`];
      const problems = checkRequest(request, endpoint, eventOf.get(request.webhookId));
      return problems.map((problem) => `${endpoint.behaviour} ${endpoint.id}, event ${request.webhookId}: ${problem}`);
    }),
  ];
}

interface Body {
  readonly id: string;
  readonly type: string;
  readonly organizationId: string;
}

function checkRequest(request: SeenRequest, endpoint: Endpoint, event: PublishedEvent | undefined): string[] {
  const { id, type, organizationId } = JSON.parse(request.body) as Body;
  const isOfAnother = event !== undefined && event.orgId !== endpoint.orgId;
  const wrong: readonly (readonly [boolean, string])[] = [
    [id !== request.webhookId, `the body is of ${id}`],
    [organizationId !== endpoint.orgId || isOfAnother, "the event is of another organization"],
    [endpoint.eventTypes.length > 0 && !endpoint.eventTypes.includes(type), `${type} was not asked for`],
    // What the service tells of by itself is not published by anybody else.
    [event === undefined ? type !== "endpoint.disabled" : event.type !== type, `the type is ${type}`],
    [!isSigned(request, endpoint), "the signature is wrong"],
    [isOld(request), `the time of the attempt is ${request.timestamp}`],
  ];
  return wrong.filter(([isWrong]) => isWrong).map(([, text]) => text);
}

/** By the words of the standard, without the product's own code. */
function isSigned({ webhookId, timestamp, signature, body }: SeenRequest, { secret }: Endpoint): boolean {
  const key = Buffer.from(secret.replace("whsec_", ""), "base64");
  return signature === `v1,${createHmac("sha256", key).update(`${webhookId}.${timestamp}.${body}`).digest("base64")}`;
}

const isOld = ({ timestamp, startedAt }: SeenRequest): boolean =>
  !(Math.abs(startedAt - Number(timestamp) * 1_000) <= longestAgeMs);
