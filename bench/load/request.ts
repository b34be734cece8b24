import { eightDigits, type LoadPlan } from "./plan.ts";

/** The bytes of the n-th request of a plan. */
export function buildRequest(plan: LoadPlan, url: URL, n: number): Buffer {
  const body = plan.body?.replaceAll("{n}", String(n)).replaceAll(eightDigits, String(n).padStart(8, "0")) ?? "";
  const path = plan.paths?.[n % plan.paths.length] ?? `${url.pathname}${url.search}`;
  const lines = [`${plan.method} ${path} HTTP/1.1`, `Host: ${url.host}`];
  for (const [name, value] of Object.entries(plan.headers)) lines.push(`${name}: ${value}`);
  const authorization = plan.authorizations?.[n % plan.authorizations.length];
  if (authorization !== undefined) lines.push(`Authorization: ${authorization}`);
  if (plan.keyPrefix !== undefined) lines.push(`X-Idempotency-Key: ${plan.keyPrefix}-${n}`);
  if (plan.method === "POST")
    lines.push("Content-Type: application/json", `Content-Length: ${Buffer.byteLength(body)}`);
  return Buffer.from(`${lines.join("\r\n")}\r\n\r\n${body}`);
}
