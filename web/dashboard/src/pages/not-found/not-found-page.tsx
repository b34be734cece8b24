import { useTexts } from "../../texts/texts.tsx";
import { ButtonLink } from "../../ui/button.tsx";
import { Page } from "../../ui/page.tsx";

/** For addresses that lead nowhere, and for those that the role does not allow. */
export function NotFoundPage() {
  const texts = useTexts("frame");
  return (
    <Page title={texts.notFound} intro={texts.notFoundText}>
      <div>
        <ButtonLink to="/">{texts.toStart}</ButtonLink>
      </div>
    </Page>
  );
}
