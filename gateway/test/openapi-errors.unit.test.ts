import { describe, expect, test } from "@jest/globals";
import { errorCatalogue } from "#platform/errors.ts";
import { generalAnswers } from "../openapi/info.ts";
import { errorsByStatus } from "../openapi/responses.ts";
import { allRoutes } from "../routes/index.ts";

const ofOperations = new Set(allRoutes.flatMap((route) => Object.values(errorsByStatus(route)).flat()));
const documented = new Set<string>([...ofOperations, ...generalAnswers.map(({ code }) => code)]);

describe("the errors of the OpenAPI document", () => {
  test("are all those of the catalogue, and no others", () => {
    expect([...documented].sort()).toEqual(Object.keys(errorCatalogue).sort());
  });

  test("that every address can answer are in the description", async () => {
    const { info } = await import("../openapi/info.ts");
    for (const { status, code } of generalAnswers) expect(info.description).toContain(`| ${status} | \`${code}\` |`);
  });

  test("of an operation stand at the status that the catalogue gives them", () => {
    for (const route of allRoutes) {
      for (const [status, codes] of Object.entries(errorsByStatus(route))) {
        expect(codes.map((code) => [code, errorCatalogue[code].http])).toEqual(
          codes.map((code) => [code, Number(status)]),
        );
      }
    }
  });
});
