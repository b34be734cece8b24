import { isSame } from "./bytes.ts";
import { authorityDepth, type Certificate, purposesOf, requireUnderstood } from "./certificate.ts";
import { oids } from "./object-ids.ts";
import { fail } from "./problem.ts";
import { isSignatureGood } from "./public-key.ts";
import { isoTime } from "./read.ts";

/** No authority has longer chains. */
const maxLength = 6;

/**
 * The names from the certificate up to a trusted one, each vouched for by the next at that time (RFC 5280 §6). Fails,
 * with the reason, when no chain leads there. A trusted certificate needs nobody to vouch for it.
 */
export async function chainTo(
  trusted: readonly Certificate[],
  certificate: Certificate,
  others: readonly Certificate[],
  ms: number,
): Promise<string[]> {
  const names = [certificate.name];
  let current = certificate;
  for (let depth = 0; depth < maxLength; depth += 1) {
    requireUsable(current, ms);
    if (trusted.some(({ whole }) => isSame(whole, current.whole))) return names;
    // Those that are trusted first: they end the chain.
    const issuer = await findIssuer(current, [...trusted, ...others], depth);
    names.push(issuer.name);
    current = issuer;
  }
  return fail(`the chain of certificates ${names.join(" < ")} is too long`);
}

function requireUsable(certificate: Certificate, ms: number): void {
  const { name, notBefore, notAfter } = certificate;
  if (ms < notBefore || ms > notAfter) fail(`the certificate "${name}" was not valid at ${isoTime(ms)}`);
  requireUnderstood(certificate);
}

async function findIssuer(
  certificate: Certificate,
  candidates: readonly Certificate[],
  authoritiesBelow: number,
): Promise<Certificate> {
  for (const candidate of candidates) {
    const isIssuer = isSame(candidate.subject, certificate.issuer) && !isSame(candidate.whole, certificate.whole);
    if (!isIssuer) continue;
    const depth = authorityDepth(candidate);
    if (depth === undefined || depth < authoritiesBelow || !allowsTimeStamping(candidate)) continue;
    if (await isSignatureGood(signedBy(certificate, candidate), `the certificate "${certificate.name}"`)) {
      return candidate;
    }
  }
  return fail(`nobody who is trusted has issued the certificate "${certificate.name}"`);
}

const signedBy = ({ algorithm, signature, signed }: Certificate, { publicKey }: Certificate) => ({
  publicKey,
  algorithm,
  signature,
  data: signed.whole,
});

const anyPurpose = "2.5.29.37.0";

/** An authority that is restricted to other purposes cannot vouch for this one. */
function allowsTimeStamping(certificate: Certificate): boolean {
  const { purposes } = purposesOf(certificate) ?? {};
  return purposes === undefined || purposes.includes(oids.timeStamping) || purposes.includes(anyPurpose);
}
