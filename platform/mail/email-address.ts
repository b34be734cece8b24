/** Characters in all; what the columns and the proxy's clients are made for. */
export const maxEmailLength = 100;
// RFC 5321 §4.5.3.1.1 and RFC 1035 §2.3.4.
const maxLocalLength = 64;
const maxLabelLength = 63;

/** Letters, digits and marks of every script, and the other characters of an atom (RFC 5322 §3.2.3, RFC 6531 §3.3). */
const atom = /^[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]+$/u;
const label = /^[\p{L}\p{M}\p{N}-]+$/u;
const digits = /^[0-9]+$/;

/**
 * Whether mail can be sent to an address: a local part of atoms with dots between them, and a domain of at least two
 * labels. Quoted local parts, comments and addresses of machines are refused: nobody is called that. Takes time that
 * grows with the length of the text only.
 */
export function isEmailAddress(text: string): boolean {
  if (text.length > maxEmailLength) return false;
  const at = text.indexOf("@");
  return at > 0 && isLocalPart(text.slice(0, at)) && isDomain(text.slice(at + 1));
}

const isLocalPart = (text: string): boolean =>
  text.length <= maxLocalLength && text.split(".").every((part) => atom.test(part));

function isDomain(text: string): boolean {
  const labels = text.split(".");
  const last = labels.at(-1) ?? "";
  return labels.length >= 2 && labels.every(isLabel) && !digits.test(last);
}

const isLabel = (text: string): boolean =>
  text.length <= maxLabelLength && label.test(text) && !text.startsWith("-") && !text.endsWith("-");
