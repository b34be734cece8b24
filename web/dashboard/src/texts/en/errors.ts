/** The words for errors; for a code without an entry the words of the answer, which are English. */
const byCode: ReadonlyMap<string, string> = new Map([
  ["UNREACHABLE", "Can’t reach the server. Check your connection and try again."],
  ["PAGE_FAILED", "Something went wrong on this page. Reload it."],
  ["LOGIN_FAILED", "Incorrect email or password."],
  ["LINK_INVALID", "This link was already used or has expired. Request a new one."],
]);

/** The same for what is wrong with one field; without an entry the words of the answer. */
const byField: ReadonlyMap<string, string> = new Map();

export const errors = { byCode, byField };
