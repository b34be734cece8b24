import type { Recipient } from "../agreement/agreement.ts";
import type { TabProposal } from "../intake/messages.ts";

/**
 * Says of each proposal whose it is, as far as the document does: by a tag, by the name or the role of a signer close to
 * it, by the order of the places to sign, or by the nearest of these. With a single signer there is nothing to say.
 */
export function withSigners(proposals: readonly TabProposal[], recipients: readonly Recipient[]): TabProposal[] {
  const signers = recipients
    .filter(({ role }) => role === "signer" || role === "in-person-signer")
    .sort((a, b) => a.routingOrder - b.routingOrder);
  if (signers.length < 2) return [...proposals];
  const named = proposals.map((one) => (one.signer > 0 ? one : { ...one, signer: namedIn(one.around, signers) }));
  const signed = inOrder(named, signers.length);
  return signed.map((one) => (one.signer > 0 ? one : { ...one, signer: nearestSigner(one, signed) }));
}

/** The number of the signer who is named closest to a place; 0 for none. */
function namedIn(around: string, signers: readonly Recipient[]): number {
  const text = around.toLowerCase();
  const found = signers
    .map(({ name, roleName }, index) => ({ number: index + 1, at: firstOf(text, [name, roleName ?? ""]) }))
    .filter(({ at }) => at !== Number.POSITIVE_INFINITY)
    .sort((a, b) => a.at - b.at);
  return found[0]?.number ?? 0;
}

const firstOf = (text: string, words: readonly string[]): number =>
  Math.min(...words.map((word) => placeOf(text, word.trim().toLowerCase())));

/** As a word of its own: Ann is not named by "annual". */
function placeOf(text: string, word: string): number {
  if (word.length < 2) return Number.POSITIVE_INFINITY;
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
    const [before = "", after = ""] = [text[at - 1], text[at + word.length]];
    if (!isLetter.test(before) && !isLetter.test(after)) return at;
  }
  return Number.POSITIVE_INFINITY;
}

const isLetter = /[\p{L}\p{N}]/u;

/** Places to sign that say nothing go to those who have none yet, in their order, where there are several of them. */
function inOrder(proposals: readonly TabProposal[], count: number): TabProposal[] {
  const places = proposals.filter(({ type }) => type === "signature");
  if (places.length < 2) return [...proposals];
  const taken = new Set(places.map(({ signer }) => signer));
  const free = Array.from({ length: count }, (_, index) => index + 1).filter((number) => !taken.has(number));
  let next = 0;
  return proposals.map((one) =>
    one.type !== "signature" || one.signer > 0 ? one : { ...one, signer: free[next++ % Math.max(free.length, 1)] ?? 0 },
  );
}

/** Of the places to sign on the page, that in the same column before others. */
function nearestSigner({ page, x, y }: TabProposal, proposals: readonly TabProposal[]): number {
  const distance = (one: TabProposal): number => Math.abs(one.y - y) + 2 * Math.abs(one.x - x);
  return proposals
    .filter((one) => one.type === "signature" && one.page === page && one.signer > 0)
    .reduce((best, one) => (best.signer === 0 || distance(one) < distance(best) ? one : best), nothing).signer;
}

const nothing = { signer: 0, x: 0, y: 0 } as TabProposal;
