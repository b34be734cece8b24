import type { MessageInitShape } from "@bufbuild/protobuf";
import type { BulkCopySchema } from "#gen/assent/sign/v1/sign_pb.ts";
import type { Reader } from "../read/reader.ts";
import { refuseMeaningful } from "../read/refuse.ts";

type CopyInit = MessageInitShape<typeof BulkCopySchema>;
type RecipientInit = NonNullable<CopyInit["recipients"]>[number];

export interface BulkListInit {
  readonly name: string;
  readonly copies: CopyInit[];
}

export const maxCopies = 1_000;

/** A bulk list of a request. */
export function readBulkList(body: Reader): BulkListInit {
  const copies = body.objects("bulkCopies");
  if (copies.length === 0) body.problem("bulkCopies", "REQUIRED", "must have at least one copy");
  if (copies.length > maxCopies) body.problem("bulkCopies", "MAX_ITEMS", `must have at most ${maxCopies} copies`);
  const name = body.text("name")?.trim() ?? "";
  if (name.length > 100) body.problem("name", "MAX_LENGTH", "must be at most 100 characters");
  return { name, copies: copies.slice(0, maxCopies).map(readCopy) };
}

function readCopy(copy: Reader): CopyInit {
  const emailSubject = copy.text("emailSubject");
  const emailBlurb = copy.text("emailBlurb");
  refuseMeaningful(copy, ["docGenFormFields", "prefillTabs"]);
  return {
    recipients: copy.objects("recipients").map(readRecipient),
    customFields: copy.objects("customFields").map((field) => ({
      name: field.text("name") ?? "",
      value: field.text("value") ?? "",
      show: true,
    })),
    ...(emailSubject === undefined ? {} : { emailSubject }),
    ...(emailBlurb === undefined ? {} : { emailBlurb }),
  };
}

/** What a copy would be sent without, although whoever made it counts on it. */
const refusedOfRecipients = [
  "accessCode",
  "identityVerification",
  "phoneAuthentication",
  "smsAuthentication",
  "idCheckConfigurationName",
  "socialAuthentications",
  "signingGroupId",
  "faxNumber",
];

function readRecipient(recipient: Reader): RecipientInit {
  refuseMeaningful(recipient, refusedOfRecipients);
  const given = Object.fromEntries(
    givenTexts.flatMap((name) => {
      const text = recipient.text(name);
      return text === undefined ? [] : [[name, text]];
    }),
  );
  const tabs = recipient.objects("tabs").map((tab) => ({
    // Without a type: it gives the value of whatever field has this label.
    label: tab.text("tabLabel") ?? "",
    value: tab.text("initialValue") ?? "",
  }));
  const signerName = recipient.text("signerName");
  return {
    recipientId: recipient.text("recipientId")?.trim() ?? "",
    ...given,
    ...(signerName === undefined ? {} : { name: signerName }),
    tabs,
  };
}

const givenTexts = ["name", "email", "roleName", "clientUserId", "note", "hostName", "hostEmail"] as const;
