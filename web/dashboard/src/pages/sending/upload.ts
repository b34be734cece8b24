import { errorOf, unreachable } from "../../api/errors.ts";

interface UploadOptions {
  readonly csrfToken: string;
  /** With the part that has been sent, from 0 to 1. */
  readonly onProgress: (part: number) => void;
}

/** Sends a file as the body of a PUT; fetch would not say how far it is. Throws ApiError. */
export function upload(path: string, file: File, { csrfToken, onProgress }: UploadOptions): Promise<void> {
  const request = new XMLHttpRequest();
  request.open("PUT", path);
  request.setRequestHeader("Accept", "application/json");
  request.setRequestHeader("Content-Type", typeOf(file));
  request.setRequestHeader("Content-Disposition", `attachment; filename*=UTF-8''${extended(file.name)}`);
  request.setRequestHeader("X-CSRF-Token", csrfToken);
  request.upload.addEventListener("progress", ({ lengthComputable, loaded, total }) => {
    if (lengthComputable && total > 0) onProgress(loaded / total);
  });
  return new Promise((resolve, reject) => {
    request.addEventListener("load", () => {
      if (request.status >= 200 && request.status < 300) resolve();
      else void errorOf(answerOf(request)).then(reject);
    });
    for (const end of ["error", "abort", "timeout"]) request.addEventListener(end, () => reject(unreachable()));
    request.send(file);
  });
}

/** JSON would be read as a description of a document. */
const typeOf = ({ type }: File): string => (type === "" || type.includes("json") ? "application/octet-stream" : type);

/** RFC 8187. */
const extended = (name: string): string =>
  encodeURIComponent(name).replaceAll("'", "%27").replaceAll("(", "%28").replaceAll(")", "%29").replaceAll("*", "%2A");

function answerOf(request: XMLHttpRequest): Response {
  const status = request.status >= 200 ? request.status : 502;
  const requestId = request.getResponseHeader("x-request-id");
  return new Response(request.responseText, {
    status,
    headers: requestId === null ? {} : { "x-request-id": requestId },
  });
}
