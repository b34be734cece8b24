// The program of a renderer process. It sees no configuration, no secrets and no network, and ends with its parent.
import { answerRenders, createRender, warmUp } from "./render.ts";

const render = createRender();
warmUp(render);
answerRenders(render);
