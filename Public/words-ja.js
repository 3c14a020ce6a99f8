// The Japanese texts of the console, by their English ones.

import { editing } from "./ja/editing.js";
import { records } from "./ja/records.js";
import { rooms } from "./ja/rooms.js";

export const words = { ...editing, ...records, ...rooms };
