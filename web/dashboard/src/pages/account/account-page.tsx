import { useSession } from "../../app/session.tsx";
import { useTexts } from "../../texts/texts.tsx";
import { Page, Section } from "../../ui/page.tsx";
import { FactorSection } from "./factor-section.tsx";
import { PasswordSection } from "./password-section.tsx";
import { ProfileSection } from "./profile-section.tsx";
import { SessionsSection } from "./sessions-section.tsx";

/** What everybody decides about themselves. */
export function AccountPage() {
  const texts = useTexts("account");
  const { hasPassword } = useSession().user;
  return (
    <Page title={texts.title}>
      <ProfileSection />
      {hasPassword ? (
        <>
          <PasswordSection />
          <FactorSection />
        </>
      ) : (
        <Section title={texts.noPasswordTitle} intro={texts.noPassword} />
      )}
      <SessionsSection />
    </Page>
  );
}
