import { expect, test } from "@jest/globals";
import { createElement, isValidElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { jsx, jsxs } from "../../web/dashboard/src/visible/jsx-runtime.ts";

const Name = ({ children }: { readonly children?: unknown }) => createElement("b", null, children as string);
const input = { value: "invoice\u202efdp.exe", readOnly: true } as object;

test("every text of the dashboard shows what it hides, and what is edited stays as it is", () => {
  const name = "invoice\u202efdp.exe";
  const page = jsxs("p", {
    title: name,
    children: [name, jsx(Name, { children: name }, "b"), jsx("input", input, "i")],
  });
  expect(isValidElement(page)).toBe(true);
  const shown = "invoice[U+202E]fdp.exe";
  expect(renderToStaticMarkup(page)).toBe(
    `<p title="${shown}">${shown}<b>${shown}</b><input readOnly="" value="${name}"/></p>`,
  );
});
