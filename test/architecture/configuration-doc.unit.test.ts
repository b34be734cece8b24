import { readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { configurationFile, configurationPage } from "../../dev/configuration-doc.ts";

test("docs/configuration.md says what the programs read (npm run docs writes it)", () => {
  expect(readFileSync(configurationFile, "utf8")).toBe(configurationPage());
});
