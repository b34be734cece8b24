import { createHash } from "node:crypto";
import { brandLookOf } from "#api/brands.ts";
import { rendering as shownRendering } from "#api/renderings.ts";
import type { Rendering } from "#gen/assent/click/v1/click_pb.ts";
import { sha256Label } from "#platform/canonical-json.ts";
import { directionOf } from "#platform/language.ts";
import { reportUrlOf } from "#platform/service-settings.ts";
import type { EmbedScript } from "../embed-script.ts";
import { prefers } from "../http/accept.ts";
import { isKnown } from "../http/file-reply.ts";
import { jsonReply, type Reply } from "../http/reply.ts";
import { frameStyle, type PageFrame, type PageLook, pageFrame } from "./brand-looks.ts";

export interface RenderReplyOptions {
  readonly format: RenderFormat | undefined;
  readonly accept: string | undefined;
  readonly ifNoneMatch: string | undefined;
  /** Adds the controls to a page; undefined for pages that are only read. */
  readonly script: EmbedScript | undefined;
  readonly look: PageLook;
  /** Where this API is reached. */
  readonly publicUrl: string;
  /** Of reports of abuse; empty for none. */
  readonly abuseContact: string;
}

const htmlType = "text/html; charset=utf-8";

/** A rendering in the requested form. */
export function renderReply(rendering: Rendering, options: RenderReplyOptions): Reply {
  const { script, look, publicUrl, abuseContact } = options;
  const frame = pageFrame(look, {
    locale: rendering.locale,
    reportUrl: reportUrlOf(abuseContact, rendering.sessionId ?? rendering.deploymentKey),
  });
  const origins = rendering.allowedOrigins.filter((origin) => originPattern.test(origin));
  const format = chooseFormat(options.format, options.accept);
  const headers = {
    Vary: "Accept, Origin",
    "Content-Security-Policy": contentPolicy(origins, {
      hasControls: script !== undefined,
      hasFile: rendering.pdf !== undefined,
      styleSource: frame.styleSource,
    }),
    "Content-Language": rendering.locale,
    "Referrer-Policy": "no-referrer",
    "X-Click-Content-Hash": rendering.contentHash,
  };
  // Customers show pictures on pages of their own.
  const brand = look.brand === undefined ? null : brandLookOf(look.brand, look.organizationId, publicUrl);
  const json = format === "fragment" ? undefined : shownRendering.answer(rendering, { brand });
  if (format === "json") return jsonReply(200, json, headers);
  if (format === "html") {
    // Relative to the page of a session, so that it works wherever this API is mounted.
    const controls = script && { scriptUrl: `../embed.${script.hash}.js`, integrity: script.integrity, origins, json };
    return { status: 200, body: renderPage(rendering, frame, controls), contentType: htmlType, headers };
  }
  // Whoever gets this rendering counts as having been handed all of it, whatever the form.
  const before = beforeText(rendering);
  const body = `${before}${rendering.html}`;
  // The other forms contain a token that is new each time.
  const tagged = { ...headers, ETag: `"${before === "" ? rendering.renderHash : sha256Label(body)}"` };
  if (isKnown(options.ifNoneMatch, tagged.ETag)) return { status: 304, body: undefined, headers: tagged };
  return { status: 200, body, contentType: htmlType, headers: tagged };
}

/** The service returns canonical origins. Anything else could inject another directive into the policy. */
const originPattern = /^https?:\/\/[a-z0-9._:[\]-]+$/;

/** A page without controls is read-only: it gets no script and no permissions. */
const contentPolicy = (origins: readonly string[], { hasControls, hasFile, styleSource }: PolicyNeeds): string =>
  [
    "default-src 'none'",
    `style-src 'self' '${styleHash}'${styleSource}`,
    "img-src 'self' data:",
    "base-uri 'none'",
    "form-action 'none'",
    `frame-ancestors ${origins.length === 0 ? "'none'" : origins.join(" ")}`,
    // Only the controls show a file.
    ...(hasControls && hasFile ? ["connect-src 'self'", "worker-src 'self'"] : []),
    hasControls ? `script-src 'self' '${pageScriptHash}'` : "sandbox allow-popups allow-popups-to-escape-sandbox",
  ].join("; ");

interface PolicyNeeds {
  readonly hasControls: boolean;
  readonly hasFile: boolean;
  /** Of a sheet of its own. */
  readonly styleSource: string;
}

/** What a page needs to offer accept and decline. */
interface PageControls {
  /** The URL of the embed script, relative to the page. */
  readonly scriptUrl: string;
  readonly integrity: string;
  /** The origins that may frame or open the page and thus learn of the decision. */
  readonly origins: readonly string[];
  /** What the script is given. */
  readonly json: unknown;
}

// Contrast is at least 7:1 in both schemes. Links are underlined, so that colour is never the only sign.
const style = `
:root { color-scheme: light dark; --text: #1a1a1a; --ground: #fff; --link: #003e9c; --line: #767676; }
@media (prefers-color-scheme: dark) { :root { --text: #f2f2f2; --ground: #161616; --link: #a8c7ff; --line: #9a9a9a; } }
body { margin: 0; background: var(--ground); color: var(--text); font: 1rem/1.6 var(--brand-font, system-ui, sans-serif); }
header, main, footer { max-width: 44rem; margin: 0 auto; padding: 1rem; overflow-wrap: break-word; }
a { color: var(--link); text-decoration: underline; }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
h1 { line-height: 1.25; }
table { border-collapse: collapse; }
td, th { border: 1px solid var(--line); padding: .3rem .6rem; text-align: start; }
img { max-width: 100%; height: auto; }
.draft { border: 2px dashed var(--line); padding: .5rem 1rem; font-weight: 600; }
.disclosure { border-inline-start: 3px solid var(--line); padding-inline-start: 1rem; }
.changes { border: 1px solid var(--line); padding: 0 1rem; }
.changes ins { text-decoration: underline; }
.changes [class*="assent-as-li"] { display: list-item; margin-inline-start: 1.2rem; }
.changes .assent-as-li2 { margin-inline-start: 2.4rem; }
.changes .assent-as-li3 { margin-inline-start: 3.6rem; }
.changes .assent-as-li4 { margin-inline-start: 4.8rem; }
.notice { border-top: 1px solid var(--line); margin-top: 2rem; padding-top: 1rem; }
main:has(assent-embed) .reading { display: none; }
${frameStyle}`;

/** For the page's policy, which allows this stylesheet alone. */
const styleHash = `sha256-${createHash("sha256").update(style).digest("base64")}`;

/**
 * A page that shows the text without needing a script. With controls, the embed script replaces the text as
 * soon as it runs and offers the decision.
 */
function renderPage(rendering: Rendering, frame: PageFrame, controls: PageControls | undefined): string {
  const { locale, title, html, isDraft, noticeText } = rendering;
  return `<!doctype html>
<html lang="${escaped(locale)}" dir="${directionOf(locale)}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${escaped(title)}</title>
${frame.icon}
<style>${style}</style>${frame.style}
</head>
<body>
<header>
${frame.head}
${beginsWithTitle(rendering) ? "" : `<h1>${escaped(title)}</h1>`}
${isDraft ? '<p class="draft" lang="en" dir="ltr">Draft – not published</p>' : ""}
</header>
<main>
<div class="reading">
${beforeText(rendering)}<article>${html}</article>
<p class="notice">${escaped(noticeText)}</p>
</div>
<div data-assent-controls></div>
</main>
${frame.foot}
${controls === undefined ? "" : scriptsHtml(controls)}
</body>
</html>
`;
}

/** Whether the text says its title itself, as its first heading: nobody has to read it twice. */
const beginsWithTitle = ({ title, html }: Rendering): boolean =>
  /^\s*<h1>([^<]*)<\/h1>/.exec(html)?.[1]?.replaceAll("&quot;", '"').trim() ===
  escaped(title).replaceAll("&quot;", '"').trim();

/** What a person is told before the text. */
const beforeText = (rendering: Rendering): string => `${disclosureOf(rendering)}${changesOf(rendering)}`;

function disclosureOf({ disclosure }: Rendering): string {
  if (disclosure === undefined) return "";
  const { locale, title, text } = disclosure;
  const paragraphs = text.split("\n").flatMap((line) => (line.trim() === "" ? [] : [`<p>${escaped(line)}</p>`]));
  const language = `lang="${escaped(locale)}" dir="${directionOf(locale)}"`;
  return `<section class="disclosure" ${language}><h2>${escaped(title)}</h2>${paragraphs.join("")}</section>\n`;
}

/** What has changed since the person accepted an earlier text; made by the service like the text itself. */
const changesOf = ({ changes }: Rendering): string =>
  typeof changes?.html === "string" ? `<section class="changes">${changes.html}</section>\n` : "";

/** A data block is never executed, so the page's policy need not allow it. */
const scriptsHtml = ({ scriptUrl, integrity, origins, json }: PageControls): string =>
  `<script type="application/json" data-assent-rendering>${dataBlock({ rendering: json, origins })}</script>
<script src="${escaped(scriptUrl)}" integrity="${escaped(integrity)}" crossorigin="anonymous"></script>
<script>${pageScript}</script>`;

const dataBlock = (value: unknown): string => JSON.stringify(value).replaceAll("<", "\\u003c");

const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

const escaped = (text: string): string => text.replaceAll(/[&<>"]/g, (character) => entities[character] ?? "");

/**
 * Runs in a page that a session's token has opened. It mounts the embed script's controls instead of the static text and
 * hands a decision to the window that framed or opened the page, if that is one of the allowed origins; that window
 * records it and answers with the same idempotencyKey. A page without such a window, or without any origin, is only for
 * reading and says so. No answer is an error that the person sees.
 */
const pageScript = `"use strict";
(() => {
  const data = document.querySelector("[data-assent-rendering]").textContent;
  const { rendering, origins } = JSON.parse(data);
  const listener = window.opener ?? (window.parent === window ? null : window.parent);
  const handOver = (type) => (acceptance, { idempotencyKey }) =>
    new Promise((resolve, reject) => {
      const settle = (finish, value) => {
        removeEventListener("message", onAnswer);
        clearTimeout(timer);
        finish(value);
      };
      const onAnswer = ({ source, origin, data }) => {
        if (source !== listener || !origins.includes(origin) || data?.idempotencyKey !== idempotencyKey) return;
        if (data.type === "assent:recorded") settle(resolve, data.answer ?? {});
        if (data.type === "assent:refused") settle(reject, data.error ?? {});
      };
      addEventListener("message", onAnswer);
      const timer = setTimeout(() => settle(reject, {}), 30000);
      for (const origin of origins) listener.postMessage({ type, acceptance, idempotencyKey }, origin);
    });
  globalThis.Assent?.mount(document.querySelector("[data-assent-controls]"), {
    rendering,
    pdfUrl: location.pathname + "/pdf" + location.search,
    display: "FULL_PAGE",
    showTitle: false,
    colorScheme: "auto",
    readOnly: listener === null || origins.length === 0,
    onAccept: handOver("assent:accept"),
    onDecline: handOver("assent:decline"),
  });
})();
`;

/** For the page's policy, which allows this script and those of our own origin. */
const pageScriptHash = `sha256-${createHash("sha256").update(pageScript).digest("base64")}`;

/** The forms of a rendering. */
export type RenderFormat = "json" | "html" | "fragment";

/** As ?format= says; else HTML for whoever prefers it to JSON, as browsers do, and JSON for everybody else. */
const chooseFormat = (asked: RenderFormat | undefined, accept: string | undefined): RenderFormat =>
  asked ?? (prefers(accept, "text/html", "application/json") ? "html" : "json");
