import type { ElementType, ReactElement } from "react";
import * as runtime from "react/jsx-runtime";
import { visibleText } from "#platform/visible-text.ts";

export { Fragment, type JSX } from "react/jsx-runtime";

interface Properties {
  readonly children?: unknown;
  readonly title?: unknown;
  readonly "aria-label"?: unknown;
}

/**
 * What JSX becomes: an element of React, whose texts show what they hide. One place for all texts of the dashboard, so
 * that none is forgotten; what is typed or edited is in `value`, and stays as it is.
 */
export const jsx = (type: ElementType, properties: Properties, key?: string): ReactElement =>
  runtime.jsx(type, shown(type, properties), key);

export const jsxs = (type: ElementType, properties: Properties, key?: string): ReactElement =>
  runtime.jsxs(type, shown(type, properties), key);

/** Also of components, because those of packages make their elements elsewhere; a text that is shown twice is the same. */
function shown(type: ElementType, properties: Properties): Properties {
  // What is in a text area is a value.
  if (type === "textarea") return properties;
  const { children, title, "aria-label": label } = properties;
  return {
    ...properties,
    ...(children === undefined
      ? {}
      : { children: Array.isArray(children) ? children.map(visible) : visible(children) }),
    ...(title === undefined ? {} : { title: visible(title) }),
    ...(label === undefined ? {} : { "aria-label": visible(label) }),
  };
}

const visible = (child: unknown): unknown => (typeof child === "string" ? visibleText(child) : child);
