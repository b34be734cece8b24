/** The code that pages of the reference show, by its language. */
export function codeIn(html: string): Readonly<Record<"curl" | "typescript" | "python", string[]>> {
  const found = [...html.matchAll(/<div class="sample (\w+)"><pre[^>]*><code>([^<]*)<\/code>/g)];
  const of = (language: string): string[] =>
    found.filter(([, name]) => name === language).map(([, , code = ""]) => unescaped(code));
  return { curl: of("curl"), typescript: of("typescript"), python: of("python") };
}

const unescaped = (text: string): string =>
  text
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&amp;", "&");
