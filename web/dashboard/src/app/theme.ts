import { useState } from "react";

export type Theme = "system" | "light" | "dark";

const key = "assent-theme";

/** What the person has chosen in this browser. */
export function chosenTheme(): Theme {
  try {
    const chosen = localStorage.getItem(key);
    return chosen === "light" || chosen === "dark" ? chosen : "system";
  } catch {
    return "system";
  }
}

export function applyTheme(theme: Theme): void {
  const { dataset } = document.documentElement;
  if (theme === "system") delete dataset.theme;
  else dataset.theme = theme;
}

export function useTheme(): readonly [Theme, (theme: Theme) => void] {
  const [theme, setTheme] = useState(chosenTheme);
  const choose = (chosen: Theme) => {
    setTheme(chosen);
    applyTheme(chosen);
    try {
      localStorage.setItem(key, chosen);
    } catch {
      // If the browser stores nothing, the choice lasts until the page is left.
    }
  };
  return [theme, choose];
}
