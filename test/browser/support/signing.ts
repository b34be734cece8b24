import { PDFDocument, StandardFonts } from "pdf-lib";
import type { BrowserContextOptions, Page } from "playwright-core";
import type { Api } from "../../support/api.ts";
import type { Pages } from "./browser.ts";

/** Where the browser is led in the end; no server answers there. */
export const returnUrl = "https://integration.example/done?order=7";

export const phone: BrowserContextOptions = {
  viewport: { width: 390, height: 844 },
  hasTouch: true,
  isMobile: true,
  deviceScaleFactor: 2,
};

/** Two pages with something to sign on. */
export async function contractPdf(): Promise<string> {
  const pdf = await PDFDocument.create();
  const font = await pdf.embedFont(StandardFonts.Helvetica);
  const first = pdf.addPage([595, 842]);
  first.drawText("Master Services Agreement", { x: 60, y: 770, size: 20, font });
  const words = "The parties agree to the terms of this agreement and of its schedules, as far as they apply. ".repeat(
    3,
  );
  first.drawText(words, { x: 60, y: 740, size: 10, font, maxWidth: 470, lineHeight: 14 });
  const names = ["Name", "First", "Last", "E-mail", "Company", "Title", "Address", "Amount", "Start", "Terms", "Plan"];
  for (const [row, name] of names.entries()) first.drawText(name, { x: 60, y: 660 - row * 40, size: 10, font });
  first.drawText("Colour: red            blue", { x: 60, y: 195, size: 10, font });
  const second = pdf.addPage([595, 842]);
  second.drawText("Schedule 1: signatures", { x: 60, y: 770, size: 16, font });
  second.drawText("Customer: /sig1/", { x: 60, y: 600, size: 10, font });
  second.drawText("Supplier: /sig2/", { x: 320, y: 600, size: 10, font });
  return Buffer.from(await pdf.save()).toString("base64");
}

const at = (y: number, more: object = {}) => ({ documentId: "1", page: 1, x: 140, y, width: 180, height: 18, ...more });

/** One field of each type that a signer fills, and of those that fill themselves. */
const everyTab: readonly object[] = [
  { type: "fullName", ...at(170) },
  { type: "firstName", ...at(210) },
  { type: "lastName", ...at(250) },
  { type: "email", ...at(290) },
  { type: "company", ...at(330), required: true },
  { type: "title", ...at(370) },
  { type: "text", label: "address", tooltip: "Address", ...at(402, { height: 34 }), required: true },
  {
    type: "number",
    label: "amount",
    tooltip: "Amount",
    ...at(450),
    required: true,
    validationMessage: "A number, please.",
  },
  { type: "date", label: "start", tooltip: "Start", ...at(490), required: true },
  { type: "checkbox", label: "terms", tooltip: "Terms", ...at(532, { width: 14, height: 14 }), required: true },
  {
    type: "text",
    label: "because",
    tooltip: "Because",
    ...at(530, { x: 200 }),
    condition: { label: "terms", value: "on" },
    required: true,
  },
  {
    type: "list",
    label: "plan",
    tooltip: "Plan",
    ...at(570),
    items: [
      { text: "Small", value: "s" },
      { text: "Large", value: "l" },
    ],
    required: true,
  },
  {
    type: "radioGroup",
    label: "colour",
    tooltip: "Colour",
    documentId: "1",
    buttons: [
      { value: "red", page: 1, x: 120, y: 638 },
      { value: "blue", page: 1, x: 190, y: 638 },
    ],
    required: true,
  },
  { type: "note", value: "Ask us anything before you sign.", ...at(690, { x: 60, width: 240, height: 30 }) },
  { type: "attachment", label: "passport", tooltip: "Passport", ...at(690, { x: 350, width: 140, height: 30 }) },
  { type: "agreementId", ...at(740, { x: 60, width: 240 }) },
  { type: "initials", documentId: "1", page: 1, x: 480, y: 760, width: 55, height: 35 },
  { type: "signature", anchor: { text: "/sig1/", yOffset: 45 }, width: 150, height: 40 },
  { type: "dateSigned", documentId: "1", page: 2, x: 60, y: 310, width: 120, height: 18 },
];

const secondTabs: readonly object[] = [
  { type: "signature", anchor: { text: "/sig2/", yOffset: 45 }, width: 150, height: 40 },
];

const recipients = {
  signers: [
    { recipientId: "1", name: "Ann Example", email: "ann.1@example.com", clientUserId: "1", tabs: everyTab },
    {
      recipientId: "2",
      name: "Bob Example",
      email: "bob.2@example.com",
      clientUserId: "2",
      routingOrder: 2,
      tabs: secondTabs,
    },
  ],
};

/** An agreement for two people who sign one after the other. */
export async function createAgreement(api: Api, changes: object = {}): Promise<string> {
  const created = await api.post("/v1/sign/agreements", {
    emailSubject: "Master Services Agreement",
    emailBlurb: "Please sign until Friday.",
    documents: [{ documentId: "1", name: "Agreement.pdf", documentBase64: await contractPdf() }],
    recipients,
    status: "sent",
    ...changes,
  });
  if (created.status !== 201) throw new Error(`not created: ${JSON.stringify(created.body)}`);
  return created.body.id;
}

export async function linkFor(
  api: Api,
  agreementId: string,
  recipientId: string,
  changes: object = {},
): Promise<string> {
  const body = { recipientId, returnUrl, ...changes };
  const view = await api.post(`/v1/sign/agreements/${agreementId}/views/recipient`, body);
  if (view.status !== 201) throw new Error(`no link: ${JSON.stringify(view.body)}`);
  return view.body.url;
}

/** Opens a link; what goes wrong in the browser is added to the list. */
export async function openLink(
  pages: Pages,
  url: string,
  wrong: string[],
  options: BrowserContextOptions = {},
): Promise<Page> {
  const page = await pages.open({ viewport: { width: 1280, height: 900 }, locale: "en-GB", ...options });
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") wrong.push(message.text());
  });
  await page.context().route("https://integration.example/**", (route) =>
    route.fulfill({
      contentType: "text/html",
      body: "<!doctype html><title>Back</title><p>Back at the integration.</p>",
    }),
  );
  await page.goto(url);
  return page;
}

/** For people to look at. */
export async function screenshot(page: Page, name: string): Promise<void> {
  const folder = process.env.SCREENSHOTS ?? "";
  if (folder !== "") await page.screenshot({ path: `${folder}/${name}.png` });
}

/** What every step of a signer begins with. */
export async function giveConsent(page: Page): Promise<void> {
  await page.getByLabel("I have read this and agree").check();
  await page.getByRole("button", { name: "Continue" }).click();
  await page.getByRole("heading", { level: 1, name: "Master Services Agreement" }).waitFor();
}
