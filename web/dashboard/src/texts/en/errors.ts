/** The words for errors; for a code without an entry the words of the answer, which are English. */
const byCode: ReadonlyMap<string, string> = new Map([
  ["UNREACHABLE", "The server cannot be reached. Check the connection and try again."],
  ["PAGE_FAILED", "Something went wrong on this page. Load it again."],
  ["LOGIN_FAILED", "The e-mail address or the password is wrong."],
  ["LINK_INVALID", "This link has been used already, or is too old. Ask for a new one."],
]);

/** The same for what is wrong with one field; without an entry the words of the answer. */
const byField: ReadonlyMap<string, string> = new Map();

export const errors = { byCode, byField };
