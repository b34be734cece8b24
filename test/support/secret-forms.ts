import { formsOf as writtenForms } from "#platform/testing/database-dump.ts";

/** Every form in which a secret gives itself away in a text. Those too short to tell anything are left out. */
export function formsOf(secret: string): string[] {
  const forms = [
    ...writtenForms(secret),
    encodeURIComponent(secret),
    [...Buffer.from(secret)].join(","),
    ...signatureOf(secret),
    ...formsOfKey(secret),
  ];
  return [...new Set(forms)].filter((form) => form.length >= shortest);
}

const shortest = 6;

/** The signature is what nobody else can make; the rest of a token tells no more than logs may say. */
function signatureOf(secret: string): string[] {
  const signature = /^eyJ[\w-]+\.[\w-]*\.([\w-]+)$/.exec(secret)?.[1];
  return signature === undefined ? [] : [signature];
}

/** Master keys are 32 bytes that are given in base64 but used, and perhaps shown, as they are. */
function formsOfKey(secret: string): string[] {
  const key = Buffer.from(secret, "base64");
  if (key.length !== 32 || key.toString("base64") !== secret) return [];
  return [[...key].join(","), key.toString("hex"), key.toString("base64url")];
}
