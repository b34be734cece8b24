import { describeTogether } from "../support/system.ts";
import { scenarios } from "./scenarios.ts";

describeTogether("single process", scenarios);
