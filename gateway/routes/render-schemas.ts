import type { TextParam } from "./route.ts";

export const deploymentKeyParam: TextParam = {
  names: "deploymentKey",
  schema: {
    type: "string",
    description: "The public key of a deployment.",
    maxLength: 26,
    pattern: "^dep_[0-9A-Za-z]{22}$",
    examples: ["dep_0123456789abcdefABCDEF"],
  },
  otherwise: "CLICK_RENDER_NOT_FOUND",
};

export const templateNameParam: TextParam = {
  names: "templateIdOrSlug",
  schema: {
    type: "string",
    description: "The id of a template or its slug.",
    maxLength: 100,
    pattern: "^[0-9A-Za-z]+(-[0-9A-Za-z]+)*$",
    examples: ["terms-of-service"],
  },
  otherwise: "CLICK_TEMPLATE_NOT_FOUND",
};

export const scriptHashParam: TextParam = {
  names: "embedScriptHash",
  schema: {
    type: "string",
    description: "The hash of the script.",
    maxLength: 32,
    pattern: "^[0-9a-f]{32}$",
    examples: ["0123456789abcdef0123456789abcdef"],
  },
  otherwise: "CLICK_RENDER_NOT_FOUND",
};
