/**
 * A regular expression of Postgres that finds an address (in lower case) in a text (in lower case as well), and not within
 * a longer one, whose beginning or end it may be. What escapes a character in JSON or an URL begins none, and what ends
 * the name of a file is no domain.
 */
export const addressPattern = (email: string): string => {
  const forms = formsOf(email).map((form) => form.replaceAll(/[^\p{L}\p{M}\p{N}]/gu, "\\$&"));
  const word = "[:alnum:]";
  return `(?:(?<![${word}._%+-])|(?<=${escapes}))(?:${forms.join("|")})(?![${word}_-]|[.](?!${extensions}(?![${word}_-]|[.][${word}]))[${word}])`;
};

const escapes = String.raw`\\[bfnrt]|\\u[0-9a-f]{4}|%[0-9a-f]{2}`;

/** An address as it may be written: letters with marks are one character, or two. */
export const formsOf = (email: string): string[] => [
  ...new Set([email, email.normalize("NFC"), email.normalize("NFD")]),
];

/**
 * An address as people and programs write it, where a keyed hash finds one spelling alone: as it is, in lower case, with
 * capitals in either half or at the beginning of words, in upper case; letters with marks as above. The first two stay first: what
 * goes on with an erasure counts them.
 */
export function spellingsOf(address: string): string[] {
  const given = address.trim();
  if (!given.includes("@")) return given === "" ? [] : [given];
  const [local, domain] = [given.slice(0, given.lastIndexOf("@")), given.slice(given.lastIndexOf("@"))];
  const lower = local.toLowerCase();
  const first = (text: string): string => text.replace(/^./u, (letter) => letter.toUpperCase());
  const words = lower.replaceAll(/(?<![\p{L}\p{M}\p{N}])\p{L}/gu, (letter) => letter.toUpperCase());
  const locals = [local, lower, first(lower), words, local.toUpperCase()];
  const domains = [domain.toLowerCase(), domain, `@${first(domain.slice(1).toLowerCase())}`, domain.toUpperCase()];
  const all = locals.flatMap((one) => domains.map((other) => one + other));
  // Upper case is no way back for some letters: ß becomes SS, and a dotless i an I, which may be somebody else's address.
  const own = all.flatMap(formsOf).filter((one) => folded(one) === folded(given));
  return [...new Set([given, given.toLowerCase(), ...own])];
}

const folded = (text: string): string => text.normalize("NFC").toLowerCase().normalize("NFC");

const names =
  "pdf|docx?|odt|rtf|txt|html?|xlsx?|ods|csv|tsv|pptx?|odp|json|xml|png|jpe?g|gif|tiff?|webp|svg|heic|eml|msg|p7[ms]|asc";

/** What names of files end with, a pattern of both languages. None of them is a top-level domain. */
export const extensions: string = `(?:${names})(?:[.](?:${names}))*`;
