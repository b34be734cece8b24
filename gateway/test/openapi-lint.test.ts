import { describe, expect, test } from "@jest/globals";
import { createConfig, lintFromString } from "@redocly/openapi-core";
import { buildOpenApi } from "../openapi/build.ts";
import { allRoutes } from "../routes/index.ts";

const rules = {
  // The addresses are part of the interface. No request has two meanings: the id of a session is a UUID and the key of
  // a deployment begins with dep_.
  "no-ambiguous-paths": "off",
  // See below: there is one.
  "no-path-trailing-slash": "off",
  // What takes nothing and needs no credential has no 4xx of its own; those of every address are in info.description.
  "operation-4xx-response": "off",
  // Beyond the set: nothing may be left for the reader to guess.
  "operation-description": "error",
  "operation-tag-defined": "error",
  "operation-singular-tag": "error",
  "parameter-description": "error",
  "path-params-defined": "error",
  "component-name-unique": "error",
} as const;

describe("the OpenAPI document", () => {
  test("passes every rule of Redocly's recommended-strict set, and some more", async () => {
    const config = await createConfig({ extends: ["recommended-strict"], rules });
    const problems = await lintFromString({ source: JSON.stringify(buildOpenApi(allRoutes)), config });
    const seen = problems.map(({ ruleId, message, location }) => ({ ruleId, message, at: location[0]?.pointer }));
    expect(seen).toEqual([]);
  });

  test("is seen by the linter: a document with a flaw does not pass", async () => {
    const config = await createConfig({ extends: ["recommended-strict"], rules });
    const flawed = { ...buildOpenApi(allRoutes.slice(0, 1)), servers: [] };
    const problems = await lintFromString({ source: JSON.stringify(flawed), config });
    expect(problems.map(({ ruleId }) => ruleId)).toContain("no-empty-servers");
  });

  // What the signing page loads and asks has addresses relative to its own, under the path of its cookie.
  test("has no path with a slash at the end but the root and that of the signing page", () => {
    expect(allRoutes.map(({ path }) => path).filter((path) => path.endsWith("/"))).toEqual(["/signing/s/{sid}/", "/"]);
  });
});
