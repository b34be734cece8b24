import { describeTogether } from "../support/system.ts";
import { erasureOfUser } from "./erasure.ts";
import { documentGeneration } from "./generation.ts";
import { isolationMatrix } from "./isolation-matrix.ts";
import { statesOfTemplates } from "./states.ts";

describeTogether([isolationMatrix, statesOfTemplates, documentGeneration, erasureOfUser]);
