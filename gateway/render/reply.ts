import type { Rendering } from "#gen/assent/click/v1/click_pb.ts";
import { renderingView } from "../../views/rendering.ts";
import type { EmbedScript } from "../embed-script.ts";
import { jsonReply, type Reply } from "../http/reply.ts";
import { chooseFormat, type RenderFormat } from "./negotiate.ts";
import { renderPage, styleHash } from "./page.ts";
import { pageScriptHash } from "./page-script.ts";

export interface RenderReplyOptions {
  readonly format: RenderFormat | undefined;
  readonly accept: string | undefined;
  readonly ifNoneMatch: string | undefined;
  /** Adds the controls to a page; undefined for pages that are only read. */
  readonly script: EmbedScript | undefined;
}

const htmlType = "text/html; charset=utf-8";

/** A rendering in the form that was asked for. */
export function renderReply(rendering: Rendering, options: RenderReplyOptions): Reply {
  const { script } = options;
  const origins = rendering.allowedOrigins.filter((origin) => originPattern.test(origin));
  const format = chooseFormat(options.format, options.accept);
  const headers = {
    Vary: "Accept, Origin",
    "Content-Security-Policy": contentPolicy(origins, script !== undefined),
    "Content-Language": rendering.locale,
    "Referrer-Policy": "no-referrer",
    "X-Click-Content-Hash": rendering.contentHash,
  };
  if (format === "json") return jsonReply(200, renderingView(rendering), headers);
  if (format === "html") {
    // From the address of a session's page, wherever this API is mounted.
    const controls = script && { scriptUrl: `../embed.${script.hash}.js`, integrity: script.integrity, origins };
    return { status: 200, body: renderPage(rendering, controls), contentType: htmlType, headers };
  }
  // The hash is that of the fragment alone; the other forms carry a token that is new each time.
  const tagged = { ...headers, ETag: `"${rendering.renderHash}"` };
  if (options.ifNoneMatch === tagged.ETag) return { status: 304, body: undefined, headers: tagged };
  return { status: 200, body: rendering.html, contentType: htmlType, headers: tagged };
}

/** What the service answers is canonical; anything else could be another directive of ours. */
const originPattern = /^https?:\/\/[a-z0-9._:[\]-]+$/;

/** A page without controls is for reading only: it gets no script and no rights. */
const contentPolicy = (origins: readonly string[], hasControls: boolean): string =>
  [
    "default-src 'none'",
    `style-src 'self' '${styleHash}'`,
    "img-src 'self' data:",
    "base-uri 'none'",
    "form-action 'none'",
    `frame-ancestors ${origins.length === 0 ? "'none'" : origins.join(" ")}`,
    hasControls ? `script-src 'self' '${pageScriptHash}'` : "sandbox allow-popups allow-popups-to-escape-sandbox",
  ].join("; ");
