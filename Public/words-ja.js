// The Japanese texts of the console, by their English ones.

import { access } from "./ja/access.js";
import { editing } from "./ja/editing.js";
import { observation } from "./ja/observation.js";
import { operation } from "./ja/operation.js";
import { records } from "./ja/records.js";
import { rooms } from "./ja/rooms.js";
import { schema } from "./ja/schema.js";
import { security } from "./ja/security.js";
import { transfers } from "./ja/transfers.js";
import { webhooks } from "./ja/webhooks.js";

export const words = {
    ...access, ...editing, ...observation, ...operation, ...records, ...rooms, ...schema, ...security, ...transfers, ...webhooks,
};
