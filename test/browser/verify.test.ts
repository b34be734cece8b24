import { readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { Page } from "playwright-core";
import { createLogger } from "#platform/logger.ts";
import { verifyRoutes } from "../../gateway/routes/verify.ts";
import { defaultVerifierFolder, loadVerifier } from "../../gateway/verifier.ts";
import { type Bundle, makeBundle } from "../verify/support/bundle.ts";
import { keyFile, makeInstallation } from "../verify/support/installation.ts";
import { scenario } from "../verify/support/scenario.ts";
import { changed } from "../verify/support/tamper.ts";
import { accessibilityProblems, describeInBrowser } from "./support/browser.ts";
import { broughtBy } from "./support/keyboard.ts";

const installation = makeInstallation();
const keys = keyFile(installation);
const bundle = makeBundle(installation, scenario({ acceptances: 2 }));
const savedPage = pathToFileURL(join(resolve(import.meta.dirname, "../.."), "web/dist/verify.html")).href;
const looks = {
  light: {},
  dark: { colorScheme: "dark" },
  phone: { viewport: { width: 360, height: 640 }, hasTouch: true, isMobile: true },
} as const;

const jsonFile = (name: string, value: unknown) => ({
  name,
  mimeType: "application/json",
  buffer: Buffer.from(typeof value === "string" ? value : JSON.stringify(value)),
});

describeInBrowser("the page that verifies evidence", (pages) => {
  let server: Server;
  let url: string;
  /** What was asked for besides the page. */
  let asked: string[] = [];
  let answersKeys = true;

  beforeAll(async () => {
    const verifier = loadVerifier(defaultVerifierFolder, { required: true, logger: createLogger("test", "silent") });
    const route = verifyRoutes.find(({ operationId }) => operationId === "getVerifyPage");
    const reply = await route?.handle({} as never, { verifier } as never);
    server = createServer((req, res) => {
      if (req.url === "/verify")
        return res.writeHead(200, { "content-type": reply?.contentType, ...reply?.headers }).end(reply?.body);
      asked.push(req.url ?? "");
      return answersKeys
        ? res.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(keys))
        : res.writeHead(503).end("{}");
    });
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/verify`;
  });
  afterAll(() => {
    server?.close();
  });

  async function open(options = {}, address = url): Promise<Page> {
    const page = await pages.open({ ...options, bypassCSP: false });
    await page.goto(address);
    asked = [];
    return page;
  }

  /** As a person's hand does it: files over the page, let go. */
  async function drop(page: Page, ...files: { name: string; buffer: Buffer }[]): Promise<void> {
    const contents = files.map(({ name, buffer }) => ({ name, text: buffer.toString() }));
    const transfer = await page.evaluateHandle(`(() => {
      const holder = new DataTransfer();
      for (const { name, text } of ${JSON.stringify(contents)}) holder.items.add(new File([text], name));
      return holder;
    })()`);
    for (const type of ["dragenter", "dragover", "drop"])
      await page.dispatchEvent("body", type, { dataTransfer: transfer });
  }

  const verdict = (page: Page, name: string) => page.getByRole("heading", { name, exact: false }).waitFor();

  test("takes a bundle and a key file that are dropped, and asks nobody for anything", async () => {
    const page = await open();
    await drop(page, jsonFile("bundle.json", bundle), jsonFile("keys.json", keys));
    await verdict(page, "Genuine");
    expect(await page.locator("#bundle-name").textContent()).toBe("bundle.json");
    expect(await page.locator("#keys-name").textContent()).toBe("keys.json");
    expect(await page.getByRole("rowheader", { name: "BUNDLE_SIGNATURE" }).count()).toBe(1);
    expect(asked).toEqual([]);
  });

  test("says that the bundle's own keys prove nothing, and fetches those of the installation", async () => {
    const page = await open();
    await page.setInputFiles("#bundle", jsonFile("bundle.json", bundle));
    await verdict(page, "nothing proves who made it");
    expect(await page.evaluate("document.activeElement.id")).toBe("verdict");
    await page.getByRole("button", { name: "Use the keys of this installation" }).click();
    await verdict(page, "Genuine");
    expect(asked).toEqual([`/.well-known/click-keys.json?log=${installation.organizationId}`]);
  });

  test("says so when the keys cannot be fetched, and keeps its result", async () => {
    answersKeys = false;
    const page = await open();
    await page.setInputFiles("#bundle", jsonFile("bundle.json", bundle));
    await page.getByRole("button", { name: "Use the keys of this installation" }).click();
    await page.getByRole("alert").getByText("could not be asked for its keys").waitFor();
    await verdict(page, "nothing proves who made it");
    answersKeys = true;
  });

  test("warns of a bundle that was changed, says what is wrong, and shows nothing of it as a page", async () => {
    const script = "<img src=x onerror=\"document.body.replaceChildren('owned')\">";
    const changes: Bundle = changed(bundle, "agreement.rendered", () => script);
    const page = await open();
    await page.setInputFiles(
      "#bundle",
      jsonFile(
        "changed.json",
        changed(changes, "subject.userRef", () => script),
      ),
    );
    await verdict(page, "Do not rely on this bundle");
    const reasons = await page.locator(".verdict li").allTextContents();
    expect(reasons.join()).toContain("The bundle was changed after it was signed.");
    expect(await page.locator("img").count()).toBe(0);
    await page.getByText("The text, as source").click();
    expect(await page.locator("pre").textContent()).toBe(script);
  });

  test("tells what a file is that it cannot use", async () => {
    const page = await open();
    const alert = page.getByRole("alert");
    await page.setInputFiles("#bundle", {
      name: "bundle.zip",
      mimeType: "application/zip",
      buffer: Buffer.from("PK\u0003"),
    });
    await alert.getByText("Unpack it and choose the bundle.json").waitFor();
    await page.setInputFiles("#bundle", jsonFile("keys.json", keys));
    await alert.getByText("keys.json is a key file, not a bundle.").waitFor();
    await page.setInputFiles("#keys", jsonFile("bundle.json", bundle));
    await alert.getByText("bundle.json is not a key file.").waitFor();
    for (const [name, content] of [
      ["photo.json", "{"],
      ["list.json", "[]"],
    ] as const) {
      await page.setInputFiles("#bundle", jsonFile(name, content));
      await verdict(page, "Do not rely on this bundle");
      expect(await alert.isVisible()).toBe(false);
    }
  });

  test("works by the keyboard alone", async () => {
    const page = await open();
    const focused = () => page.evaluate("document.activeElement.id || document.activeElement.textContent");
    await page.keyboard.press("Tab");
    expect(await focused()).toBe("bundle");
    const chooser = await broughtBy(page, "filechooser", () => page.keyboard.press("Space"));
    await chooser.setFiles(jsonFile("bundle.json", bundle));
    await verdict(page, "nothing proves who made it");
    await page.locator("#bundle").focus();
    await page.keyboard.press("Tab");
    expect(await focused()).toBe("fetch-keys");
    await page.keyboard.press("Enter");
    await verdict(page, "Genuine");
  });

  test("works when it was saved as a file, without a network", async () => {
    const page = await open({ offline: true }, savedPage);
    await drop(page, jsonFile("bundle.json", bundle), jsonFile("keys.json", keys));
    await verdict(page, "Genuine");
    expect(await page.getByRole("button", { name: "Use the keys of this installation" }).isVisible()).toBe(false);
  });

  test("loads nothing and lets no other script run", async () => {
    const source = readFileSync(join(defaultVerifierFolder, "verify.html"), "utf8");
    expect(source.match(/<script\b/g)).toHaveLength(1);
    expect(source).not.toMatch(/<(link|img|iframe)\b|\bsrc=|@import|url\(/);
    const page = await open();
    const refused = await page.evaluate(`new Promise((resolve) => {
      addEventListener("securitypolicyviolation", ({ violatedDirective }) => resolve(violatedDirective));
      document.body.append(Object.assign(document.createElement("script"), { textContent: "window.ran = true" }));
    }).catch((error) => error.name)`);
    expect([refused, await page.evaluate("window.ran")]).toEqual([
      expect.stringMatching(/script|trusted|TypeError/),
      undefined,
    ]);
  });

  test.each(Object.entries(looks))("has nothing that axe objects to: %s", async (_name, look) => {
    // The policy of the served page refuses the script of axe, as it must.
    const page = await open(look, savedPage);
    expect(await accessibilityProblems(page)).toEqual([]);
    const shown: [Bundle, object | undefined, string][] = [
      [bundle, undefined, "nothing proves who made it"],
      [changed(bundle, "agreement.content", () => "?"), undefined, "Do not rely on this bundle"],
      [makeBundle(installation, scenario({ visibility: "erased" })), keys, "Genuine"],
    ];
    for (const [file, keyFileOf, expected] of shown) {
      await page.setInputFiles("#bundle", jsonFile("bundle.json", file));
      if (keyFileOf !== undefined) await page.setInputFiles("#keys", jsonFile("keys.json", keyFileOf));
      await verdict(page, expected);
      expect(await accessibilityProblems(page)).toEqual([]);
      const overflow = "document.documentElement.scrollWidth - document.documentElement.clientWidth";
      expect(await page.evaluate(overflow)).toBe(0);
    }
  });
});
