import type { Page } from "playwright-core";
import type { Pages } from "./browser.ts";
import type { Site } from "./site.ts";

export interface HostPageOptions {
  readonly rendering: object;
  /** Further attributes of the script tag. */
  readonly attributes?: string;
  readonly head?: string;
  readonly headers?: Record<string, string>;
  readonly context?: Parameters<Pages["open"]>[0];
}

/** Opens a page of the customer's that mounts a rendering by a script tag and sends acceptances to its backend. */
export async function openHostPage(pages: Pages, site: Site, options: HostPageOptions): Promise<Page> {
  const page = await pages.open(options.context);
  const url = site.rendering(options.rendering);
  const script = `<script src="/v1/click/render/dep_1/embed.js" data-url="${url}" data-accept-url="/accept" data-target="#place" ${options.attributes ?? ""}></script>`;
  await page.goto(site.page(hostHtml(script, options.head), options.headers));
  return page;
}

/** Sends the form as a script of the page could: without any look at the state of its button. */
export async function submitForm(page: Page): Promise<void> {
  await page.locator("form").waitFor();
  await page.evaluate("document.querySelector('assent-embed').shadowRoot.querySelector('form').requestSubmit()");
}

export const hostHtml = (script: string, head = ""): string => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Example shop</title>${head}</head>
<body><main><h1>Create your account</h1><button id="before">Before</button><div id="place"></div>
<button id="after">After</button></main>${script}</body></html>`;
