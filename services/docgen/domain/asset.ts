import { type ImageFacts, imageTypes, maxImageBytes, maxImagePixels, readImage } from "./image.ts";
import { invalid, problem } from "./problems.ts";

/** An image that templates may show. */
export interface Asset extends ImageFacts {
  readonly id: string;
  readonly name: string;
  readonly bytes: number;
  readonly sha256: Uint8Array;
  readonly createdBy: string;
  readonly createdAt: Date;
}

/** What the content of an asset is; throws GEN_INVALID_REQUEST when it is no image that templates may show. */
export function parseImage(content: Uint8Array): ImageFacts {
  if (content.length > maxImageBytes) {
    throw invalid(problem("content", "TOO_LARGE", `must have at most ${maxImageBytes} bytes`));
  }
  const facts = readImage(content);
  if (facts === undefined) {
    throw invalid(problem("content", "NOT_ALLOWED", `must be ${imageTypes.join(" or ")}`));
  }
  if (facts.width * facts.height > maxImagePixels) {
    throw invalid(problem("content", "TOO_LARGE", `must have at most ${maxImagePixels / 1e6} million pixels`));
  }
  return facts;
}
