/** True for what the src of an image may be: an asset of the organization, or the bytes of an image themselves. */
export const isImageAddress = (value: string): boolean => assetIdOf(value) !== undefined || isImageData(value);

/** The id in an `asset:` address, in lower case; undefined for every other address. */
export const assetIdOf = (value: string): string | undefined => assetAddress.exec(value)?.[1]?.toLowerCase();

/** True for a data URL of a PNG or JPEG. Whether its bytes are an image is for those to say who show it. */
export function isImageData(value: string): boolean {
  const prefix = imageDataPrefix.exec(value)?.[0];
  // The pattern has one way to match only, so that it takes linear time.
  return prefix !== undefined && base64.test(value.slice(prefix.length));
}

const assetAddress = /^asset:([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})$/i;
const imageDataPrefix = /^data:image\/(?:png|jpeg);base64,/;
const base64 = /^[A-Za-z0-9+/]+={0,2}$/;
