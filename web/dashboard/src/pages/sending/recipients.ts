import type { RecipientGroups } from "#api/agreements.ts";
import type { TabAnswer } from "#api/tabs.ts";
import type { Check, Recipient, RecipientInput, RecipientRole, Tab } from "./types.ts";

/** All of them, in the order in which the API counts them when it names one in an error. */
export const allOf = <Member>({
  signers,
  carbonCopies,
  certifiedDeliveries,
  inPersonSigners,
}: RecipientGroups<Member>): Member[] => [...signers, ...carbonCopies, ...certifiedDeliveries, ...inPersonSigners];

/** As a request has them. */
export function groupsOf(recipients: readonly RecipientInput[]): RecipientGroups<object> {
  const withRole = (...roles: RecipientRole[]) => recipients.filter(({ role }) => roles.includes(role)).map(inputOf);
  const plain = (role: RecipientRole) => withRole(role).map(({ role: _, ...rest }) => rest);
  return {
    signers: withRole("signer", "approver"),
    carbonCopies: plain("carbonCopy"),
    certifiedDeliveries: plain("certifiedDelivery"),
    inPersonSigners: plain("inPersonSigner"),
  };
}

/** Whether they have something to fill in. */
export const hasFields = ({ role }: Pick<Recipient, "role">): boolean =>
  role === "signer" || role === "approver" || role === "inPersonSigner";

/** In the order in which it is their turn. */
export const inTurn = <Member extends Pick<Recipient, "routingOrder">>(recipients: readonly Member[]): Member[] =>
  [...recipients].sort((a, b) => a.routingOrder - b.routingOrder);

/** What they are called in lists: a role of a template has no name yet. */
export const nameOf = ({ name, roleName, email }: Pick<Recipient, "name" | "roleName" | "email">): string =>
  name || roleName || email || "?";

export const lowestFree = (taken: readonly string[]): string => {
  let number = 1;
  while (taken.includes(String(number))) number += 1;
  return String(number);
};

function inputOf(recipient: RecipientInput) {
  const { recipientId, role, name, email, clientUserId, roleName, routingOrder } = recipient;
  const { note, locale, emailSubject, emailBlurb, hostName, hostEmail, tabs } = recipient;
  const mail = { note, locale, emailSubject, emailBlurb };
  const who = { recipientId, role, name, email, clientUserId, roleName, routingOrder };
  const verification = recipient.verification?.map(checkInputOf);
  return { ...who, ...mail, hostName, hostEmail, verification, tabs: tabs.map(tabInputOf) };
}

/** Without what only answers have. A code that stays empty stays as it is. */
const checkInputOf = ({ method, before, email, accessCode }: Check) => ({
  ...{ method, before, email },
  ...(accessCode ? { accessCode } : {}),
});

/** Without the ids, which only answers have. */
function tabInputOf(tab: Tab & Partial<Pick<TabAnswer, "tabId" | "status">>): object {
  const { tabId: _id, status: _status, buttons, ...rest } = tab;
  return { ...rest, buttons: buttons.map((button) => ({ ...button, tabId: undefined })) };
}
