import { createHash } from "node:crypto";
import { escapeHtml } from "#platform/escape-html.ts";
import { acceptedLanguages, directionOf, languageFor } from "#platform/language.ts";
import { visibleText } from "#platform/visible-text.ts";
import type { Reply } from "../http/reply.ts";
import { frameStyle, type PageLook, pageFrame } from "../render/brand-looks.ts";
import { endedWords, type LinkEnd } from "./ended-words.ts";

const outcomes: readonly LinkEnd[] = ["declined", "declined-by-you", "voided", "expired", "completed", "closed"];

/** What the service tells of the end of an agreement to whoever has a link to it. */
export const linkEndOf = (outcome = ""): LinkEnd => outcomes.find((one) => one === outcome) ?? "unknown";

interface EndedPage {
  readonly acceptLanguage?: string | undefined;
  readonly subject?: string;
  /** For those who ask for help. */
  readonly requestId?: string;
  /** Of the organization whose link it was. */
  readonly look?: PageLook | undefined;
  /** Where abuse is reported; empty for no link. */
  readonly reportUrl?: string;
}

/** A page in the language of the browser, which names the agreement if the link was one to it. */
export function endedPage(
  end: LinkEnd,
  { acceptLanguage, subject = "", requestId = "", look, reportUrl = "" }: EndedPage,
): Reply {
  const spoken = Object.keys(endedWords) as (keyof typeof endedWords)[];
  const language = languageFor(acceptedLanguages(acceptLanguage), spoken) ?? "en";
  const words = endedWords[language];
  const frame = pageFrame(look, { locale: language, reportUrl });
  const [heading, text] = words[end];
  const about = subject === "" ? "" : `<p class="subject" dir="auto">${escapeHtml(visibleText(subject))}</p>\n`;
  const [again, reference] = words.more;
  const isTransient = end === "busy" || end === "failed" || end === "correcting";
  // An empty address is that of the page itself.
  const more = isTransient ? `\n<p><a class="button" href="">${again}</a></p>` : "";
  const id =
    isTransient && end !== "correcting" && requestId !== ""
      ? `\n<p class="small">${reference.replace("{id}", escapeHtml(requestId))}</p>`
      : "";
  return {
    status: 200,
    body: `<!doctype html>
<html lang="${language}" dir="${directionOf(language)}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="robots" content="noindex"><meta name="color-scheme" content="light dark"><title>${heading}</title>${frame.icon}<style>${style}</style>${frame.style}</head>
<body>
<main>
${frame.head}
<h1>${heading}</h1>
${about}<p>${text}</p>${more}${id}
</main>
${frame.foot}
</body>
</html>
`,
    contentType: "text/html; charset=utf-8",
    headers: {
      "Referrer-Policy": "no-referrer",
      "Content-Security-Policy": `default-src 'none'; style-src '${styleHash}'${frame.styleSource}; img-src 'self' data:; base-uri 'none'; form-action 'none'`,
    },
  };
}

/** The look of the signing page, and its names for colours: a brand sets the same ones here. */
const style =
  ":root{color-scheme:light;--ink:#1b1f29;--quiet:#4c5464;--accent:var(--brand,#1d4ed8);--on-accent:var(--on-brand,#fff);--line:#c3c9d6;--ground:#eef0f5;--surface:#fff;font-family:var(--brand-font,system-ui,'Segoe UI',Roboto,'Noto Sans','Hiragino Sans',sans-serif);line-height:1.5;color:var(--ink);background:var(--ground)}" +
  "@media(prefers-color-scheme:dark){:root{color-scheme:dark;--ink:#e8eaf0;--quiet:#aab2c2;--accent:var(--brand-dark,#9dbdff);--on-accent:var(--on-brand-dark,#0b1a3d);--line:#3a4150;--ground:#101319;--surface:#1a1e27}}" +
  "@media(prefers-contrast:more){:root{--quiet:var(--ink);--line:var(--ink)}}" +
  "*{box-sizing:border-box}body{margin:0}main{width:min(40rem,100% - 1rem);margin:2rem auto;padding:1.5rem;background:var(--surface);border:1px solid var(--line);border-radius:.75rem;overflow-wrap:anywhere}" +
  "h1{font-size:1.35rem;margin:0 0 .25rem}.subject{font-weight:600;margin:0 0 .5rem}.small{font-size:.875rem;color:var(--quiet)}" +
  ".button{display:inline-block;padding:.6rem 1rem;min-height:44px;border-radius:.5rem;background:var(--accent);color:var(--on-accent);font-weight:600;text-decoration:none}:focus-visible{outline:3px solid var(--accent);outline-offset:2px}@media(forced-colors:active){.button{border:2px solid LinkText}}" +
  `footer{width:min(40rem,100% - 1rem);margin:0 auto 2rem;padding:0 1.5rem;color:var(--quiet)}footer a{color:inherit}.brand-head{margin-bottom:1rem}${frameStyle}`;

const styleHash = `sha256-${createHash("sha256").update(style).digest("base64")}`;
