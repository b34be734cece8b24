import { describe, expect, test } from "@jest/globals";
import { template as resource } from "#api/templates.ts";
import { buildOpenApi } from "../../gateway/openapi/build.ts";
import { exampleOf } from "../../gateway/openapi/components.ts";
import { allRoutes } from "../../gateway/routes/index.ts";
import { type Answered, createContract, requireConformance } from "./contract.ts";

const contract = createContract(JSON.parse(JSON.stringify(buildOpenApi(allRoutes))));

const ids = { "X-Request-Id": "r", traceparent: "t" };
const limits = {
  "X-RateLimit-Limit": "10",
  "X-RateLimit-Remaining": "9",
  "X-RateLimit-Reset": "1795194060",
  "Retry-After": "60",
};
const json = { "Content-Type": "application/json; charset=utf-8" };
const whole = { ...ids, ...limits, ...json };
const template = exampleOf(resource.schemas.answer) as Record<string, unknown>;
const read = { method: "GET", path: "/v1/click/templates/0190a000-0000-7000-8000-000000000001?includeVersions=false" };

const answered = (status: number, headers: Record<string, string>, body?: unknown): Answered => ({
  status,
  headers: new Headers(headers),
  text: body === undefined ? "" : JSON.stringify(body),
});
const error = (errorCode: string) => ({ errorCode, message: "No.", requestId: "r" });
const genError = (code: string) => ({ code, message: "No.", details: {} });

describe("an answer that is as the document says", () => {
  test.each([
    ["a template", read, answered(200, whole, template)],
    ["an error of the operation", read, answered(404, whole, error("CLICK_TEMPLATE_NOT_FOUND"))],
    ["a defect before anything was counted", read, answered(500, { ...ids, ...json }, error("INTERNAL_ERROR"))],
    ["nothing, where nothing is said", { ...read, method: "DELETE" }, answered(204, { ...ids, ...limits })],
    ["the head of an answer", { ...read, method: "HEAD" }, answered(200, whole)],
    ["an unknown address", { method: "GET", path: "/nowhere" }, answered(404, { ...ids, ...json }, error("NOT_FOUND"))],
    [
      "a method that a path does not have",
      { method: "PUT", path: "/v1/click/accept" },
      answered(405, { ...ids, ...json, Allow: "POST" }, error("METHOD_NOT_ALLOWED")),
    ],
    [
      "an unknown address of document generation",
      { method: "GET", path: "/v1/gen/nowhere?a=b" },
      answered(404, { ...ids, ...json }, genError("not_found")),
    ],
    [
      "a method that a path of document generation does not have",
      { method: "PUT", path: "/batches" },
      answered(405, { ...ids, ...json, Allow: "POST" }, genError("method_not_allowed")),
    ],
    [
      "a flood, where there is nothing",
      { method: "GET", path: "/batches/a/b" },
      answered(429, whole, genError("rate_limited")),
    ],
    ["a bad header, before anything was counted", read, answered(400, { ...ids, ...json }, error("VALIDATION_FAILED"))],
    [
      "a flood, where nobody needs a credential",
      { method: "GET", path: "/docs" },
      answered(429, whole, error("RATE_LIMIT_EXCEEDED")),
    ],
    [
      "an error of the token endpoint",
      { method: "POST", path: "/oauth2/token" },
      answered(400, { ...ids, ...json }, { error: "invalid_scope", error_description: "No." }),
    ],
  ])("%s", (_name, request, answer) => {
    expect(contract.problems(request, answer)).toEqual([]);
    expect(() => requireConformance(contract, request, answer)).not.toThrow();
  });
});

describe("an answer that is not as the document says", () => {
  const { name: _, ...nameless } = template;
  const without = (header: string) => Object.fromEntries(Object.entries(whole).filter(([name]) => name !== header));
  test.each([
    ["an undeclared status", read, answered(418, whole, template), "does not declare the status 418"],
    ["a missing id", read, answered(200, without("X-Request-Id"), template), "the header X-Request-Id is missing"],
    ["a missing count", read, answered(200, without("Retry-After"), template), "the header Retry-After is missing"],
    [
      "a header of another type",
      read,
      answered(200, { ...whole, "X-RateLimit-Limit": "many" }, template),
      "the header X-RateLimit-Limit should be a number and is many",
    ],
    ["a value of another type", read, answered(200, whole, { ...template, name: 5 }), "body/name must be string"],
    [
      "a format that is not kept",
      read,
      answered(200, whole, { ...template, id: "1" }),
      'body/id must match format "uuid"',
    ],
    ["a missing field", read, answered(200, whole, nameless), "body must have required property 'name'"],
    [
      "a field that is not described",
      read,
      answered(200, whole, { ...template, secret: 1 }),
      "body must NOT have additional properties secret",
    ],
    [
      "another content type",
      read,
      answered(200, { ...whole, "Content-Type": "text/plain" }, template),
      "the content type text/plain is not declared",
    ],
    ["a body where none is", { ...read, method: "DELETE" }, answered(204, whole, {}), "there should be no body"],
    ["a body that is cut off", read, { ...answered(200, whole), text: '{"id":' }, "the body is not JSON"],
    [
      "an error that the operation does not name",
      read,
      answered(404, whole, error("CLICK_SESSION_NOT_FOUND")),
      "body/errorCode must be equal to one of the allowed values",
    ],
    [
      "a 404 of an address that exists",
      read,
      answered(404, whole, error("NOT_FOUND")),
      "body/errorCode must be equal to one of the allowed values",
    ],
    [
      "the standard body of an unknown address of document generation",
      { method: "GET", path: "/v1/gen/nowhere" },
      answered(404, { ...ids, ...json }, error("NOT_FOUND")),
      "an unknown address answers 404",
    ],
    [
      "the body of document generation elsewhere",
      { method: "GET", path: "/nowhere" },
      answered(404, { ...ids, ...json }, genError("not_found")),
      "an unknown address answers 404",
    ],
    [
      "an unknown address that answers something",
      { method: "GET", path: "/nowhere" },
      answered(200, whole, {}),
      "an unknown address answers 200",
    ],
    [
      "a method that is not allowed, without those that are",
      { method: "PUT", path: "/v1/click/accept" },
      answered(405, { ...ids, ...json }, error("METHOD_NOT_ALLOWED")),
      "the header Allow is missing",
    ],
  ])("%s is reported", (_name, request, answer, problem) => {
    const problems = contract.problems(request, answer);
    expect(problems).toContainEqual(expect.stringContaining(problem));
    expect(() => requireConformance(contract, request, answer)).toThrow(problem);
  });
});

describe("the operation that answers", () => {
  test.each([
    ["GET", "/v1/click/templates/types", "getTemplateTypes"],
    ["GET", "/v1/click/templates/x", "findOneTemplate"],
    ["GET", "/v1/click/render/embed.0123.js", "getPageScript"],
    ["GET", "/v1/click/render/dep_1/embed.0123.js", "getPinnedEmbedScript"],
    ["GET", "/v1/click/log/tile/0/1.p/3", "getPartialLogTile"],
  ])("of %s %s is %s", (method, path, operationId) => {
    expect(contract.problems({ method, path }, answered(299, {}))).toEqual([
      `${operationId} does not declare the status 299`,
    ]);
  });
});
