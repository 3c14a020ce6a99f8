// The Japanese texts of the console, by their English ones.

import { editing } from "./ja/editing.js";
import { operation } from "./ja/operation.js";
import { rooms } from "./ja/rooms.js";

export const words = { ...editing, ...operation, ...rooms };
