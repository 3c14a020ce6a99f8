// The Japanese texts of the console, by their English ones.

import { editing } from "./ja/editing.js";
import { rooms } from "./ja/rooms.js";
import { schema } from "./ja/schema.js";
import { security } from "./ja/security.js";

export const words = { ...editing, ...rooms, ...schema, ...security };
