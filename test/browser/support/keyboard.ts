import { setTimeout as delay } from "node:timers/promises";
import type { Locator, Page } from "playwright-core";
import { patience } from "./browser.ts";

const waits = {
  filechooser: (page: Page) => page.waitForEvent("filechooser", { timeout: patience }),
  download: (page: Page) => page.waitForEvent("download", { timeout: patience }),
  popup: (page: Page) => page.waitForEvent("popup", { timeout: patience }),
};
type Waits = typeof waits;

/** How long somebody waits before they press again. */
const againMs = 10_000;

/**
 * What a key or a click brings. Who presses at the moment in which the page is drawn anew presses nothing, and presses
 * again: `act` finds again what it presses.
 */
export async function broughtBy<Name extends keyof Waits>(
  page: Page,
  name: Name,
  act: () => Promise<unknown>,
): Promise<Awaited<ReturnType<Waits[Name]>>> {
  const brought = waits[name](page) as ReturnType<Waits[Name]>;
  let isThere = false;
  const settled = brought.then(
    () => (isThere = true),
    () => (isThere = true),
  );
  while (!isThere) {
    await act();
    await Promise.race([settled, delay(againMs)]);
  }
  return await brought;
}

/** Acts, again if nothing has come of it for a while: a service that is busy asks people to try again. */
export async function actUntil(act: () => Promise<unknown>, there: Locator): Promise<void> {
  const deadline = performance.now() + patience;
  while (performance.now() < deadline && !(await there.isVisible())) {
    await act();
    await there.waitFor({ timeout: againMs }).catch(() => undefined);
  }
  await there.waitFor({ timeout: againMs });
}

/** Goes on until what is called so has the focus, and keeps it: pages are drawn anew when more of them is known. */
export async function tabTo(page: Page, name: string | RegExp, key = "Tab"): Promise<void> {
  const passed: string[] = [];
  for (let presses = 0; presses < 150; presses += 1) {
    if (await isFocused(page, name)) {
      await page.evaluate("new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))");
      if (await isFocused(page, name)) return;
    }
    passed.push(await nameOfFocused(page));
    await page.keyboard.press(key);
  }
  throw new Error(`the keyboard does not reach ${name}, but ${passed.join(" | ")}`);
}

export async function follow(page: Page, name: string | RegExp, key = "Tab"): Promise<void> {
  await tabTo(page, name, key);
  await page.keyboard.press("Enter");
}

export async function type(page: Page, name: string | RegExp, text: string): Promise<void> {
  await tabTo(page, name);
  await page.keyboard.type(text);
}

async function isFocused(page: Page, name: string | RegExp): Promise<boolean> {
  const focused = await nameOfFocused(page);
  return typeof name === "string" ? focused === name : name.test(focused);
}

/** How a screen reader would call what has the focus, near enough. */
const nameOfFocused = (page: Page): Promise<string> =>
  page.evaluate(`(() => {
    let element = document.activeElement;
    while (element?.shadowRoot?.activeElement) element = element.shadowRoot.activeElement;
    if (!element || element === document.body) return "";
    const ids = element.getAttribute("aria-labelledby")?.split(" ") ?? [];
    const named = ids.map((id) => element.getRootNode().getElementById(id)?.textContent ?? "").join(" ");
    const label = element.getAttribute("aria-label") ?? element.labels?.[0]?.textContent ?? element.textContent;
    return (named || label).trim();
  })()`);
