/** What the API says is wrong with one field of a request. */
export interface FieldProblem {
  readonly field: string;
  readonly code: string;
  readonly message: string;
}

/** An unsuccessful answer; status 0 and code UNREACHABLE when there was no answer. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  readonly requestId: string;
  readonly details: readonly FieldProblem[];

  constructor({ status, code, message, requestId, details }: Omit<ApiError, "name" | "stack" | "cause">) {
    super(message);
    this.name = "ApiError";
    this.status = status;
    this.code = code;
    this.requestId = requestId;
    this.details = details;
  }
}

/** Of an answer whose status is no success. */
export async function errorOf(response: Response): Promise<ApiError> {
  const body = await bodyOf(response);
  return new ApiError({
    status: response.status,
    code: textOf(body.errorCode ?? body.code) || `HTTP_${response.status}`,
    message: textOf(body.message) || response.statusText || `HTTP ${response.status}`,
    requestId: textOf(body.requestId) || response.headers.get("x-request-id") || "",
    details: listOfProblems(body.details).map(problemOf),
  });
}

/** The error of a request that got no answer. */
export const unreachable = (): ApiError =>
  new ApiError({
    status: 0,
    code: "UNREACHABLE",
    message: "The server cannot be reached.",
    requestId: "",
    details: [],
  });

/** Anything that was thrown, as the pages show errors. */
export function asApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new ApiError({ status: 0, code: "PAGE_FAILED", message, requestId: "", details: [] });
}

async function bodyOf(response: Response): Promise<Record<string, unknown>> {
  try {
    const body: unknown = await response.json();
    return typeof body === "object" && body !== null ? (body as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

/** Document generation puts field problems into the details of its errors, under several names. */
function listOfProblems(details: unknown): unknown[] {
  if (Array.isArray(details)) return details;
  const { fields, errors } = (details ?? {}) as Record<string, unknown>;
  return [fields, errors].find(Array.isArray) ?? [];
}

function problemOf(value: unknown): FieldProblem {
  const { field, code, message } = (value ?? {}) as Record<string, unknown>;
  return { field: textOf(field), code: textOf(code), message: textOf(message) };
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

/** A problem that a form finds itself, shown at a field or below all of them. */
export const wrongInput = (message: string, field?: string): ApiError =>
  new ApiError({
    status: 0,
    code: "INPUT_WRONG",
    message,
    requestId: "",
    details: field === undefined ? [] : [{ field, code: "INPUT_WRONG", message }],
  });
