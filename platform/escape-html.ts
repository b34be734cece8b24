const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/**
 * Escapes a text for HTML content and quoted attributes of our pages and mails. Restricted HTML, whose bytes
 * are recorded, escapes more: see restricted-html/serialize.ts.
 */
export const escapeHtml = (text: string): string =>
  text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? "");
