import { asApiError } from "../api/errors.ts";
import { useTexts } from "../texts/texts.tsx";
import { Notice } from "./notice.tsx";

/** Says what went wrong, with what to name when asking for help. */
export function ErrorNotice({ error }: { readonly error: unknown }) {
  const problem = asApiError(error);
  const texts = useTexts("errors");
  const { requestNumber } = useTexts("common");
  return (
    <Notice tone="danger" title={texts.byCode.get(problem.code) ?? problem.message}>
      {problem.details.map(({ field, message }) => (
        <p key={`${field} ${message}`}>{[field, message].filter(Boolean).join(": ")}</p>
      ))}
      {problem.requestId && (
        <p>
          {requestNumber} <code>{problem.requestId}</code>
        </p>
      )}
    </Notice>
  );
}
