import { ApiError } from "../../api/errors.ts";

/** The same promise, whose error with this code is one of a field. */
export async function atField<Answer>(
  asked: Promise<Answer>,
  { code, field, message }: { readonly code: string; readonly field: string; readonly message: string },
): Promise<Answer> {
  try {
    return await asked;
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== code) throw error;
    const { status, requestId } = error;
    throw new ApiError({ status, code, message, requestId, details: [{ field, code, message }] });
  }
}
