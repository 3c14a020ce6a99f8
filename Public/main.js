// The start of the page: the words of the user's language, then the console, whose modules use the words as they are loaded.

import { load } from "./words.js";

load().then(() => import("./console.js"));
