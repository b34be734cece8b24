import { sha256Label } from "#platform/canonical-json.ts";

/** What a bundle is to tell of. */
export interface Scenario {
  readonly type: "STATIC" | "GENERATED" | "CONSENT";
  /** DIRECT is an acceptance without a session. */
  readonly origin: "API" | "DIRECT";
  readonly decision: "ACCEPT" | "DECLINE";
  readonly acceptances: number;
  readonly isCompleted: boolean;
  readonly visibility: "all" | "none" | "erased" | "restricted";
  readonly log: "INTEGRATED" | "PENDING";
  readonly anchor: "ANCHORED" | "PENDING";
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
export const texts = {
  STATIC: { content: "<h1>Terms – ¶1</h1><p>Be kind.</p>", rendered: "<h1>Terms – ¶1</h1><p>Be kind.</p>" },
  GENERATED: { content: "<p>{{name}} pays {{fee}}.</p>", rendered: "<p>Ada Lovelace pays €10.</p>" },
  CONSENT: { content: "<h1>Your choices</h1>", rendered: "<h1>Your choices</h1>" },
} as const;

export const mergeData = { name: "Ada Lovelace", fee: "€10" };

export const words = {
  title: "Terms",
  noticeText: 'By clicking "I agree" I agree to the Terms.',
  buttonText: "I agree",
  declineText: "I decline",
  checkboxText: "I have read and agree to the Terms.",
};

export const deployment = {
  deploymentId: ids.deployment,
  key: "dep_0123456789abcdefABCDEF",
  displayMode: "INLINE",
  allowedOrigins: ["https://shop.example"],
  effectivePolicy: {},
};

export const label = (text: string): string => sha256Label(text);

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
