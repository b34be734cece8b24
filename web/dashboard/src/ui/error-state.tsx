import { useTexts } from "../texts/texts.tsx";
import { Button } from "./button.tsx";
import { ErrorNotice } from "./error-notice.tsx";
import "./notice.css";

/** In the place of what could not be loaded. */
export function ErrorState({ error, retry }: { readonly error: unknown; readonly retry?: () => void }) {
  const { tryAgain } = useTexts("common");
  return (
    <div className="secret">
      <ErrorNotice error={error} />
      {retry && (
        <div>
          <Button onPress={retry}>{tryAgain}</Button>
        </div>
      )}
    </div>
  );
}
