import { inBox, inCircle } from "../conditions.js";
import { draw, freshID, make } from "../dom.js";
import { coasts } from "../map/coasts.js";
import { pageText, placesOf } from "../map/places.js";
import * as projection from "../map/projection.js";
import * as router from "../router.js";
import * as schema from "../schema.js";
import { t, tn } from "../words.js";
import { columnTable } from "./table.js";

const { area } = projection;
const lines = coasts.map((corners) => corners.map((corner) => projection.project(corner))
    .map(({ x, y }, at) => `${at === 0 ? "M" : "L"}${x} ${y.toFixed(2)}`).join("") + "Z").join("");
const step = area.width / 10;
const dragStart = 4; // pixels
const pause = 400; // milliseconds
const tools = [["move", t("Move")], ["circle", t("Draw a circle")], ["box", t("Draw a box")]];

/** The part of the world that was shown last, for the way back from a record to the map. */
let kept = { address: null, view: null };
/** The part of the world for the map that is opened next: a search in a drawn shape does not move the map. */
let nextView = null;

const degreeText = (degrees, [positive, negative]) => ([0, -180].includes(degrees) ? `${Math.abs(degrees)}°`
    : `${Math.abs(degrees)}° ${degrees > 0 ? positive : negative}`);

function recordAddress(typeName, recordName) {
    return router.address(["types", typeName, "record", recordName]);
}

function placeText({ latitude, longitude }) {
    return `${latitude}, ${longitude}`;
}

function lengthText(meters) {
    return meters >= 1000 ? `${meters / 1000} km` : `${meters} m`;
}

function graticule(view) {
    const { meridians, parallels } = projection.graticule(view);
    const line = (x1, y1, x2, y2) => draw("line", { x1, y1, x2, y2 });
    return [
        ...meridians.flatMap((degrees) => {
            const x = area.width / 2 + (degrees - view.x) * area.width / view.width;
            return [line(x, 0, x, area.height), draw("text", { x: x + 4, y: area.height - 6 },
                degreeText(Number(projection.wrapped(degrees).toFixed(4)), ["E", "W"]))];
        }),
        ...parallels.flatMap((degrees) => {
            const { y } = projection.onScreen(view, { latitude: degrees, longitude: 0 });
            return [line(0, y, area.width, y), draw("text", { x: 6, y: y - 4 }, degreeText(degrees, ["N", "S"]))];
        }),
    ];
}

function scale(view) {
    const { meters, width } = projection.scaleBar(view);
    const [right, bottom] = [area.width - 16, area.height - 30];
    return [
        draw("path", { d: `M${right - width} ${bottom - 6}v6h${width}v-6` }),
        draw("text", { x: right, y: bottom - 10, "text-anchor": "end" }, lengthText(meters)),
    ];
}

/** The outline of a circle on the map. A circle around a pole is wider than the world and stays open there. */
function circlePath(view, { center, meters }) {
    const middle = projection.onScreen(view, center);
    const perDegree = area.width / view.width;
    return projection.circle(center, meters).map((place, at) => {
        const x = middle.x + projection.wrapped(place.longitude - center.longitude) * perDegree;
        return `${at === 0 ? "M" : "L"}${x.toFixed(1)} ${projection.onScreen(view, place).y.toFixed(1)}`;
    }).join("") + "Z";
}

/** The shape in the middle of the view that the keyboard offers: the same one as a drag between two points. */
function middleShape(tool, view) {
    if (tool === "box") return [{ x: area.width * 0.1, y: area.height * 0.1 }, { x: area.width * 0.9, y: area.height * 0.9 }];
    const { center, meters } = projection.circleInside(view);
    return { center, meters: meters * 0.9 };
}

function list(typeName, found) {
    const cell = (degrees) => make("td", { class: "number" }, String(degrees));
    return columnTable({
        label: t("Places in view"), style: "", tableStyle: "lines",
        columns: [{ title: "recordName", min: 7 }, { title: t("Latitude"), style: "number" }, { title: t("Longitude"), style: "number" }],
        body: make("tbody", {}, found.map(({ recordName, place }) => make("tr", {},
            make("th", { scope: "row" }, make("a", { href: recordAddress(typeName, recordName) }, recordName)),
            cell(place.latitude), cell(place.longitude)))),
    });
}

/**
 * The places of a page of records on a map of the world, which moves by mouse and keyboard. `find(condition)` searches for the
 * records in a circle or a box that the user has drawn.
 */
export function mapView(typeName, field, answer, find) {
    const places = placesOf(answer.records, field, schema.fields(typeName).get(field));
    const address = location.hash;
    let view = nextView ?? (kept.address === address ? kept.view : projection.fitting(places.map(({ place }) => place)));
    nextView = null;
    let tool = "move";
    let drag = null;
    let isScheduled = false;
    let timer;

    const [landID, hintID] = [freshID("land"), freshID("map-hint")];
    const copies = draw("g", { class: "land" },
        [-360, 0, 360].map((x) => (x === 0 ? draw("path", {
            id: landID, d: lines, "fill-rule": "evenodd", "vector-effect": "non-scaling-stroke",
        })
            : draw("use", { href: `#${landID}`, x }))));
    const grid = draw("g", { class: "graticule" });
    const bar = draw("g", { class: "scale" });
    const shape = draw("path", { class: "shape" });
    const dots = places.map(({ recordName, place }) => ({ place, element: draw("a", {
        href: recordAddress(typeName, recordName), tabindex: "-1",
    }, draw("title", {}, `${recordName}: ${placeText(place)}`), draw("circle", { r: 6 })) }));
    // A screen reader gets the places from the list below the map.
    const layers = [copies, grid, draw("g", { class: "dots" }, dots.map(({ element }) => element)), shape, bar];
    const picture = draw("svg", {
        class: "world", viewBox: `0 0 ${area.width} ${area.height}`, tabindex: "0", role: "application",
        "aria-label": t("Map of {field}", { field }), "aria-describedby": hintID,
        onkeydown: press, onwheel: turn, onpointerdown: grab, onpointermove: pull, onpointerup: release, onpointercancel: drop,
        ondragstart: (event) => event.preventDefault(),
    }, draw("g", { "aria-hidden": "true" }, layers));
    const state = make("p", { class: "note", role: "status" });
    const listed = make("details", { ontoggle: describe }, make("summary", {}, t("Places in view")));
    const findButton = make("button", { type: "button", class: "small primary", hidden: true, onclick: findMiddle });

    function show(next) {
        view = next;
        kept = { address, view };
        if (isScheduled) return;
        isScheduled = true;
        requestAnimationFrame(render);
    }
    function render() {
        isScheduled = false;
        const factor = area.width / view.width;
        copies.setAttribute("transform", `translate(${area.width / 2 - view.x * factor} ${area.height / 2 - view.y * factor}) `
            + `scale(${factor})`);
        grid.replaceChildren(...graticule(view));
        bar.replaceChildren(...scale(view));
        for (const { place, element } of dots) {
            const point = projection.onScreen(view, place);
            element.setAttribute("visibility", projection.isOnScreen(point) ? "visible" : "hidden");
            element.setAttribute("transform", `translate(${point.x.toFixed(2)} ${point.y.toFixed(2)})`);
        }
        shape.setAttribute("d", shapePath());
        clearTimeout(timer);
        timer = setTimeout(describe, pause);
    }
    /** Says how many places are in view, and lists them if the list is open. */
    function describe() {
        const found = places.filter(({ place }) => projection.isOnScreen(projection.onScreen(view, place)));
        state.textContent = tn("{found} of {count} place in view.", "{found} of {count} places in view.", places.length,
            { found: found.length });
        listed.querySelector(".table")?.remove();
        if (listed.open) listed.append(list(typeName, found));
    }
    function shapePath() {
        const isDrawn = drag !== null && drag.isMoving && tool !== "move";
        if (tool === "move") return "";
        const drawn = isDrawn ? drawnShape() : middleShape(tool, view);
        if (tool === "circle") return circlePath(view, drawn);
        const [one, other] = drawn;
        return `M${one.x} ${one.y}H${other.x}V${other.y}H${one.x}Z`;
    }
    function drawnShape() {
        if (tool === "box") return [drag.from, drag.to];
        const center = projection.placeAt(view, drag.from);
        return { center, meters: projection.distance(center, projection.placeAt(view, drag.to)) };
    }
    function findIn(found) {
        const precision = view.width / area.width;
        nextView = view;
        find(tool === "circle" ? inCircle(field, found, precision)
            : inBox(field, projection.boxBetween(view, ...found), precision));
    }
    function findMiddle() {
        findIn(middleShape(tool, view));
    }
    function choose(value) {
        tool = value;
        drag = null;
        document.getElementsByName(toolName).forEach((each) => { each.checked = each.value === value; });
        picture.classList.toggle("drawing", tool !== "move");
        findButton.hidden = tool === "move";
        findButton.textContent = tool === "circle" ? t("Find in this circle") : t("Find in this box");
        show(view);
    }

    function press(event) {
        if (event.ctrlKey || event.metaKey || event.altKey) return;
        const actions = {
            ArrowLeft: () => show(projection.moved(view, step, 0)), ArrowRight: () => show(projection.moved(view, -step, 0)),
            ArrowUp: () => show(projection.moved(view, 0, step)), ArrowDown: () => show(projection.moved(view, 0, -step)),
            "+": () => zoom(2), "=": () => zoom(2), "-": () => zoom(1 / 2), 0: showAll,
            Enter: tool === "move" || event.target !== picture ? undefined : findMiddle,
            Escape: tool === "move" ? undefined : () => choose("move"),
        };
        const action = actions[event.key];
        if (action === undefined) return;
        event.preventDefault();
        action();
    }
    function zoom(factor, point) {
        show(projection.zoomed(view, factor, point));
    }
    function showAll() {
        show(projection.fitting(places.map(({ place }) => place)));
    }
    function pointOf(event) {
        const { left, top, width, height } = picture.getBoundingClientRect();
        return { x: (event.clientX - left) * area.width / width, y: (event.clientY - top) * area.height / height };
    }
    /** The wheel scrolls the page unless the map has the focus. */
    function turn(event) {
        if (!event.ctrlKey && !picture.contains(document.activeElement)) return;
        event.preventDefault();
        zoom(2 ** (-Math.sign(event.deltaY) / 2), pointOf(event));
    }
    function grab(event) {
        if (event.button !== 0 || !event.isPrimary) return;
        const point = pointOf(event);
        drag = { from: point, to: point, last: point, start: [event.clientX, event.clientY], isMoving: false };
    }
    function pull(event) {
        if (drag === null || !event.isPrimary) return;
        if (!drag.isMoving) {
            if (Math.hypot(event.clientX - drag.start[0], event.clientY - drag.start[1]) < dragStart) return;
            drag.isMoving = true;
            // The click at the end of a drag then does not follow the link of a place.
            picture.setPointerCapture(event.pointerId);
        }
        const point = pointOf(event);
        if (tool === "move") show(projection.moved(view, point.x - drag.last.x, point.y - drag.last.y));
        [drag.to, drag.last] = [point, point];
        if (tool !== "move") show(view);
    }
    function release(event) {
        if (drag === null || !event.isPrimary) return;
        const found = drag.isMoving && tool !== "move" ? drawnShape() : null;
        drop();
        if (found !== null) findIn(found);
    }
    function drop() {
        drag = null;
        show(view);
    }

    const toolName = freshID("tool");
    const button = (title, name, onclick) => make("button", {
        type: "button", class: "small", "aria-label": name, onclick,
    }, title);
    const element = make("section", { class: "panel map", "aria-label": t("Map of {field}", { field }) },
        make("p", { class: "map-page" }, pageText(answer, places, field)),
        make("div", { class: "actions" },
            button("+", t("Zoom in"), () => zoom(2)), button("−", t("Zoom out"), () => zoom(1 / 2)),
            button(t("All places"), null, showAll), button(t("World"), null, () => show(projection.wholeWorld)),
            make("fieldset", { class: "sides" }, make("legend", { class: "visually-hidden" }, t("Mouse on the map")),
                tools.map(([value, title]) => {
                    const id = freshID("tool");
                    return [make("input", {
                        type: "radio", id, name: toolName, value, checked: value === tool, onchange: () => choose(value),
                    }), make("label", { for: id }, title)];
                })),
            findButton),
        picture,
        make("p", { class: "note", id: hintID }, t("Drag or use the arrow keys to move the map, + and − to zoom, 0 for all places. The "
            + "wheel zooms once the map has the focus. With “Draw a circle” or “Draw a box”, drag or press Enter to search there.")),
        state, listed);
    render();
    describe();
    return element;
}
