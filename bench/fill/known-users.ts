import type { BenchSystem } from "../system.ts";

/** Users whose records the product wrote itself, so that they can be read. */
export interface KnownUsers {
  /** One receipt of a text for everybody, one of a CONSENT template. */
  readonly receiptId: string;
  readonly consentReceiptId: string;
  readonly consentPaths: readonly string[];
  readonly evidencePaths: readonly string[];
}

const atOnce = 16;

/** Records an acceptance and a consent of each user over the API. */
export async function recordKnownUsers(system: BenchSystem, users: number): Promise<KnownUsers> {
  const templateId = await publishConsentTemplate(system);
  const left = Array.from({ length: users }, (_, n) => `known-${n}`);
  const receipts: { receiptId: string; consentReceiptId: string; evidenceUrl: string; userRef: string }[] = [];
  const record = async (): Promise<void> => {
    for (let userRef = left.pop(); userRef !== undefined; userRef = left.pop()) {
      const text = await accept(system, userRef, { templateSlug: "terms-of-service", userRef, ...presentation });
      const consent = await accept(system, `${userRef}-consent`, { templateId, userRef, purposes });
      const { receiptId, evidenceUrl } = text;
      receipts.push({ receiptId, consentReceiptId: consent.receiptId, evidenceUrl, userRef });
    }
  };
  await Promise.all(Array.from({ length: atOnce }, record));
  const [first] = receipts;
  if (first === undefined) throw new Error("there are no known users");
  return {
    receiptId: first.receiptId,
    consentReceiptId: first.consentReceiptId,
    consentPaths: receipts.map(({ userRef }) => `/v1/click/consent/${userRef}`),
    evidencePaths: receipts.map(({ evidenceUrl }) => evidenceUrl),
  };
}

const presentation = {
  presentation: {
    surface: "WEB",
    wrapType: "CLICKWRAP",
    buttonText: "I agree",
    scrolledToEnd: true,
    displayedMs: 5210,
  },
  context: {
    ip: "203.0.113.7",
    userAgent: "Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0",
    pageUrl: "https://shop.example/checkout",
  },
  metadata: { order: "order-1234567" },
};

const purposes = [
  { purpose: "analytics", granted: true },
  { purpose: "marketing", granted: false },
];

const consentTemplate = {
  name: "Privacy choices",
  type: "CONSENT",
  typeConfig: {
    controller: { name: "Example Ltd.", address: "1 Main Street", email: "privacy@example.com" },
    jurisdiction: "EU",
    privacyNoticeUrl: "https://www.example.com/privacy",
    withdrawalMethod: "Write to privacy@example.com.",
    purposes: [
      { key: "analytics", name: "Analytics", description: "We count visits.", required: true },
      { key: "marketing", name: "Marketing", description: "We send news." },
    ],
  },
};

const consentText =
  "<p>Example Ltd. asks for your consent. You can withdraw it at any time by writing to privacy@example.com.</p>";

async function publishConsentTemplate(system: BenchSystem): Promise<string> {
  const { id } = await post(system, "/v1/click/templates", consentTemplate);
  const versions = `/v1/click/templates/${id}/versions`;
  const version = await post(system, versions, { locale: "en", title: "Privacy choices", content: consentText });
  await post(system, `${versions}/${version.id}/publish`, {});
  return id ?? "";
}

const accept = async (system: BenchSystem, key: string, body: object) =>
  (await post(system, "/v1/click/accept", body, { "x-idempotency-key": key })) as {
    receiptId: string;
    evidenceUrl: string;
  };

async function post(
  { demo }: BenchSystem,
  path: string,
  body: object,
  headers: Record<string, string> = {},
): Promise<Record<string, string>> {
  const response = await fetch(demo.baseUrl + path, {
    method: "POST",
    headers: { authorization: `Bearer ${demo.apiKey}`, "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
  return (await response.json()) as Record<string, string>;
}
