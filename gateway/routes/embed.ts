import { DomainError } from "#platform/errors.ts";
import type { EmbedScript } from "../embed-script.ts";
import { clickDialect } from "../http/error-dialect.ts";
import type { Reply } from "../http/reply.ts";
import { deploymentKeyParam, scriptHashParam } from "./render.ts";
import { defineRoute, type Route } from "./route.ts";
import type { Services } from "./services.ts";

/** A script element sends no credential, and the script is the same for everybody: nothing is counted or told. */
const base = {
  method: "GET",
  tag: "Render",
  access: "public",
  dialect: clickDialect,
  crossOrigin: true,
  errors: ["CLICK_RENDER_NOT_FOUND"],
} as const;
const contentType = "text/javascript; charset=utf-8";
const changing = "public, max-age=300";
const lasting = "public, max-age=31536000, immutable";

const lastingSuccess = { status: 200, description: "The script, which never changes.", contentType } as const;

export const embedRoutes: readonly Route[] = [
  defineRoute({
    ...base,
    operationId: "getEmbedScript",
    path: "/v1/click/render/{deploymentKey}/embed.js",
    summary: "Load the script that shows a text in your page",
    description: "Content-Location is the URL of exactly this script, for pinning it by its integrity.",
    texts: { deploymentKey: deploymentKeyParam },
    success: {
      status: 200,
      description: "The newest script.",
      contentType,
      headers: { "Content-Location": "The address of exactly this script." },
    },
    call: async (_request, services) => requireScript(services),
    respond: (script) => scriptReply(script, changing, { "Content-Location": `embed.${script.hash}.js` }),
  }),
  defineRoute({
    ...base,
    operationId: "getPinnedEmbedScript",
    path: "/v1/click/render/{deploymentKey}/embed.{hash}.js",
    summary: "Load one release of the script",
    description: "For pages that pin the script by its integrity: the URL contains the hash of the content.",
    texts: { deploymentKey: deploymentKeyParam, hash: scriptHashParam },
    success: lastingSuccess,
    call: async ({ params }, services) => requireRelease(params.hash, services),
    respond: (script) => scriptReply(script, lasting),
  }),
  defineRoute({
    ...base,
    operationId: "getPageScript",
    path: "/v1/click/render/embed.{hash}.js",
    summary: "Load one release of the script for hosted pages",
    description: "Used by the rendered page of a session.",
    texts: { hash: scriptHashParam },
    success: lastingSuccess,
    call: async ({ params }, services) => requireRelease(params.hash, services),
    respond: (script) => scriptReply(script, lasting),
  }),
];

function requireScript({ embedScript }: Services): EmbedScript {
  if (embedScript === undefined) throw new DomainError("CLICK_RENDER_NOT_FOUND");
  return embedScript;
}

function requireRelease(hash: string, services: Services): EmbedScript {
  const script = requireScript(services);
  if (script.hash !== hash) throw new DomainError("CLICK_RENDER_NOT_FOUND");
  return script;
}

const scriptReply = (
  { source, hash }: EmbedScript,
  cacheControl: string,
  headers: Readonly<Record<string, string>> = {},
): Reply => ({
  status: 200,
  body: source,
  isShared: true,
  contentType,
  headers: { ETag: `"${hash}"`, "Cache-Control": cacheControl, ...headers },
});
