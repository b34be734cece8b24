import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, test } from "@jest/globals";
import axe from "axe-core";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { until } from "#platform/testing/until.ts";

/** How long anything may take on a machine that has much else to do. */
export const patience = 60_000;

/** Opens pages of one browser; every page is closed after its test. */
export interface Pages {
  open(options?: BrowserContextOptions): Promise<Page>;
}

/** Needs Chromium: skipped with one line where it is missing, an error in CI. */
export function describeInBrowser(name: string, suite: (pages: Pages) => void): void {
  const executablePath = findChromium();
  if (executablePath === undefined) {
    if (process.env.CI !== "true") {
      process.stderr.write(`skipped without chromium: ${name}\n`);
      describe.skip(name, () => test("needs chromium", () => undefined));
      return;
    }
    test(name, () => {
      throw new Error("chromium is missing and CI must not skip");
    });
    return;
  }
  describe(name, () => {
    let browser: Browser;
    const opened: Page[] = [];
    const errors: string[] = [];
    beforeAll(async () => {
      browser = await chromium.launch({ executablePath, args });
    }, 60_000);
    afterEach(async () => {
      for (const page of opened.splice(0)) await page.context().close();
      const thrown = errors.splice(0);
      if (thrown.length > 0) throw new Error(`errors on the page: ${thrown.join("; ")}`);
    });
    afterAll(() => browser?.close());
    suite({
      open: async (options = {}) => {
        const context = await browser.newContext({ reducedMotion: "reduce", ...options });
        context.setDefaultTimeout(patience);
        context.on("page", prepare);
        const page = await context.newPage();
        page.on("pageerror", (error) => errors.push(error.message));
        opened.push(page);
        return page;
      },
    });
  });
}

function prepare(page: Page): void {
  // Files are asked for in vain while nobody listens, and to begin to listen takes a while.
  page.on("filechooser", () => undefined);
  const goto = page.goto.bind(page);
  page.goto = async (url, options) => {
    const response = await goto(url, options);
    // A browser drops keys that are pressed before it has painted.
    await until(() => page.evaluate<boolean>("performance.getEntriesByType('paint').length > 0"));
    return response;
  };
}

const args = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  // It draws with the processor, for which a process of its own costs a tenth of the work.
  "--in-process-gpu",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

function findChromium(): string | undefined {
  const folders = (process.env.PATH ?? "").split(delimiter);
  // The first is the second without windows: pages take half of the work.
  const names = ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"];
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find((file) => existsSync(file));
}

interface AxeViolation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
}

/** What axe-core has to complain about; the page must not forbid scripts that are evaluated from outside. */
export async function accessibilityProblems(page: Page): Promise<string[]> {
  // It is large; a page that stays open has it already.
  if (await page.evaluate("window.axe === undefined")) await page.evaluate(axe.source);
  const run = `axe.run(document, { resultTypes: ["violations"] }).then((result) => result.violations)`;
  const violations = (await page.evaluate(run)) as AxeViolation[];
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary = "" }) => `${id}: ${html} ${failureSummary}`),
  );
}

/** An authenticator that Chromium pretends to have. */
interface PretendedAuthenticator {
  set(habits: { readonly isUserVerified: boolean }): Promise<void>;
}

/** A device with passkeys, or a key that is plugged in; one that verifies its user keeps them, too. */
export async function addAuthenticator(
  page: Page,
  { transport, verifies }: { readonly transport: "internal" | "usb"; readonly verifies: boolean },
): Promise<PretendedAuthenticator> {
  const session = await page.context().newCDPSession(page);
  await session.send("WebAuthn.enable");
  const can = { hasResidentKey: verifies, hasUserVerification: verifies, isUserVerified: verifies };
  const options = { protocol: "ctap2", transport, automaticPresenceSimulation: true, ...can } as const;
  const { authenticatorId } = await session.send("WebAuthn.addVirtualAuthenticator", { options });
  return {
    set: async ({ isUserVerified }) => {
      await session.send("WebAuthn.setUserVerified", { authenticatorId, isUserVerified });
    },
  };
}
