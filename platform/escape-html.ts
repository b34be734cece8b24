const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/**
 * A text as it may stand between tags and in quoted attributes of pages and mails of ours. Restricted HTML, whose bytes
 * are recorded, escapes more: see restricted-html/serialize.ts.
 */
export const escapeHtml = (text: string): string =>
  text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? "");
