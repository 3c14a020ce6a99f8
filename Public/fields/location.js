import { freshID, make } from "../dom.js";
import { number } from "./decimal.js";
import { InputProblem } from "./problem.js";
import { t } from "../words.js";

export const isGroup = true;

export const summary = (value) => `${value?.latitude ?? "?"}, ${value?.longitude ?? "?"}`;

const coordinates = [
    { key: "latitude", title: t("Latitude"), bound: 90, example: "63.43" },
    { key: "longitude", title: t("Longitude"), bound: 180, example: "10.39" },
];

/** A position in degrees with a small map of it; the items of a list have none. Altitude, speed, accuracies and time stay unchanged; the JSON view can change them. */
export function editor({ value, isItem = false }) {
    const inputs = coordinates.map((coordinate) => ({ ...coordinate, input: make("input", {
        id: freshID(coordinate.key), type: "text", inputmode: "decimal", autocomplete: "off", class: "number",
        value: value?.[coordinate.key] === undefined ? "" : String(value[coordinate.key]),
    }) }));
    const others = Object.keys(value ?? {}).filter((key) => !coordinates.some((coordinate) => coordinate.key === key));

    function read() {
        if (value === undefined && inputs.every(({ input }) => input.value.trim() === "")) return undefined;
        const place = { ...value };
        for (const { key, title, bound, example, input } of inputs) {
            const degrees = number(input, example);
            if (degrees === undefined) throw new InputProblem(t("{title} is missing.", { title }), input);
            if (Math.abs(Number(degrees)) > bound) {
                throw new InputProblem(t("{title} must be between -{bound} and {bound} degrees.", { title, bound }), input);
            }
            place[key] = degrees;
        }
        return place;
    }
    const map = make("div", { class: "map-place" });
    let draw = () => {};

    function show() {
        const [latitude, longitude] = inputs.map(({ input }) => (input.value.trim() === "" ? NaN : Number(input.value.replace("\u2212", "-"))));
        const drawing = draw({ latitude, longitude });
        map.replaceChildren(...[drawing].filter((each) => each instanceof Element));
    }
    if (!isItem) {
        inputs.forEach(({ input }) => input.addEventListener("input", show));
        import("../map/preview.js").then(({ preview }) => {
            draw = preview;
            show();
        }, () => {}); // Without the drawing, the numbers are enough.
    }
    const element = make("div", { class: "parts" },
        inputs.map(({ title, input }) => make("div", {}, make("label", { for: input.id }, title), input)),
        others.length === 0 ? null
            : make("p", { class: "note" }, t("Also: {others}", {
                others: others.map((key) => `${key} ${value[key]}`).join(", "),
            })), isItem ? null : map);
    return { element, control: inputs[0].input, read };
}
