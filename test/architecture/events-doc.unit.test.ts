import { readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { receipt } from "#api/receipts.ts";
import { eventsFile, eventsPage } from "../../dev/events-doc.ts";
import { receiptExample } from "../../services/webhooks/domain/event-types-others.ts";

test("docs/events.md lists the types of the catalogue (npm run docs writes it)", () => {
  const page = readFileSync(eventsFile, "utf8");
  expect(page).toBe(eventsPage(page));
});

test("the example of a receipt has what reading one answers", () => {
  const { properties } = receipt.schemas.answer;
  expect(Object.keys(receiptExample).sort()).toEqual(Object.keys(properties as object).sort());
});
