/** The bytes of a document, decoded: 25 MB. */
export const maxDocumentBytes = 25 * 1024 * 1024;

/** The documents of an agreement or a template. */
export const maxDocuments = 100;

/** The bytes of all documents of an agreement together. */
export const maxTotalBytes = 100 * 1024 * 1024;
