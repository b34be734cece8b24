/** Such as "German (de)" in the language of the person. */
export function languageName(tag: string, locale: string): string {
  try {
    const name = new Intl.DisplayNames([locale], { type: "language" }).of(tag);
    return name === undefined || name === tag ? tag : `${name} (${tag})`;
  } catch {
    // The service takes tags that this browser does not know.
    return tag;
  }
}
