import { chromium } from "playwright-core";
import { hostHtml, submitForm } from "./test/browser/support/host-page.ts";
import { consentRendering, longText, staticRendering } from "./test/browser/support/renderings.ts";
import { startSite } from "./test/browser/support/site.ts";

const site = await startSite();
const browser = await chromium.launch({
  executablePath: "/usr/bin/chromium",
  args: ["--headless", "--no-sandbox", "--disable-gpu"],
});
const looks: any = {
  desktop: { viewport: { width: 1100, height: 760 } },
  dark: { viewport: { width: 1100, height: 760 }, colorScheme: "dark" },
  phone: { viewport: { width: 375, height: 700 }, isMobile: true, hasTouch: true, deviceScaleFactor: 1 },
};
const every = {
  requireCheckbox: true,
  requireScroll: true,
  minDisplaySeconds: 30,
  requireTypedName: true,
  minAge: 18,
  allowDecline: true,
};
const cases: any = {
  inline: [staticRendering({ html: longText, policy: { requireCheckbox: true, allowDecline: true } })],
  every: [
    staticRendering({
      html: longText,
      policy: every,
      documents: [{ name: "Price list", url: "https://x.example/p", mustRead: true }],
    }),
    true,
  ],
  modal: [
    staticRendering({
      displayMode: "MODAL",
      html: longText,
      policy: { requireScroll: true, requireCheckbox: true, allowDecline: true },
    }),
  ],
  link: [staticRendering({ displayMode: "LINK", policy: { requireView: true, requireCheckbox: true } })],
  full: [staticRendering({ displayMode: "FULL_PAGE", policy: { requireCheckbox: true, allowDecline: true } })],
  consent: [consentRendering({ policy: { allowDecline: true } })],
  rtl: [
    staticRendering({
      locale: "ar",
      title: "شروط الخدمة",
      html: "<h1>شروط الخدمة</h1><p>يمكنك استخدام الخدمة لأغراض مشروعة.</p>",
      noticeText: "بالنقر على «أوافق» فإنك توافق على شروط الخدمة.",
      buttonText: "أوافق",
      declineText: "أرفض",
      checkboxText: "قرأت شروط الخدمة وأوافق عليها.",
      policy: { requireCheckbox: true, requireScroll: true, allowDecline: true },
    }),
  ],
};
const only = process.argv.slice(2);
for (const [look, context] of Object.entries(looks))
  for (const [name, [rendering, submit]] of Object.entries(cases) as any) {
    if (only.length && !only.includes(name)) continue;
    const page = await (await browser.newContext({ ...(context as any), reducedMotion: "reduce" })).newPage();
    const head = `<meta name="color-scheme" content="light dark"><style>body{font-family:system-ui;max-width:60rem;margin:0 auto;padding:1rem}</style>`;
    await page.goto(
      site.page(
        hostHtml(
          `<script src="/embed.js" data-url="${site.rendering(rendering)}" data-target="#place"></script>`,
          head,
        ),
      ),
    );
    await page.waitForTimeout(500);
    if (submit) {
      await submitForm(page);
      await page.waitForTimeout(200);
    }
    await page.screenshot({ path: `/tmp/shots/${name}-${look}.png`, fullPage: name !== "modal" });
    await page.context().close();
  }
await browser.close();
await site.close();
