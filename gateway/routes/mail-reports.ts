import { createHash, timingSafeEqual } from "node:crypto";
import { textNow } from "#platform/config.ts";
import { DomainError } from "#platform/errors.ts";
import { standardDialect } from "../http/error-dialect.ts";
import type { SnsReader } from "../mail-reports/delivery-report.ts";
import { type FailedMail, readDeliveryReport } from "../mail-reports/delivery-report.ts";
import { type BodySpec, defineRoute, onBehalfOf, type Route } from "./route.ts";
import { example } from "./schema-parts.ts";

const secretParam = {
  schema: example(
    { type: "string", minLength: 1, maxLength: 200, description: "MAIL_REPORTS_SECRET." },
    "c2VjcmV0LW9mLXRoZS1tYWlsLXJlcG9ydHM",
  ),
  names: "mailReportSecret",
  otherwise: "NOT_FOUND",
} as const;

/** What we read of a webhook of Postmark. */
interface PostmarkEvent {
  readonly RecordType: string;
  readonly Type?: string;
  readonly Metadata?: Readonly<Record<string, unknown>>;
}

/** The last is what SNS calls its JSON. */
const messageTypes = ["message/rfc822", "multipart/report", "text/plain"];

const reportBody: BodySpec<Buffer | PostmarkEvent> = {
  schema: {
    type: "object",
    required: ["RecordType"],
    properties: {
      RecordType: { type: "string", maxLength: 100, description: "`Bounce`; others change nothing." },
      Type: { type: "string", maxLength: 100, description: "The kind of bounce." },
      Metadata: { type: "object", description: "The metadata of the email; `assent` identifies it." },
    },
  },
  required: true,
  maxBytes: 1_048_576,
  form: false,
  messageTypes,
  example: { RecordType: "Bounce", Type: "HardBounce", Metadata: { assent: "AZYSNFZ4erCN7wEjRWeJqwEj" } },
};

/** How mail servers and services tell of mails that came back after they had been taken. */
export const mailReportRoutes: readonly Route[] = [
  defineRoute({
    tag: "Agreements",
    access: "public",
    dialect: standardDialect,
    texts: { secret: secretParam },
    operationId: "reportMail",
    method: "POST",
    path: "/mail/reports/{secret}",
    summary: "Report a bounced email",
    description:
      "For mail servers and mail services that know the secret: a delivery status notification (RFC 3464) as the message itself, the bounce webhook of Postmark, or notifications of Amazon SES through SNS, whose signature is checked. If no server tries to deliver the email any more, its recipient is marked. Anything else changes nothing and gets the same response. NOT_FOUND if the installation takes no reports, or for another secret.",
    body: reportBody,
    success: { status: 202, description: "The report was received." },
    errors: ["NOT_FOUND"],
    call: async (request, { sign, mailReportsSecret, sns }) => {
      if (!isSecret(request.params.secret, textNow(mailReportsSecret))) throw new DomainError("NOT_FOUND");
      const { body } = request;
      const contentType = request.headers["content-type"] ?? "";
      const failed = !Buffer.isBuffer(body)
        ? readPostmark(body)
        : /^text\/plain\b/i.test(contentType)
          ? await readSns(body, sns)
          : readMessage(body, contentType);
      // No token is longer.
      if (failed !== undefined && failed.token.length <= 200 && failed.token !== "") {
        await sign.reportUndelivered(failed, onBehalfOf(request));
      }
    },
    respond: () => ({ status: 202, body: undefined }),
  }),
];

/** Takes the same time for every wrong one. */
function isSecret(given: string, secret: string): boolean {
  const [one, other] = [given, secret].map((text) => createHash("sha256").update(text).digest()) as [Buffer, Buffer];
  return secret !== "" && timingSafeEqual(one, other);
}

/** SNS sends again what was answered with an error. */
async function readSns(body: Buffer, sns: SnsReader): Promise<FailedMail | undefined> {
  try {
    return await sns.read(body.toString());
  } catch (error) {
    throw new DomainError("SERVICE_UNAVAILABLE", { cause: error });
  }
}

/** A multipart/report that is the body itself has its boundary in the header of the request. */
function readMessage(body: Buffer, contentType: string): FailedMail | undefined {
  const isWhole = /^message\/rfc822\b/i.test(contentType);
  return readDeliveryReport(
    isWhole ? body : Buffer.concat([Buffer.from(`Content-Type: ${contentType}\r\n\r\n`), body]),
  );
}

/** The kinds of bounces after which Postmark sends nothing more to the address. */
const permanentBounces: ReadonlySet<string> = new Set(["HardBounce", "BadEmailAddress", "ManuallyDeactivated"]);

function readPostmark({ RecordType, Type = "", Metadata = {} }: PostmarkEvent): FailedMail | undefined {
  if (RecordType !== "Bounce" || !permanentBounces.has(Type)) return undefined;
  // It comes from the name of a header, in which servers may change the case.
  const token = Object.entries(Metadata).find(([name]) => name.toLowerCase() === "assent")?.[1];
  return typeof token === "string" ? { token, status: "" } : undefined;
}
