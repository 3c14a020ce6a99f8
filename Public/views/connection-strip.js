// The line below the header that says that the server cannot be reached. It goes by itself.

import { connection } from "../connection.js";
import { make } from "../dom.js";
import { locale, t } from "../words.js";

const clock = new Intl.DateTimeFormat(locale, { timeStyle: "short" });

export function connectionStrip() {
    const element = make("p", { class: "strip", role: "status", hidden: true });
    function draw(since) {
        element.hidden = since === null;
        element.textContent = since === null ? "" : t("No connection since {time}, trying again", { time: clock.format(since) });
        document.documentElement.classList.toggle("unconnected", since !== null);
    }
    connection.listen(draw);
    draw(connection.since());
    connection.begin();
    return element;
}
