// The Japanese texts of the console, by their English ones.

import { editing } from "./ja/editing.js";
import { observation } from "./ja/observation.js";
import { rooms } from "./ja/rooms.js";

export const words = { ...editing, ...observation, ...rooms };
