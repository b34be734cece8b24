import type { RequestHandler } from "express";
import { isCompatPath } from "./address-dialect.ts";

/**
 * Programs made for DocuSign write its addresses in several ways: with slashes at the end, and with the version before
 * 2.1, which has the same operations.
 */
export const rewriteAddress: RequestHandler = (req, _res, next) => {
  if (isCompatPath(req.path)) req.url = compatAddress(req.url);
  next();
};

const oldVersion = "/restapi/v2/";
const version = "/restapi/v2.1/";

export function compatAddress(url: string): string {
  const query = url.indexOf("?");
  const path = query < 0 ? url : url.slice(0, query);
  let end = path.length;
  while (end > 1 && path[end - 1] === "/") end -= 1;
  const plain = path.slice(0, end);
  const named = plain.startsWith(oldVersion) ? version + plain.slice(oldVersion.length) : plain;
  return named + (query < 0 ? "" : url.slice(query));
}
