import type { JsonSchema } from "#api/kinds.ts";
import type { HeaderDescription, Route } from "../routes/route.ts";

type Json = Record<string, unknown>;

const header = (schema: JsonSchema, description: string, example: unknown, required: boolean): Json => ({
  description,
  required,
  schema,
  example,
});

const text: JsonSchema = { type: "string" };
const count: JsonSchema = { type: "integer", minimum: 0 };
const retryAfter = "Seconds until it makes sense to send a request that was refused again.";

/** What is counted, and in which window. */
interface Counted {
  readonly what: string;
  readonly window: string;
}

const ofClient: Counted = { what: "Requests", window: "the client's window" };
const ofPlan: Counted = { what: "Slots", window: "that of the plan's windows, hour and minute, with less left" };

const limits = ({ what, window }: Counted, suffix: string, required: boolean): Json => ({
  [`RateLimitLimit${suffix}`]: header(count, `${what} that are allowed in ${window}.`, 1_000, required),
  [`RateLimitRemaining${suffix}`]: header(count, `${what} that are left in ${window}.`, 987, required),
  [`RateLimitReset${suffix}`]: header(count, "When that window resets: Unix time in seconds.", 1_795_194_060, required),
  [`RetryAfter${suffix}`]: header(count, retryAfter, 37, required),
});

/** Headers of many answers, by the names under which the document holds them. */
export const componentHeaders: Json = {
  RequestId: header(
    text,
    "The id of this request, for support: yours, or else a new one.",
    "01961234-5678-7abc-8def-0123456789ab",
    true,
  ),
  Traceparent: header(
    text,
    "W3C Trace Context: the trace that you sent, or a new one.",
    "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
    true,
  ),
  ...limits(ofClient, "", true),
  ...limits(ofClient, "IfCounted", false),
  ...limits(ofPlan, "OfPlan", true),
  ...limits(ofPlan, "OfPlanIfCounted", false),
  Challenge: header(
    text,
    "What is missing, and how to send it (RFC 6750 §3, RFC 6749 §5.2).",
    'Bearer realm="assent", error="invalid_token"',
    true,
  ),
  AnyOrigin: header(text, "Pages of every origin may read the answer.", "*", true),
};

const reference = (name: string): Json => ({ $ref: `#/components/headers/${name}` });

const limitHeaders = (suffix: string): Json => ({
  "X-RateLimit-Limit": reference(`RateLimitLimit${suffix}`),
  "X-RateLimit-Remaining": reference(`RateLimitRemaining${suffix}`),
  "X-RateLimit-Reset": reference(`RateLimitReset${suffix}`),
  "Retry-After": reference(`RetryAfter${suffix}`),
});

/** The headers that an answer of this status has, whatever the operation does. */
export const headersOf = (route: Route, status: number): Json => ({
  "X-Request-Id": reference("RequestId"),
  traceparent: reference("Traceparent"),
  ...countedHeaders(route, status),
  ...(status === 429 || status === 503 ? { "Retry-After": reference("RetryAfter") } : {}),
  ...(status === 401 || status === 403 ? challengeOf(route, status) : {}),
  ...(route.crossOrigin === true ? { "Access-Control-Allow-Origin": reference("AnyOrigin") } : {}),
});

/** Nobody is counted before it is known who calls; what fails may fail before or after. */
function countedHeaders({ access }: Route, status: number): Json {
  if (access === "public" || status === 401) return {};
  // A plan's windows are looked at once a request is found valid.
  if (access.limitGroup === "plan") return limitHeaders(status < 300 || status === 429 ? "OfPlan" : "OfPlanIfCounted");
  return limitHeaders(status >= 500 ? "IfCounted" : "");
}

/** A 403 may also say that something other than a scope is missing. */
const challengeOf = ({ access }: Route, status: number): Json =>
  status === 403 && access === "public" ? {} : { "WWW-Authenticate": challenge(status) };

const challenge = (status: number): Json =>
  status === 401
    ? reference("Challenge")
    : header(
        text,
        "When a scope is missing (RFC 6750 §3).",
        'Bearer realm="assent", error="insufficient_scope"',
        false,
      );

/** The headers of its own that an operation names. */
export const ownHeaders = (headers: Readonly<Record<string, string | HeaderDescription>>): Json =>
  Object.fromEntries(
    Object.entries(headers).map(([name, said]) => {
      const {
        description,
        schema = text,
        example,
        required = false,
      } = typeof said === "string" ? { description: said } : said;
      return [name, { description, required, schema, ...(example === undefined ? {} : { example }) }];
    }),
  );
