import { useId } from "react";
import { useTexts } from "../texts/texts.tsx";
import { type Theme, useTheme } from "./theme.ts";

/** Light, dark, or as the system has it. */
export function ThemeChoice() {
  const texts = useTexts("frame");
  const [theme, choose] = useTheme();
  const id = useId();
  return (
    <div className="theme-choice">
      <label htmlFor={id}>{texts.theme}</label>
      <select id={id} value={theme} onChange={(event) => choose(event.target.value as Theme)}>
        <option value="system">{texts.themeSystem}</option>
        <option value="light">{texts.themeLight}</option>
        <option value="dark">{texts.themeDark}</option>
      </select>
    </div>
  );
}
