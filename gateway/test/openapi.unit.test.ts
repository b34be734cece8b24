import { describe, expect, test } from "@jest/globals";
import { Ajv2020 } from "ajv/dist/2020.js";
import { buildOpenApi } from "../openapi/build.ts";
import { referencePage } from "../openapi/reference-page.ts";
import { allRoutes } from "../routes/index.ts";

// biome-ignore lint/suspicious/noExplicitAny: the document is read as a client reads it
const document = JSON.parse(JSON.stringify(buildOpenApi(allRoutes))) as any;
// biome-ignore lint/suspicious/noExplicitAny: as above
const operations: [string, any][] = Object.values(document.paths).flatMap((item: any) =>
  // biome-ignore lint/suspicious/noExplicitAny: as above
  Object.values(item).map((operation: any) => [operation.operationId, operation] as [string, any]),
);

function findAll(value: unknown, key: string): unknown[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, child]) => [...(name === key ? [child] : []), ...findAll(child, key)]);
}

describe("the OpenAPI document", () => {
  test("is of version 3.1.0 and describes version 1.0.0 of the API", () => {
    expect([document.openapi, document.info.version]).toEqual(["3.1.0", "1.0.0"]);
  });

  test("has every route once", () => {
    expect(operations.map(([operationId]) => operationId).sort()).toEqual(
      allRoutes.map(({ operationId }) => operationId).sort(),
    );
    expect(new Set(operations.map(([operationId]) => operationId)).size).toBe(operations.length);
  });

  test("refers only to what it defines, and defines only what is referred to", () => {
    const names = findAll(document, "$ref").map((reference) => String(reference).replace("#/components/schemas/", ""));
    expect([...new Set(names)].sort()).toEqual(Object.keys(document.components.schemas).sort());
  });

  test.each(operations)(
    "%s has answers, each with its description and the headers of every answer",
    (_id, operation) => {
      const responses = Object.entries<{ description: string; headers: object }>(operation.responses);
      expect(responses.some(([status]) => status.startsWith("2"))).toBe(true);
      expect(responses.map(([status]) => status)).toContain("500");
      for (const [status, { description, headers }] of responses) {
        expect(description).not.toBe("");
        const expected = ["X-Request-Id", "traceparent"];
        if (operation.security.length > 0)
          expected.push("X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset", "Retry-After");
        expect([status, Object.keys(headers)]).toEqual([status, expect.arrayContaining(expected)]);
      }
    },
  );

  test.each(operations)("%s declares each parameter of its path", (id, operation) => {
    const path = allRoutes.find(({ operationId }) => operationId === id)?.path ?? "";
    const declared = operation.parameters
      .filter((p: { in: string }) => p.in === "path")
      .map((p: { name: string }) => `{${p.name}}`);
    expect(declared).toEqual(path.match(/\{\w+\}/g) ?? []);
  });

  test("names the scopes of protected operations, and any one is enough", () => {
    const accept = operations.find(([id]) => id === "accept")?.[1];
    expect(accept.security).toEqual([
      { oauth: ["click:accept"] },
      { oauth: ["click:write"] },
      { oauth: ["click:admin"] },
      { bearer: [] },
    ]);
    expect(accept.parameters).toContainEqual(expect.objectContaining({ name: "X-Idempotency-Key", required: true }));
  });

  test("has schemas that are valid and examples that fit them", () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    ajv.addSchema({ $id: "document", components: document.components });
    const resolved = (schema: unknown) =>
      JSON.parse(JSON.stringify(schema).replaceAll('"#/components', '"document#/components'));
    for (const name of Object.keys(document.components.schemas)) {
      expect(() => ajv.compile({ $ref: `document#/components/schemas/${name}` })).not.toThrow();
    }
    for (const [id, { parameters, requestBody, responses }] of operations) {
      // biome-ignore lint/suspicious/noExplicitAny: as above
      const answers = Object.entries<any>(responses).filter(([status]) => status.startsWith("2"));
      const media = [requestBody, ...answers.map(([, answer]) => answer)].flatMap(
        (message) => message?.content?.["application/json"] ?? [],
      );
      const own = parameters.filter(({ in: place }: { in: string }) => place !== "header");
      for (const { schema, example } of [...media, ...own]) {
        const validate = ajv.compile(resolved(schema));
        expect([id, example, validate(example), validate.errors]).toEqual([id, example, true, null]);
      }
    }
  });

  test.each(operations)("%s has examples of what it takes and what it answers", (_id, { requestBody, responses }) => {
    const json = requestBody?.content["application/json"];
    expect(json === undefined || json.example !== undefined).toBe(true);
    // biome-ignore lint/suspicious/noExplicitAny: as above
    for (const [status, { content = {} }] of Object.entries<any>(responses)) {
      const answer = content["application/json"];
      if (answer === undefined) continue;
      expect([status, answer.example !== undefined || answer.examples !== undefined]).toEqual([status, true]);
    }
  });
});

describe("the reference page", () => {
  const page = referencePage(document);

  test("shows every operation and loads nothing from elsewhere", () => {
    for (const [operationId] of operations) expect(page).toContain(`id="${operationId}"`);
    expect(page).not.toMatch(/<script|<link|<img|src=|@import|url\(/i);
    expect(page.match(/href="(?!#|\/openapi\.json")/g)).toBeNull();
  });

  test("escapes what the document says", () => {
    const injected = structuredClone(document);
    injected.info.description = "<script>alert(1)</script>";
    expect(referencePage(injected)).toContain("&lt;script&gt;");
  });
});
