// What the command line needs of Node; the rest runs wherever there is Web Crypto.

declare module "node:fs/promises" {
  export function readFile(path: string): Promise<Uint8Array>;
  export function realpath(path: string): Promise<string>;
}

declare module "node:url" {
  export function pathToFileURL(path: string): URL;
}
