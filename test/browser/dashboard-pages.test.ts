import { afterAll, beforeAll } from "@jest/globals";
import { type System, startSystem } from "../support/system.ts";
import { describeGeneration } from "./dashboard-generation.ts";
import { describeStart } from "./dashboard-start.ts";
import { describeWebhooks } from "./dashboard-webhooks.ts";
import { describeInBrowser } from "./support/browser.ts";

// One product and one browser for all of them; each has an organization of its own.
describeInBrowser("pages of the dashboard", (pages) => {
  let system: System;
  beforeAll(async () => {
    system = await startSystem("single process");
  });
  afterAll(() => system?.stop());
  const running = (): System => system;
  describeGeneration(pages, running);
  describeStart(pages, running);
  describeWebhooks(pages, running);
});
