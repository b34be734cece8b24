import { createRoot } from "react-dom/client";
import { App } from "./app/app.tsx";
import { applyTheme, chosenTheme } from "./app/theme.ts";

applyTheme(chosenTheme());
const place = document.getElementById("app");
if (place !== null) createRoot(place).render(<App />);
