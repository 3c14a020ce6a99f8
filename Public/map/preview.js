// A small map that shows where one place is.

import { draw } from "../dom.js";
import { t } from "../words.js";
import { coasts } from "./coasts.js";
import { area, project } from "./projection.js";

const width = 60; // degrees of longitude
const lines = coasts.map((corners) => corners.map(project));

/** A drawing with a dot in its middle, or `null` for a place that no map has. */
export function preview({ latitude, longitude }) {
    if (!(Math.abs(latitude) <= 85 && Math.abs(longitude) <= 180)) return null;
    const view = { ...project({ latitude, longitude }), width };
    const title = t("Map around {latitude}, {longitude}", { latitude: String(latitude), longitude: String(longitude) });
    return draw("svg", { class: "small-map", viewBox: `0 0 ${area.width} ${area.height}`, role: "img", "aria-label": title },
        land(view), draw("circle", { cx: area.width / 2, cy: area.height / 2, r: 20 }));
}

/** The coasts, also those of the neighboring world across the date line. */
function land(view) {
    const scale = area.width / view.width;
    const text = (shift) => lines.map((outline) => `M${outline.map(({ x, y }) => (
        `${Math.round((x + shift - view.x) * scale + area.width / 2)} ${Math.round((y - view.y) * scale + area.height / 2)}`
    )).join(" ")}Z`).join("");
    return draw("path", { class: "land", "fill-rule": "evenodd", d: [-360, 0, 360].map(text).join("") });
}
