import { createHash } from "node:crypto";
import type { RequestHandler } from "express";
import { escapeHtml } from "#platform/escape-html.ts";
import { pageFileReply } from "./built-page.ts";
import { exchangeOf } from "./http/exchange.ts";
import { sendReply } from "./http/reply.ts";
import { product } from "./openapi/info.ts";
import { type StaticFile, staticFile } from "./static-file.ts";

/** What is served at the root path, for people and for programs. */
export interface Home {
  readonly page: StaticFile;
  readonly pagePolicy: string;
  readonly facts: Readonly<Record<string, string>>;
}

/** Links to the other pages for people. */
const places = [
  { path: "/dashboard/", title: "Dashboard", about: "Texts, acceptances, agreements, documents, webhooks, users" },
  { path: "/docs", title: "API reference", about: "Every operation of this version, with examples" },
  { path: "/verify", title: "Check evidence", about: "In your browser; the file does not leave your machine" },
  {
    path: "/verify/document",
    title: "Check a sealed document",
    about: "Whether a PDF was sealed here, and is as it was",
  },
] as const;

export function createHome(): Home {
  return {
    page: staticFile(homePage(product)),
    pagePolicy: [
      "default-src 'none'",
      `style-src 'sha256-${createHash("sha256").update(style).digest("base64")}'`,
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ].join("; "),
    facts: {
      ...{ name: "Assent", version: product.version, description: product.description },
      ...{ dashboard: "/dashboard/", reference: "/docs", openapi: "/openapi.json", verify: "/verify" },
    },
  };
}

const icon = staticFile(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#14532d"/><path d="M8 17l5.5 6L24 9" fill="none" stroke="#fff" stroke-width="4" stroke-linecap="round" stroke-linejoin="round"/></svg>',
);

/** Browsers request this by themselves for a page that names no icon. */
export const serveIcon: RequestHandler = ({ path, method }, res, next) => {
  if (path !== "/favicon.ico" || (method !== "GET" && method !== "HEAD")) {
    next();
    return;
  }
  const exchange = exchangeOf(res);
  exchange.route = path;
  const file = { ...icon, contentType: "image/svg+xml", isLasting: false };
  sendReply(res, exchange, pageFileReply(file, "default-src 'none'"));
};

const style = `:root{color-scheme:light dark}
body{margin:0 auto;padding:clamp(1rem,5vw,4rem);max-width:44rem;font:1rem/1.5 system-ui,sans-serif;color:CanvasText;background:Canvas}
h1{margin:0;font-size:2rem;line-height:1.2}
h1 small{font-size:1rem;font-weight:400;opacity:.75;white-space:nowrap}
ul{list-style:none;margin:2rem 0;padding:0;border-top:1px solid color-mix(in srgb,CanvasText 20%,transparent)}
li{padding:.75rem 0;border-bottom:1px solid color-mix(in srgb,CanvasText 20%,transparent)}
a{display:inline-block;min-height:1.5rem;font-weight:600}
li span{display:block;opacity:.8}
code{font-size:.95em;overflow-wrap:anywhere}`;

const homePage = ({ version, description }: { version: string; description: string }): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Assent</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>Assent <small>${escapeHtml(version)}</small></h1>
<p>${escapeHtml(description)}</p>
<ul>
${places.map(({ path, title, about }) => `<li><a href="${path}">${title}</a><span>${about}</span></li>`).join("\n")}
</ul>
<p>For programs: <a href="/openapi.json">/openapi.json</a>. How everything works stands in <code>docs/</code> of version ${escapeHtml(version)}, which came with it: begin with <code>README.md</code>.</p>
</main>
</body>
</html>
`;
