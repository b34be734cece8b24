import { createHash } from "node:crypto";
import type { Client } from "@connectrpc/connect";
import { LRUCache } from "lru-cache";
import { brandLookOf } from "#api/brands.ts";
import type { Brand } from "#gen/assent/sign/v1/brands_pb.ts";
import type { SignService } from "#gen/assent/sign/v1/sign_pb.ts";
import type { TemplatesService } from "#gen/assent/templates/v1/templates_pb.ts";
import { type Caller, callerHeaders } from "#platform/caller.ts";
import { fromConnectError } from "#platform/errors.ts";
import { escapeHtml } from "#platform/escape-html.ts";
import { languageFor } from "#platform/language.ts";
import type { Logger } from "#platform/logger.ts";
import { visibleText } from "#platform/visible-text.ts";
import { endedWords } from "../signing/ended-words.ts";

/** How the pages of an organization look, and who it is whatever they look like. */
export interface PageLook {
  readonly organizationId: string;
  /** Empty when it is not known. */
  readonly organizationName: string;
  /** Undefined for the look of the product. */
  readonly brand: Brand | undefined;
}

export interface BrandLooks {
  /**
   * The look of what has chosen this brand, or else of what its template has; at most some seconds old. Never rejects:
   * while the services that know it are away, pages have the look of the product.
   */
  of(caller: Caller, chosen: Chosen): Promise<PageLook>;
}

interface Chosen {
  /** Empty for none. */
  readonly brandId: string;
  /** Of click-acceptance, whose texts have a brand of their own. */
  readonly templateId?: string;
}

const freshMs = 5_000;
const answerMs = 1_000;
const remembered = 10_000;

export function createBrandLooks(deps: {
  readonly sign: Pick<Client<typeof SignService>, "resolveBrand">;
  readonly templates: Pick<Client<typeof TemplatesService>, "getTemplate">;
  readonly logger: Logger;
}): BrandLooks {
  const looks = new LRUCache<string, Promise<PageLook>>({ max: remembered, ttl: freshMs });
  const load = async (caller: Caller, { brandId, templateId }: Chosen): Promise<PageLook> => {
    const organizationId = caller.orgId;
    const options = { headers: callerHeaders(caller), timeoutMs: answerMs };
    const ofTemplate = async (): Promise<string> => {
      if (templateId === undefined) return "";
      // A template that was deleted has none any more; its sessions still show their text.
      const { template } = await deps.templates.getTemplate({ templateId }, options).catch((error: unknown) => {
        if (fromConnectError(error)?.code === "CLICK_TEMPLATE_NOT_FOUND") return { template: undefined };
        throw error;
      });
      return template?.brandId ?? "";
    };
    try {
      const asked = { brandId: brandId || (await ofTemplate()) };
      const { brand, organizationName } = await deps.sign.resolveBrand(asked, options);
      return { organizationId, organizationName, brand };
    } catch (error) {
      deps.logger.warn({ err: error }, "a brand could not be read; pages have the look of the product");
      return { organizationId, organizationName: "", brand: undefined };
    }
  };
  return {
    of: (caller, { brandId, templateId }) => {
      const key = `${caller.orgId} ${brandId || `of ${templateId}`}`;
      const look = looks.get(key) ?? load(caller, { brandId, ...(templateId === undefined ? {} : { templateId }) });
      if (!looks.has(key)) looks.set(key, look);
      return look;
    },
  };
}

/** What a page of ours shows of a look, around what it says itself. */
export interface PageFrame {
  /** A sheet of its own, with the source that the page's policy has to allow; empty for none. */
  readonly style: string;
  readonly styleSource: string;
  readonly icon: string;
  readonly head: string;
  readonly foot: string;
}

/** A name, colours, texts and pictures; who asks and where abuse is reported stand there whatever the brand is. */
export function pageFrame(look: PageLook | undefined, { locale, reportUrl }: FrameOptions): PageFrame {
  const [, , report, asker] = endedWords[languageFor([locale], spoken) ?? "en"].more;
  const { organizationName = "", organizationId = "", brand } = look ?? {};
  const who =
    organizationName === ""
      ? ""
      : asker.replace("{name}", () => `<bdi>${escapeHtml(visibleText(organizationName))}</bdi>`);
  const link = reportUrl === "" ? "" : `<a href="${escapeHtml(reportUrl)}">${report}</a>`;
  const shown = brand && brandLookOf(brand, organizationId);
  const footer = shown?.footer
    ? `<p><bdi>${escapeHtml(visibleText(shown.footer)).replaceAll("\n", "<br>")}</bdi></p>`
    : "";
  const facts = [who, link].filter((part) => part !== "").join(" · ");
  const foot = `${footer}${facts === "" ? "" : `<p>${facts}</p>`}`;
  const css = brand === undefined ? "" : sheetOf(brand);
  return {
    style: css === "" ? "" : `<style>${css}</style>`,
    styleSource: css === "" ? "" : ` 'sha256-${createHash("sha256").update(css).digest("base64")}'`,
    icon: `<link rel="icon" href="${escapeHtml(shown?.faviconUrl ?? "data:,")}">`,
    head: shown === undefined ? "" : headOf(shown, organizationName),
    foot: foot === "" ? "" : `<footer class="brand-foot">${foot}</footer>`,
  };
}

interface FrameOptions {
  readonly locale: string;
  /** Empty for no link. */
  readonly reportUrl: string;
}

const spoken = Object.keys(endedWords) as (keyof typeof endedWords)[];

function headOf({ logoUrl, name, colors }: ReturnType<typeof brandLookOf>, organizationName: string): string {
  const alt = escapeHtml(visibleText(name ?? organizationName));
  if (logoUrl !== null) return `<div class="brand-head"><img src="${escapeHtml(logoUrl)}" alt="${alt}"></div>`;
  return name === null || colors.header === null ? "" : `<div class="brand-head"><span dir="auto">${alt}</span></div>`;
}

/** Pairs of colours can be read, which was checked; they are the same on dark screens. */
function sheetOf({ colors, font }: Brand): string {
  const named = [
    ["brand", colors?.button],
    ["on-brand", colors?.buttonText],
    ["brand-dark", colors?.button],
    ["on-brand-dark", colors?.buttonText],
    ["brand-header", colors?.header],
    ["on-brand-header", colors?.headerText],
  ].filter((pair): pair is [string, string] => /^#[0-9a-f]{6}$/.test(pair[1] ?? ""));
  const fonts = font === "serif" ? ['--brand-font:Georgia,"Noto Serif","Times New Roman",serif'] : [];
  const values = [...named.map(([name, value]) => `--${name}:${value}`), ...fonts];
  return values.length === 0 ? "" : `:root{${values.join(";")}}`;
}

/** What both of our pages say of the frame. */
export const frameStyle =
  ".brand-head{background:var(--brand-header,transparent);color:var(--on-brand-header,inherit);padding:.75rem 1rem;border-radius:.5rem;font-weight:600;overflow-wrap:anywhere}.brand-head img{display:block;max-width:min(100%,13.75rem);max-height:4rem}.brand-foot{font-size:.875rem}.brand-foot p{margin:.25rem 0}";
