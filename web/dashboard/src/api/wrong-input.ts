import { ApiError } from "./errors.ts";

/** A problem that a form finds itself, shown at a field or below all of them. */
export const wrongInput = (message: string, field?: string): ApiError =>
  new ApiError({
    status: 0,
    code: "INPUT_WRONG",
    message,
    requestId: "",
    details: field === undefined ? [] : [{ field, code: "INPUT_WRONG", message }],
  });
