import { readFileSync } from "node:fs";
import { describe, expect, test } from "@jest/globals";
import { Ajv2020 } from "ajv/dist/2020.js";
import { schemaCompiler } from "../http/validate.ts";
import { buildOpenApi } from "../openapi/build.ts";
import { allRoutes } from "../routes/index.ts";
import type { TextParam } from "../routes/route.ts";

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

const limitHeaders = ["X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset", "Retry-After"];

/** Types that JSON cannot show. */
const isBytes = (type: string): boolean =>
  [
    "application/zip",
    "application/octet-stream",
    "application/pdf",
    "image/png",
    "image/jpeg",
    "application/wasm",
    "font/ttf",
    "multipart/form-data",
    "multipart/report",
    "message/rfc822",
    "*/*",
  ].includes(type) || /^(?:application\/(?:vnd\.|msword$|rtf$)|image\/tiff$)/.test(type);

const shownIn = (example: unknown): unknown => follow(example).value;

// biome-ignore lint/suspicious/noExplicitAny: as above
function follow(value: any): any {
  const path: string[] = value.$ref?.slice(2).split("/") ?? [];
  return path.length === 0 ? value : path.reduce((place, part) => place[part], document);
}

describe("the OpenAPI document", () => {
  test("is of version 3.1.0 and has the version of the product, and its introduction names every part", () => {
    const { version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
    expect([document.openapi, document.info.version]).toEqual(["3.1.0", version]);
    const parts = new Set(allRoutes.map(({ path }) => /^\/(?:v1\/\w+|restapi\/v2\.1)/.exec(path)?.[0] ?? ""));
    const unnamed = [...parts].filter((part) => !document.info.description.includes(part));
    // People sign in there, which has a chapter of its own.
    expect(unnamed.filter((part) => part !== "/v1/dashboard" && part !== "/v1/signing")).toEqual([]);
  });

  test("has every route once", () => {
    expect(operations.map(([operationId]) => operationId).sort()).toEqual(
      allRoutes.map(({ operationId }) => operationId).sort(),
    );
    expect(new Set(operations.map(([operationId]) => operationId)).size).toBe(operations.length);
  });

  test("refers only to what it defines, and defines only what is referred to", () => {
    const { securitySchemes: _, ...components } = document.components;
    const defined = Object.entries(components).flatMap(([kind, named]) =>
      Object.keys(named as object).map((name) => `#/components/${kind}/${name}`),
    );
    expect([...new Set(findAll(document, "$ref"))].sort()).toEqual(defined.sort());
  });

  test("describes every tag", () => {
    for (const { name, description } of document.tags) expect([name, description]).toEqual([name, expect.any(String)]);
  });

  test("says where it is served, when that is known", () => {
    const known = buildOpenApi(allRoutes, "https://agreements.example.com");
    expect(known.servers).toMatchObject([{ url: "https://agreements.example.com" }]);
    expect(findAll(known, "tokenUrl")).toEqual(["https://agreements.example.com/oauth2/token"]);
    expect(findAll(document, "tokenUrl")).toEqual(["/oauth2/token"]);
  });

  test.each(operations)(
    "%s has answers, each with its description and the headers of every answer",
    (id, operation) => {
      const isPublic = allRoutes.find(({ operationId }) => operationId === id)?.access === "public";
      const responses = Object.entries<{ description: string; headers: object }>(operation.responses);
      expect(responses.some(([status]) => status.startsWith("2"))).toBe(true);
      const expected = isPublic ? ["500", "503"] : ["401", "403", "429", "500", "503"];
      expect(responses.map(([status]) => status)).toEqual(expect.arrayContaining(expected));
      for (const [status, { description, headers }] of responses) {
        expect(description).not.toBe("");
        expect([status, Object.keys(headers)]).toEqual([
          status,
          expect.arrayContaining([
            ...["X-Request-Id", "traceparent"],
            // Whoever has no valid credential is not counted.
            ...(isPublic || status === "401" ? [] : limitHeaders),
            ...(status === "503" || status === "429" ? ["Retry-After"] : []),
            ...(status === "401" ? ["WWW-Authenticate"] : []),
          ]),
        ]);
      }
    },
  );

  test.each(operations)("%s says what it does and what each parameter means, with an example", (_id, operation) => {
    expect(operation).toMatchObject({ summary: expect.any(String), description: expect.any(String) });
    expect(document.tags.map(({ name }: { name: string }) => name)).toEqual(expect.arrayContaining(operation.tags));
    for (const parameter of operation.parameters.map(follow)) {
      expect(parameter).toMatchObject({ description: expect.any(String), example: expect.anything() });
    }
  });

  test.each(operations)("%s declares each parameter of its path", (id, operation) => {
    const path = allRoutes.find(({ operationId }) => operationId === id)?.path ?? "";
    const declared = operation.parameters
      .map(follow)
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
      { sessionCookie: [] },
    ]);
    const users = operations.find(([id]) => id === "listUsers")?.[1];
    expect(users.security).toEqual([{ sessionCookie: [] }]);
    expect(accept.parameters.map(follow)).toContainEqual(
      expect.objectContaining({ name: "X-Idempotency-Key", required: true }),
    );
  });

  test("has schemas by which requests can be checked", () => {
    const compile = schemaCompiler();
    for (const { operationId, body, query, texts = {} } of allRoutes) {
      const inQuery = query && { type: "object", ...query };
      const inBody = body?.unparsed === true ? undefined : body?.schema;
      for (const schema of [inQuery, inBody, ...Object.values<TextParam>(texts).map((text) => text.schema)]) {
        if (schema !== undefined)
          expect([operationId, compile(schema)(null)]).toEqual([operationId, expect.any(Array)]);
      }
    }
  });

  test("has schemas that are valid and examples that fit them", () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false, code: { optimize: false } });
    ajv.addSchema({ $id: "document", components: document.components });
    const within = (schema: unknown) =>
      JSON.parse(JSON.stringify(schema).replaceAll('"#/components', '"document#/components'));
    for (const name of Object.keys(document.components.schemas)) {
      expect(() => ajv.compile({ $ref: `document#/components/schemas/${name}` })).not.toThrow();
    }
    for (const [id, { parameters, requestBody, responses }] of operations) {
      // biome-ignore lint/suspicious/noExplicitAny: as above
      const answers = Object.entries<any>(responses);
      const media = [requestBody, ...answers.map(([, answer]) => answer)].flatMap(
        (message) => message?.content?.["application/json"] ?? [],
      );
      const own = parameters.map(follow);
      for (const { schema, example, examples } of [...media, ...own]) {
        const validate = ajv.compile(within(schema));
        for (const shown of examples === undefined ? [example] : Object.values(examples).map(shownIn)) {
          expect([id, shown, validate(shown), validate.errors]).toEqual([id, shown, true, null]);
        }
      }
    }
  });

  test.each(operations)("%s has examples of what it takes and what it answers", (_id, { requestBody, responses }) => {
    for (const [type, media] of Object.entries(requestBody?.content ?? {})) {
      if (!isBytes(type)) expect(media).toHaveProperty("example");
    }
    // biome-ignore lint/suspicious/noExplicitAny: as above
    for (const [status, { content = {} }] of Object.entries<any>(responses)) {
      for (const [type, { example, examples }] of Object.entries<Record<string, unknown>>(content)) {
        expect([status, type, isBytes(type) || (example ?? examples) !== undefined]).toEqual([status, type, true]);
      }
    }
  });
});
