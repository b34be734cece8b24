import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { sha256Label } from "#platform/canonical-json.ts";
import { describeInBrowser } from "./support/browser.ts";
import { hostHtml, openHostPage } from "./support/host-page.ts";
import { consentRendering, shortText, staticRendering } from "./support/renderings.ts";
import { type Site, startSite, wordsPath } from "./support/site.ts";

const attacks = [
  "<script>window.attacked = true</script>",
  '<img src="x" onerror="window.attacked = true">',
  '<p><svg onload="window.attacked = true"></svg></p>',
  '<a href="javascript:window.attacked = true">click</a>',
  '<a href="data:text/html,<script>window.attacked = true</script>">click</a>',
  '<iframe srcdoc="<script>parent.attacked = true</script>"></iframe>',
  '<form action="https://evil.example"><input name="password"></form>',
  '<p style="position:fixed;inset:0">cover</p>',
  "<style>.primary { display: none }</style>",
  '<math><mtext><table><mglyph><style><img src="x" onerror="window.attacked = true"></style></mglyph></table></mtext></math>',
  '<template><img src="x" onerror="window.attacked = true"></template>',
  '<meta http-equiv="refresh" content="0;url=https://evil.example">',
  '<base href="https://evil.example">',
  '<details ontoggle="window.attacked = true" open><summary>x</summary></details>',
];

describeInBrowser("a page that mounts a text", (pages) => {
  let site: Site;
  beforeAll(async () => {
    site = await startSite();
  });
  afterAll(() => site.close());

  describe("hostile renderings", () => {
    test.each(attacks)("%s is not shown and does nothing", async (html) => {
      const page = await openHostPage(pages, site, { rendering: staticRendering({ html }) });
      await page.getByText("The text is not shown because it contains something unsafe.").waitFor();
      expect(await page.evaluate("window.attacked")).toBeUndefined();
      expect(await page.getByRole("button", { name: "I agree" }).count()).toBe(0);
    });

    test("words of the rendering are text and nothing else", async () => {
      const hostile = '<img src=x onerror="window.attacked=1">"\'</script>';
      const purpose = { purpose: hostile, name: hostile, text: hostile, description: hostile, required: true };
      const words = { title: hostile, noticeText: hostile, buttonText: hostile, declineText: hostile };
      const rendering = consentRendering({
        ...words,
        purposes: [purpose],
        policy: { allowDecline: true },
        theme: { accentColor: "red;background:url(https://evil.example)", fontFamily: "x}*{display:none" },
      });
      const page = await openHostPage(pages, site, { rendering });
      await page.getByRole("button", { name: hostile }).first().waitFor();
      expect(await page.evaluate("window.attacked")).toBeUndefined();
      expect(await page.locator("img").count()).toBe(0);
      expect(await page.locator(".root").getAttribute("style")).toBeNull();
    });

    test("a text that is not the one that was hashed is not shown", async () => {
      const rendering = staticRendering({ html: shortText, renderHash: sha256Label("another text") });
      const page = await openHostPage(pages, site, { rendering });
      await page.getByText("The text could not be loaded.").waitFor();
    });

    test("classes and ids of the text touch nothing outside of it", async () => {
      const html = '<p id="agree" class="unseen primary">Visible</p><p><a href="#agree">jump</a></p>';
      const page = await openHostPage(pages, site, {
        rendering: staticRendering({ html, policy: { requireCheckbox: true } }),
      });
      await page.getByLabel("I have read").check();
      const box = await page.getByText("Visible").boundingBox();
      expect(box?.width).toBeGreaterThan(100);
      await page.getByRole("link", { name: "jump" }).click();
      expect(page.url()).not.toContain("#");
    });
  });

  describe("styles", () => {
    const hostile = `<style>* { font-size: 3px !important; color: rgb(255, 0, 0) !important; }
      assent-embed, div { display: none !important; opacity: 0 !important; letter-spacing: 20px !important; }
      button, input, p, h2 { position: fixed !important; text-transform: uppercase !important; }</style>`;

    test("of the page do not come in", async () => {
      const read = (html: string, style: string): Promise<unknown> => look(html, style);
      const look = async (head: string, target: string): Promise<unknown> => {
        const rendering = staticRendering({ policy: { requireCheckbox: true } });
        const attributes = `data-target="${target}"`;
        const page = await pages.open();
        const script = `<section id="own"></section><script src="/embed.js" data-url="${site.rendering(rendering)}" ${attributes}></script>`;
        await page.goto(site.page(hostHtml(script, head)));
        await page.getByRole("button", { name: "I agree" }).waitFor();
        return page.evaluate(`(() => {
          const shadow = document.querySelector("assent-embed").shadowRoot;
          return [...shadow.querySelectorAll("*")].map((element) => {
            const { color, fontSize, display, position, opacity, letterSpacing, textTransform } = getComputedStyle(element);
            return [element.localName, color, fontSize, display, position, opacity, letterSpacing, textTransform].join(" ");
          });
        })()`);
      };
      expect(await read(hostile, "#own")).toEqual(await read("", "#own"));
    });

    test("of ours do not get out", async () => {
      const read = `[...document.querySelectorAll("h1, button, main, body")].map((element) => {
        const { color, font, display, padding, background, overflow } = getComputedStyle(element);
        return [color, font, display, padding, background, overflow];
      })`;
      const plain = await pages.open();
      await plain.goto(site.page(hostHtml("")));
      const page = await openHostPage(pages, site, { rendering: staticRendering({ displayMode: "MODAL" }) });
      await page.getByRole("dialog").waitFor();
      expect(await page.evaluate(read)).toEqual(await plain.evaluate(read));
      expect(await page.evaluate("document.adoptedStyleSheets.length + document.styleSheets.length")).toBe(0);
    });
  });

  test("may have the strictest Content-Security-Policy", async () => {
    const policy =
      "default-src 'none'; script-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types assent";
    const page = await pages.open();
    const complaints: string[] = [];
    page.on("console", (message) => complaints.push(message.text()));
    const rendering = staticRendering({
      displayMode: "MODAL",
      policy: { requireCheckbox: true },
      theme: { accentColor: "#7b1fa2", fontFamily: "Georgia, serif", borderRadius: "2px" },
    });
    const script = `<script src="/embed.js" data-url="${site.rendering(rendering)}" data-accept-url="/accept"></script>`;
    await page.goto(site.page(hostHtml(script), { "content-security-policy": policy }));
    await page.getByLabel("I have read").check();
    await page.getByRole("button", { name: "I agree" }).click();
    await page.getByText("Your decision is recorded.").waitFor();
    const color =
      "getComputedStyle(document.querySelector('assent-embed').shadowRoot.querySelector('.root')).fontFamily";
    expect(await page.evaluate(color)).toBe("Georgia, serif");
    expect(complaints.filter((text) => !text.includes("favicon"))).toEqual([]);
  });

  test("shows the colours of a brand, unless the theme says others", async () => {
    const brand = { name: "Example AG", colors: { button: "#ffd400", buttonText: "#333300" }, font: "serif" };
    const colorsOf = async (theme: object): Promise<string[]> => {
      const page = await openHostPage(pages, site, { rendering: staticRendering({ brand, theme }) });
      await page.getByRole("button", { name: "I agree" }).waitFor();
      return page.evaluate(`(() => {
        const root = document.querySelector("assent-embed").shadowRoot;
        const { backgroundColor, color } = getComputedStyle(root.querySelector("button.primary"));
        return [backgroundColor, color, getComputedStyle(root.querySelector(".root")).fontFamily];
      })()`);
    };
    expect(await colorsOf({})).toEqual(["rgb(255, 212, 0)", "rgb(51, 51, 0)", "Georgia, serif"]);
    const dark = await colorsOf({ accentColor: "#123456" });
    expect(dark).toEqual(["rgb(18, 52, 86)", "rgb(255, 255, 255)", "Georgia, serif"]);
  });

  test.each([
    ["nl", "ltr", "Uw volledige naam"],
    ["pl-PL", "ltr", "Imię i nazwisko"],
    ["ja", "ltr", "氏名"],
    ["zh-CN", "ltr", "您的全名"],
    ["ar-EG", "rtl", "اسمك الكامل"],
    ["he", "rtl", "שמך המלא"],
    ["pt-BR", "ltr", "Seu nome completo"],
    ["zh-TW", "ltr", "Your full name"],
  ])("says what is its own in %s", async (locale, direction, word) => {
    const rendering = staticRendering({ locale, policy: { requireTypedName: true } });
    const page = await openHostPage(pages, site, { rendering });
    await page.getByLabel(word).waitFor();
    expect(await page.locator("assent-embed .root").getAttribute("dir")).toBe(direction);
  });

  test("speaks English where the words of its language cannot be had", async () => {
    const page = await pages.open();
    await page.route(`**${wordsPath}`, (route) => route.abort());
    const url = site.rendering(staticRendering({ locale: "nl", policy: { requireTypedName: true } }));
    const script = `<script src="/v1/click/render/dep_1/embed.js" data-url="${url}" data-accept-url="/accept"></script>`;
    await page.goto(site.page(hostHtml(script)));
    await page.getByLabel("Your full name").waitFor();
  });

  test("may load the file as a module, and twice", async () => {
    const page = await pages.open();
    const url = site.rendering(staticRendering());
    const module = site.file(
      "text/javascript",
      `import '/embed.js'; import '/other/embed.js';
      Assent.mount(document.querySelector("#place"), { url: "${url}" });`,
    );
    await page.goto(site.page(hostHtml(`<script type="module" src="${module}"></script>`)));
    await page.getByRole("button", { name: "I agree" }).waitFor();
    expect(await page.locator("assent-embed").count()).toBe(1);
  });
});
