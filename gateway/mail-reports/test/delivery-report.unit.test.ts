import { describe, expect, test } from "@jest/globals";
import { readDeliveryReport } from "../delivery-report.ts";

const token = "A".repeat(80);
const failed = "Final-Recipient: rfc822; ann@example.com\nAction: failed\nStatus: 5.1.1 (no such user)\n";

const lines = (text: string): Buffer => Buffer.from(text.replaceAll("\n", "\r\n"));

/** As Postfix and others send it. */
const reportOf = (parts: { readonly status?: string; readonly returned?: string; readonly type?: string }): string => `\
Return-Path: <>
From: Mail Delivery System <mailer-daemon@mail.example.com>
Subject: Undelivered Mail Returned to Sender
MIME-Version: 1.0
Content-Type: multipart/report; report-type=delivery-status;
	boundary="b/=_1"

This is a MIME-encapsulated message.

--b/=_1
Content-Type: text/plain; charset=us-ascii

X-Assent-Report: ${"B".repeat(80)}
I'm sorry to have to inform you.

--b/=_1
Content-Type: message/delivery-status

Reporting-MTA: dns; mail.example.com
Arrival-Date: Tue, 20 Oct 2026 09:00:00 +0000

${parts.status ?? failed}
--b/=_1
Content-Type: ${parts.type ?? "text/rfc822-headers"}

${parts.returned ?? `Subject: Please sign: NDA\nX-Assent-Report:\n ${token}\nX-Assent-Report: ${"C".repeat(80)}\n`}
--b/=_1--
`;

const read = (text: string) => readDeliveryReport(lines(text));

describe("a delivery report", () => {
  test("names the mail by what it returns of it, and says why", () => {
    expect(read(reportOf({}))).toEqual({ token, status: "5.1.1" });
    expect(readDeliveryReport(Buffer.from(reportOf({})))).toEqual({ token, status: "5.1.1" });
    const whole = { type: "message/rfc822", returned: `X-Assent-Report: ${token}\n\nHello\n` };
    expect(read(reportOf(whole))).toEqual({ token, status: "5.1.1" });
    // A server that has tried for days gives up as well.
    expect(read(reportOf({ status: failed.replace("5.1.1", "4.4.7") }))).toEqual({ token, status: "4.4.7" });
    expect(read(reportOf({ status: failed.replace("5.1.1", "ann@example.com") }))).toEqual({ token, status: "" });
  });

  test("is found in what wraps it, and read as it was before its transport", () => {
    const encoded = Buffer.from(`Reporting-MTA: dns; x\r\n\r\n${failed.replaceAll("\n", "\r\n")}`).toString("base64");
    const inBase64 = reportOf({}).replace(
      /Content-Type: message\/delivery-status[\s\S]*?\n--b/,
      `Content-Type: message/delivery-status\nContent-Transfer-Encoding: base64\n\n${encoded}\n--b`,
    );
    expect(read(inBase64)).toEqual({ token, status: "5.1.1" });
    const quoted = reportOf({ returned: `X-Assent=2DReport: ${token.slice(0, 40)}=\n${token.slice(40)}\n` }).replace(
      "Content-Type: text/rfc822-headers",
      "Content-Type: text/rfc822-headers\nContent-Transfer-Encoding: quoted-printable",
    );
    expect(read(quoted)).toEqual({ token, status: "5.1.1" });
    const wrapped = `Content-Type: multipart/mixed; boundary=b\n\n--b\n${reportOf({})}\n--b\n\nFooter\n--b--\n`;
    expect(read(wrapped)).toEqual({ token, status: "5.1.1" });
  });

  test.each([
    ["a mail that is late", reportOf({ status: failed.replace("failed", "delayed") })],
    ["a mail that one of several got", reportOf({ status: `${failed}\n${failed.replace("failed", "delivered")}` })],
    ["a mail that is not ours", reportOf({ returned: "Subject: Hello\n" })],
    ["nobody", reportOf({ status: "Diagnostic-Code: smtp; 550\n" })],
    ["a report in a returned mail", `Content-Type: message/rfc822\n\n${reportOf({})}`],
    ["a report without boundaries", reportOf({}).replace("boundary", "border")],
    ["an answer of a person", `Subject: Re: NDA\nX-Assent-Report: ${token}\n\nI am away.\n`],
    ["nothing", ""],
    ["line ends", "\n\n\n"],
  ])("about %s changes nothing", (_what, message) => {
    expect(read(message)).toBeUndefined();
  });

  test("of too many parts, levels or headers is refused", () => {
    const parts = `Content-Type: multipart/mixed; boundary=b\n\n${"--b\n\nx\n".repeat(500)}--b--\n`;
    let deep = reportOf({});
    for (let level = 0; level < 40; level += 1) {
      deep = `Content-Type: multipart/mixed; boundary=l${level}\n\n--l${level}\n${deep}\n--l${level}--\n`;
    }
    for (const bomb of [parts, deep, `X: ${"y".repeat(70_000)}\n\n`]) {
      expect(() => read(bomb)).toThrow(expect.objectContaining({ code: "VALIDATION_FAILED" }));
    }
  });

  test("takes time that grows with its size alone", () => {
    const size = 1_000_000;
    const head = "Content-Type: multipart/report; boundary=b\n\n";
    const hostile = [
      `${head}${"--b".repeat(size / 3)}`,
      `${head}${"\n".repeat(size)}`,
      `${head}--b\nContent-Type: message/delivery-status\n\n${"\n ".repeat(size / 2)}\n--b\nContent-Type: message/rfc822\n\n\n--b--`,
      `Content-Type: multipart/report${"; boundary ".repeat(5_000)}\n\n`,
    ];
    for (const message of hostile) expect(read(message)).toBeUndefined();
  });
});
