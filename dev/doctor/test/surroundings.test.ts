import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, test } from "@jest/globals";
import { SMTPServer } from "smtp-server";
import type { Environment } from "#platform/config.ts";
import { startHttpAuthority } from "#platform/testing/http-authority.ts";
import { describeWithOpenssl } from "../../../test/verify/support/openssl.ts";
import { createInstallation } from "../finding.ts";
import { checkMail, checkTimestamps } from "../surroundings.ts";

const started: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const stop of started.splice(0)) await stop();
});
const sign = (env: Environment) => createInstallation(["sign"], env);

describeWithOpenssl("the authority of time stamps", (makeAuthority) => {
  const start = async () => {
    const http = await startHttpAuthority();
    started.push(http.close);
    return http;
  };
  const diagnose = async (env: Environment) =>
    (await checkTimestamps(sign(env))).map(({ verdict, says }) => `${verdict}: ${says}`);

  test("is in order when it answers with a chain that is trusted, and to be known of when none is named", async () => {
    const [http, authority] = [await start(), makeAuthority()];
    http.answer(authority.reply);
    const trusting = { TSA_URL: http.url, TSA_CERTIFICATES: authority.root };
    expect(await diagnose(trusting)).toEqual(["ok: the authority answers, and its chain is trusted"]);
    expect(await diagnose({ TSA_URL: http.url })).toEqual([
      "notice: the authority answers, but its certificates are not configured",
    ]);
    expect(http.requests).toHaveLength(2);
  });

  test("is wrong when its chain leads elsewhere, when it refuses, and when nobody is there", async () => {
    const [http, authority] = [await start(), makeAuthority()];
    http.answer(authority.reply);
    const elsewhere = { TSA_URL: http.url, TSA_CERTIFICATES: makeAuthority().root };
    expect(await diagnose(elsewhere)).toEqual([expect.stringMatching(/^wrong: no usable stamp: /)]);
    http.handle((_request, response) => response.writeHead(403).end());
    expect(await diagnose({ TSA_URL: http.url })).toEqual([expect.stringMatching(/^wrong: no usable stamp: .*403/)]);
    const gone = { TSA_URL: "http://127.0.0.1:1/" };
    expect(await diagnose(gone)).toEqual([expect.stringMatching(/^wrong: no usable stamp: /)]);
  });
});

describe("the mail server", () => {
  const start = async (): Promise<string> => {
    const server = new SMTPServer({
      ...{ authOptional: false, allowInsecureAuth: true, closeTimeout: 1, disabledCommands: ["STARTTLS"] },
      onAuth: ({ username, password }, _session, done) =>
        username === "assent" && password === "right" ? done(null, { user: username }) : done(new Error("bad login")),
    });
    server.listen(0, "127.0.0.1");
    await once(server.server, "listening");
    started.push(() => new Promise<void>((done) => server.close(() => done())));
    return `127.0.0.1:${(server.server.address() as AddressInfo).port}`;
  };
  const diagnose = async (SMTP_URL: string) => checkMail(sign({ SMTP_URL, MAIL_FROM: "assent@example.com" }));

  test("is in order when it takes the login, and wrong when it refuses it or nobody is there", async () => {
    const address = await start();
    expect(await diagnose(`smtp://assent:right@${address}`)).toMatchObject([{ check: "mail", verdict: "ok" }]);
    const refused = await diagnose(`smtp://assent:wrong-secret@${address}`);
    expect(refused).toMatchObject([{ check: "mail", verdict: "wrong" }]);
    expect(JSON.stringify(refused)).not.toContain("wrong-secret");
    expect(await diagnose("smtp://127.0.0.1:1")).toMatchObject([{ check: "mail", verdict: "wrong" }]);
  });
});
