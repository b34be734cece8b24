import type { MessageInitShape } from "@bufbuild/protobuf";
import {
  type Agreement,
  type AgreementDefinitionSchema,
  type AgreementStatus,
  RecipientRole,
} from "#gen/assent/sign/v1/agreement_pb.ts";
import { until } from "#platform/testing/until.ts";
import { readAndConsent } from "../../../test/support/read-and-consent.ts";
import { smallestPdf } from "../intake/merge-pdfs.ts";
import { type Organization, type SignHarness, type SignOptions, startSign } from "./harness.ts";
import { type MailServer, startMailServer, type TakenMail } from "./mail-server.ts";

export type Definition = MessageInitShape<typeof AgreementDefinitionSchema>;

export interface MailSystem extends SignHarness {
  readonly server: MailServer;
  /** Sends an agreement about an empty page. */
  send(organization: Organization, definition: Definition): Promise<Agreement>;
  /** What comes to an address, in its order, once there are so many. */
  mailsTo(address: string, count: number): Promise<TakenMail[]>;
  /** Until no work is due any more. */
  settle(): Promise<void>;
  actionsOf(agreementId: string): Promise<string[]>;
  statusOf(organization: Organization, agreementId: string): Promise<AgreementStatus | undefined>;
  /** Agrees and signs. */
  sign(sessionToken: string): Promise<void>;
  /** Opens the link of a mail. */
  open(mail: TakenMail | undefined): Promise<string>;
}

export const visitor = { ip: "192.0.2.55", userAgent: "Browser/1.0", requestId: "request-9", traceparent: "" };

const publicUrl = "https://sign.example.com";

export const mailConfig = ({ url }: Pick<MailServer, "url">) => ({
  mail: { url, from: "Assent <sign@example.com>", publicUrl },
});

export const person = (recipientId: string, address: string, given: object = {}) => ({
  ...{ recipientId, role: RecipientRole.SIGNER, name: `Person ${recipientId}`, email: address },
  ...given,
});

/** The service with its workers and a real mail server. */
export async function startMailSystem(options: Pick<SignOptions, "resolveTexts"> = {}): Promise<MailSystem> {
  const server = await startMailServer();
  const harness = await startSign({ ...options, config: mailConfig(server) });
  await harness.startWorkers();
  return {
    ...harness,
    server,
    send: async (organization, definition) => {
      const { agreement } = await organization.createAgreement({
        definition: { emailSubject: "NDA", documents: [document], ...definition },
        send: true,
      });
      if (agreement === undefined) throw new Error("the answer has no agreement");
      return agreement;
    },
    mailsTo: (address, count) =>
      until(() => {
        const found = server.mails.filter(({ to }) => to === address);
        return found.length >= count && found;
      }),
    settle: async () => {
      await until(async () => {
        const sql = "select 1 from sign.job where failed_at is null and run_at <= $1";
        return (await harness.superuser.query(sql, [harness.clock.now()])).rowCount === 0;
      }, 20_000);
    },
    actionsOf: async (agreementId) => {
      const sql = "select action from sign.audit_event where agreement_id = $1 order by sequence";
      const { rows } = await harness.superuser.query<{ action: string }>(sql, [agreementId]);
      return rows.map(({ action }) => action);
    },
    statusOf: async (organization, agreementId) => {
      const target = { id: { case: "agreementId" as const, value: agreementId } };
      return (await organization.getAgreement({ target })).agreement?.status;
    },
    sign: async (sessionToken) => {
      const { signing } = harness;
      await readAndConsent(signing, sessionToken, visitor);
      const signature = { typed: "Person", font: "caveat" };
      await signing.finishSigning({ sessionToken, values: [], signature, initials: signature, visitor });
    },
    open: async (mail) => (await harness.signing.openView({ token: mail?.token ?? "", visitor })).sessionToken,
    stop: async () => {
      await harness.stop();
      await server.down();
    },
  };
}

const document = {
  ...{ documentId: "1", name: "NDA.pdf", fileExtension: "pdf" },
  source: { case: "content" as const, value: smallestPdf },
};
