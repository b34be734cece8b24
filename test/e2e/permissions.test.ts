import { describeTogether } from "../support/system.ts";
import { accessMatrix } from "./access-matrix.ts";
import { wholeInterface } from "./interface.ts";
import { signedAssertions } from "./oauth.ts";
import { peopleOfDashboard } from "./people.ts";

describeTogether([accessMatrix, wholeInterface, signedAssertions, peopleOfDashboard]);
