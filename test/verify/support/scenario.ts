import { sha256Label } from "#platform/canonical-json.ts";
import { blockChanges, foldChanges } from "#platform/text-changes/block-changes.ts";
import { changesHtml } from "#platform/text-changes/changes-html.ts";
import { blocksOf } from "#platform/text-changes/text-blocks.ts";

/** What a bundle is to tell of. */
export interface Scenario {
  readonly type: "STATIC" | "GENERATED" | "CONSENT";
  /** DIRECT is an acceptance without a session. */
  readonly origin: "API" | "DIRECT";
  readonly decision: "ACCEPT" | "DECLINE";
  readonly acceptances: number;
  /** The person had accepted an earlier text and was shown what has changed. */
  readonly changes?: "SHOWN" | "TOO_LONG";
  /** What the earlier text was made from, where that is not the HTML itself. */
  readonly formerSource?: string;
  /** The deployment names a picture of itself, which the bundle holds, or which was gone before it was shown. */
  readonly screenshot?: "HELD" | "GONE";
  /** The text is a file, which the bundle holds. */
  readonly pdf?: true;
  /** The flag for a disclosure was in force and nobody looked; in a record with so many digests. */
  readonly undisclosed?: 16 | 17;
  readonly isCompleted: boolean;
  readonly visibility: "all" | "none" | "erased" | "restricted";
  readonly log: "INTEGRATED" | "PENDING";
  readonly anchor: "ANCHORED" | "PENDING";
  /** Of the logs, when the checkpoints were signed, and when the records were made. */
  readonly epochs: { readonly checkpoint: string; readonly records: string };
  /** Gives the time-stamp token over the anchor's checkpoint. */
  readonly stamp?: (checkpoint: string) => Buffer;
  /** When the session was created. */
  readonly start: number;
  /** When the bundle was made. */
  readonly generatedAt: number;
}

const minuteMs = 60_000;

/** A session with one acceptance that was completed, a while ago. */
export const scenario = (changes: Partial<Scenario> = {}): Scenario => ({
  type: "STATIC",
  origin: "API",
  decision: "ACCEPT",
  acceptances: 1,
  isCompleted: changes.origin !== "DIRECT",
  visibility: "all",
  log: "INTEGRATED",
  anchor: "ANCHORED",
  epochs: { checkpoint: "", records: "" },
  start: Date.now() - 20 * minuteMs,
  generatedAt: Date.now(),
  ...changes,
});

export const iso = (ms: number): string => new Date(ms).toISOString();

export const ids = {
  session: "0199aa00-0000-7000-8000-000000000001",
  receipts: ["0199aa00-0000-7000-8000-000000000011", "0199aa00-0000-7000-8000-000000000012"],
  template: "0199aa00-0000-7000-8000-000000000002",
  version: "0199aa00-0000-7000-8000-000000000003",
  deployment: "0199aa00-0000-7000-8000-000000000004",
  bundle: "0199aa00-0000-7000-8000-000000000005",
  render: "0199aa00-0000-7000-8000-000000000006",
} as const;

/** The text of each type, as it is written and as it was shown. */
const texts = {
  STATIC: { content: "<h1>Terms – ¶1</h1><p>Be kind.</p>", rendered: "<h1>Terms – ¶1</h1><p>Be kind.</p>" },
  GENERATED: { content: "<p>{{name}} pays {{fee}}.</p>", rendered: "<p>Ada Lovelace pays €10.</p>" },
  CONSENT: { content: "<h1>Your choices</h1>", rendered: "<h1>Your choices</h1>" },
} as const;

export const textOf = (of: Pick<Scenario, "type" | "pdf">) => (of.pdf ? pdfText : texts[of.type]);

export const pdf = Buffer.from("%PDF-1.7 as far as a verifier is concerned", "latin1");
const pdfPages = [
  { height: 792, text: ["Terms – ¶1", "Be <kind> & \u00a0polite."], width: 612 },
  { height: 792.5, text: [], width: 612 },
];
const pdfText = {
  content: JSON.stringify({ hash: sha256Label(pdf), kind: "assent.pdf-text", pages: pdfPages, size: pdf.length, v: 1 }),
  rendered:
    "<section>\n<p>Terms – ¶1</p>\n<p>Be &lt;kind&gt; &amp; &nbsp;polite.</p>\n</section>\n<section>\n</section>\n",
};

export const mergeData = { name: "Ada Lovelace", fee: "€10" };

const words = {
  title: "Terms",
  noticeText: 'By clicking "I agree" I agree to the Terms.',
  buttonText: "I agree",
  declineText: "I decline",
  checkboxText: "I have read and agree to the Terms.",
};

const formerText = "<h1>Terms – ¶1</h1><p>Be polite.</p><ul><li>Do not shout</li></ul>";

/** The words of a rendering, and what a bundle holds of the changes that they tell of. */
export function wordsOf(scenario: Scenario): {
  readonly words: object;
  readonly changes: object | null;
} {
  const { changes, formerSource = formerText } = scenario;
  const shownPdf = { pdf: { hash: sha256Label(pdf), size: pdf.length, pages: [{ width: 612, height: 792 }] } };
  if (changes === undefined) return { words: { ...words, ...(scenario.pdf ? shownPdf : {}) }, changes: null };
  const { content, rendered } = textOf(scenario);
  const difference = foldChanges(blockChanges(blocksOf(formerText, "html"), blocksOf(content, "html")));
  const told = { label: "1.0", changeSummary: "Kinder.", locale: "en-GB" };
  const shown = changesHtml({ ...told, difference: changes === "SHOWN" ? difference : undefined });
  const from = { versionId: ids.version, revision: 1, label: "1.0", contentHash: label(formerSource) };
  const named = {
    from: { ...from, htmlHash: label(formerText) },
    to: { htmlHash: label(content) },
    changeSummary: told.changeSummary,
    shownHash: label(shown),
  };
  return {
    words: { ...words, changes: named },
    changes: { from: formerText, to: content === rendered ? null : content, shown },
  };
}

export const label = (text: string | Buffer): string => sha256Label(text);

export const picture = Buffer.from("\u0089PNG as far as a verifier is concerned", "latin1");

export const deploymentOf = ({ screenshot }: Scenario) => ({
  deploymentId: ids.deployment,
  key: "dep_0123456789abcdefABCDEF",
  displayMode: "INLINE",
  allowedOrigins: ["https://shop.example"],
  effectivePolicy: {},
  ...(screenshot === undefined ? {} : { screenshotId: "shot_0123456789abcdefABCDEF", screenshotHash: label(picture) }),
});

export const purposes = [
  { key: "account", name: "Account", required: true },
  { key: "newsletter", name: "Newsletter", required: false },
];

export const decided = [
  { purpose: "account", granted: true },
  { purpose: "newsletter", granted: false },
];

export const person = {
  userRef: "user-7311",
  claimed: {
    ip: "198.51.100.7",
    userAgent: "Mozilla/5.0 (Test)",
    pageUrl: "https://shop.example/checkout?step=2",
    pageTitle: "Checkout",
    referrer: "https://shop.example",
    acceptLanguage: "en-GB",
    timezone: "Europe/Vienna",
    gpc: false,
  },
  verification: [{ method: "CUSTOMER_SESSION", verifiedAt: "2026-11-20T16:59:00.000Z", reference: "sso-1" }],
  typedName: "Ada Lovelace",
  metadata: { order: "4711" },
};

/** The person's side when the session was created. */
export const sessionContext = { ip: "198.51.100.7", userAgent: "Mozilla/5.0 (Test)" };

export const observed = {
  ip: "203.0.113.9",
  userAgent: "shop-backend/1.0",
  clientId: "cl_shop",
  requestId: "request-1",
};

export const presentation = {
  surface: "WEB",
  wrapType: "CLICKWRAP",
  displayMode: "INLINE",
  noticeText: words.noticeText,
  buttonText: words.buttonText,
  checkboxInitiallyChecked: false,
  scrolledToEnd: true,
  displayedMs: 21_000,
  viewport: { w: 360, h: 640 },
  screenshotHash: label("screenshot"),
  events: [
    { type: "CHECKED", at: "2026-11-20T17:00:20.000Z" },
    { type: "BUTTON_PRESSED", at: "2026-11-20T17:00:29.000Z", target: "primary" },
  ],
};
