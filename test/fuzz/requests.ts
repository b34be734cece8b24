import type { Api } from "../support/api.ts";
import type { Credential, Plan } from "./plans.ts";
import { Pick, type Pool } from "./pool.ts";

/** A request as it goes over the wire. */
export interface FuzzRequest {
  readonly method: string;
  /** With the query, percent-encoded. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | undefined;
  readonly isChunked: boolean;
}

/** The tokens by the kinds of credentials that have one. */
export type Tokens = Readonly<Record<Exclude<Credential, "none" | "rubbish">, string>>;

/** Fills a plan with what is known by now. */
export function requestOf(plan: Plan, pool: Pool, tokens: Tokens): FuzzRequest {
  const { path: template } = plan.operation;
  const topic = pool.topic(template, plan.topic, picksIn([plan.parameters, plan.body]));
  const fill = (value: unknown): unknown => filled(value, (pick) => pool.pick(template, pick, topic));
  const sent = plan.operation.parameters.flatMap(({ name, in: place }) => {
    const value = fill(plan.parameters[name]);
    return value === undefined ? [] : [{ name, place, text: asText(value) }];
  });
  const path = sent
    .filter(({ place }) => place === "path")
    .reduce((text, { name, text: value }) => text.replace(`{${name}}`, () => encoded(value)), plan.operation.path);
  const query = sent
    .filter(({ place }) => place === "query")
    .flatMap(({ name, text }) => [pair(name, text), ...(name === plan.repeated ? [pair(name, text)] : [])]);
  const question = [...query, ...(plan.extraQuery === "" ? [] : [plan.extraQuery])].join("&");
  const inHead = sent.filter(({ place }) => place === "header").map(({ name, text }) => [name.toLowerCase(), text]);
  const { body, contentType } = plan;
  const bytes = bytesOf(body.kind === "value" ? { ...body, value: fill(body.value) } : body, contentType);
  return {
    method: plan.method ?? plan.operation.method,
    path: question === "" ? path : `${path}?${question}`,
    headers: sendable({
      ...Object.fromEntries(inHead),
      ...authorization(plan, tokens),
      ...(plan.accept === undefined ? {} : { accept: plan.accept }),
      ...(bytes === undefined || contentType === undefined ? {} : { "content-type": contentType }),
    }),
    body: bytes,
    isChunked: plan.isChunked,
  };
}

const pair = (name: string, text: string): string => `${name}=${encoded(text)}`;

function picksIn(value: unknown): Pick[] {
  if (value instanceof Pick) return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(picksIn) : [];
}

function filled(value: unknown, known: (pick: Pick) => unknown): unknown {
  if (value instanceof Pick) return filled(known(value), known);
  if (Array.isArray(value)) return value.map((item) => filled(item, known));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, filled(part, known)]));
}

const asText = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value)).slice(0, 6_000);

/** Half a surrogate pair has no form in an address. Dots alone would be steps in a path and stay as they are. */
const encoded = (text: string): string => encodeURIComponent(text.toWellFormed());

function authorization({ credential, rubbish }: Plan, tokens: Tokens): Record<string, string> {
  if (credential === "none") return {};
  return { authorization: credential === "rubbish" ? rubbish : `Bearer ${tokens[credential]}` };
}

function bytesOf(body: Plan["body"], contentType: string | undefined): Buffer | undefined {
  if (body.kind === "none") return undefined;
  if (body.kind === "text") {
    const bytes = Buffer.from(body.text);
    // Cut inside of a character it is no UTF-8 any more.
    return body.cutAt === 0 ? bytes : bytes.subarray(0, Math.max(0, bytes.length - body.cutAt));
  }
  if (contentType === "application/x-www-form-urlencoded") return Buffer.from(formOf(body.value));
  return Buffer.from(JSON.stringify(body.value) ?? "");
}

const formOf = (value: unknown): string =>
  Object.entries(Object(value))
    .map(([name, part]) => `${encoded(name)}=${encoded(asText(part ?? ""))}`)
    .join("&");

/** Node itself refuses to send what HTTP cannot carry; what is left of it goes out. */
const sendable = (headers: Record<string, string>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      value.replaceAll(/[^\t\x20-\x7e\x80-\xff]/g, "").slice(0, 4_000),
    ]),
  );

/** The tokens of a run: of the organization, of one that is a stranger to it, and some that open nothing. */
export function tokensOf(own: Api, others: Omit<Tokens, "key" | "forged">): Tokens {
  const [head, , signature] = others.token.split(".");
  const claims = { iss: "assent", sub: "x", client_id: "x", org_id: own.organizationId, jti: "x", iat: 1, exp: 2 };
  const payload = Buffer.from(JSON.stringify(claims)).toString("base64url");
  return { key: own.token, forged: `${head}.${payload}.${signature}`, ...others };
}
