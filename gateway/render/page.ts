import { createHash } from "node:crypto";
import type { Rendering } from "#gen/assent/click/v1/click_pb.ts";
import { renderingView } from "../../views/rendering.ts";
import { pageScript } from "./page-script.ts";

/** What a page needs to offer the decision. */
export interface PageControls {
  /** The address of the embed script, from the page's own. */
  readonly scriptUrl: string;
  readonly integrity: string;
  /** Who may frame or open the page and so hear of the decision. */
  readonly origins: readonly string[];
}

// Dark on light and light on dark by at least 7:1; links are underlined, so that colour alone tells nothing.
const style = `
:root { color-scheme: light dark; --text: #1a1a1a; --ground: #fff; --link: #003e9c; --line: #767676; }
@media (prefers-color-scheme: dark) { :root { --text: #f2f2f2; --ground: #161616; --link: #a8c7ff; --line: #9a9a9a; } }
body { margin: 0; background: var(--ground); color: var(--text); font: 1rem/1.6 system-ui, sans-serif; }
header, main { max-width: 44rem; margin: 0 auto; padding: 1rem; overflow-wrap: break-word; }
a { color: var(--link); text-decoration: underline; }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
h1 { line-height: 1.25; }
table { border-collapse: collapse; }
td, th { border: 1px solid var(--line); padding: .3rem .6rem; text-align: start; }
img { max-width: 100%; height: auto; }
.draft { border: 2px dashed var(--line); padding: .5rem 1rem; font-weight: 600; }
.notice { border-top: 1px solid var(--line); margin-top: 2rem; padding-top: 1rem; }
main:has(assent-embed) .reading { display: none; }`;

/** For the policy of the page: nothing but this stylesheet applies. */
export const styleHash = `sha256-${createHash("sha256").update(style).digest("base64")}`;

/**
 * A page that shows the text and needs no script for that. With controls the embed script takes its place, as soon as it
 * runs, and offers the decision.
 */
export function renderPage(rendering: Rendering, controls: PageControls | undefined): string {
  const { locale, title, html, isDraft, noticeText } = rendering;
  return `<!doctype html>
<html lang="${escaped(locale)}" dir="${directionOf(locale)}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${escaped(title)}</title>
<style>${style}</style>
</head>
<body>
<header>
<h1>${escaped(title)}</h1>
${isDraft ? '<p class="draft" lang="en" dir="ltr">Draft – not published</p>' : ""}
</header>
<main>
<div class="reading">
<article>${html}</article>
<p class="notice">${escaped(noticeText)}</p>
</div>
<div data-assent-controls></div>
</main>
${controls === undefined ? "" : scriptsHtml(rendering, controls)}
</body>
</html>
`;
}

/** A block of data is never run, so the policy of the page need not allow it. */
const scriptsHtml = (rendering: Rendering, { scriptUrl, integrity, origins }: PageControls): string =>
  `<script type="application/json" data-assent-rendering>${dataBlock({ rendering: renderingView(rendering), origins })}</script>
<script src="${escaped(scriptUrl)}" integrity="${escaped(integrity)}" crossorigin="anonymous"></script>
<script>${pageScript}</script>`;

const dataBlock = (value: unknown): string => JSON.stringify(value).replaceAll("<", "\\u003c");

const rightToLeft = new Set(["ar", "ckb", "dv", "fa", "he", "ps", "sd", "ug", "ur", "yi"]);

const directionOf = (locale: string): "ltr" | "rtl" =>
  rightToLeft.has(locale.split("-")[0]?.toLowerCase() ?? "") ? "rtl" : "ltr";

const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

const escaped = (text: string): string => text.replaceAll(/[&<>"]/g, (character) => entities[character] ?? "");
