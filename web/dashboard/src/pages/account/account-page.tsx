import { useTexts } from "../../texts/texts.tsx";
import { Page } from "../../ui/page.tsx";
import { FactorSection } from "./factor-section.tsx";
import { PasswordSection } from "./password-section.tsx";
import { ProfileSection } from "./profile-section.tsx";
import { SessionsSection } from "./sessions-section.tsx";

/** What everybody decides about themselves. */
export function AccountPage() {
  const { title } = useTexts("account");
  return (
    <Page title={title}>
      <ProfileSection />
      <PasswordSection />
      <FactorSection />
      <SessionsSection />
    </Page>
  );
}
