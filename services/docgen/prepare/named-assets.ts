/** The address of an asset in HTML and Markdown; ids are compared in lower case. */
const address = /\basset:([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?![0-9a-f-])/gi;

/** The ids in the `asset:` addresses of a content, each once: at least those of the images it shows. */
export const namedAssets = (content: string): string[] => [
  ...new Set([...content.matchAll(address)].map((match) => (match[1] ?? "").toLowerCase())),
];
