// The geometry of the map: Miller's cylindrical projection, the view of a part of the world, distances, and circles. On the
// map, x is the longitude and y grows to the south, both in degrees; x repeats every 360 degrees.

const radians = Math.PI / 180;

/** The radius of the earth in meters, with which the server computes distances. */
export const earthRadius = 6_371_008.8;

/** The drawing area, in the units of its `viewBox`. */
export const area = { width: 1000, height: 560 };

const mostWidth = 360;
const leastWidth = 0.002;

/** The least width of a view that fits places, and the width from which it is the whole world. */
const [fitWidth, worldFrom] = [0.05, 280];

/** The view of the inhabited world. */
export const wholeWorld = Object.freeze({ x: 10, y: -18, width: mostWidth });

/** A number of degrees between -180 and 180, without 180. */
export function wrapped(degrees) {
    return degrees - 360 * Math.floor((degrees + 180) / 360);
}

export function project({ latitude, longitude }) {
    return { x: longitude, y: -1.25 / radians * Math.log(Math.tan(Math.PI / 4 + 0.4 * latitude * radians)) };
}

export function unproject({ x, y }) {
    return { latitude: (Math.atan(Math.exp(-0.8 * y * radians)) - Math.PI / 4) / (0.4 * radians), longitude: wrapped(x) };
}

const edge = -project({ latitude: 90, longitude: 0 }).y;

/** The view that is nearest to this one and does not leave the world. A view is its center on the map and its width. */
export function bounded({ x, y, width }) {
    const bounds = Math.min(mostWidth, Math.max(leastWidth, width));
    const space = Math.max(0, edge - bounds * area.height / area.width / 2);
    return { x: wrapped(x), y: Math.min(space, Math.max(-space, y)), width: bounds };
}

/** Where a place appears in the drawing area. Of its repetitions, the one nearest to the center. */
export function onScreen(view, place) {
    const { x, y } = project(place);
    const scale = area.width / view.width;
    return { x: area.width / 2 + wrapped(x - view.x) * scale, y: area.height / 2 + (y - view.y) * scale };
}

/** The place at a point of the drawing area. */
export function placeAt(view, { x, y }) {
    const scale = view.width / area.width;
    const bottom = Math.min(edge, Math.max(-edge, view.y + (y - area.height / 2) * scale));
    return unproject({ x: view.x + (x - area.width / 2) * scale, y: bottom });
}

export function isOnScreen({ x, y }) {
    return x >= 0 && x <= area.width && y >= 0 && y <= area.height;
}

/** The view after a move of its content by a vector of the drawing area. */
export function moved(view, dx, dy) {
    const scale = view.width / area.width;
    return bounded({ ...view, x: view.x - dx * scale, y: view.y - dy * scale });
}

/** The view magnified by a factor. The place at `point` of the drawing area stays where it is. */
export function zoomed(view, factor, point = { x: area.width / 2, y: area.height / 2 }) {
    const width = Math.min(mostWidth, Math.max(leastWidth, view.width / factor));
    const change = (view.width - width) / area.width;
    return bounded({
        x: view.x + (point.x - area.width / 2) * change, y: view.y + (point.y - area.height / 2) * change, width,
    });
}

/** The shortest range of longitudes that contains all of them, as its start and length. It may cross the date line. */
export function longitudeRange(longitudes) {
    const sorted = longitudes.map(wrapped).sort((one, other) => one - other);
    let [start, gap] = [sorted[0], sorted[0] + 360 - sorted.at(-1)];
    for (let at = 1; at < sorted.length; at += 1) {
        if (sorted[at] - sorted[at - 1] > gap) [start, gap] = [sorted[at], sorted[at] - sorted[at - 1]];
    }
    return { start, length: 360 - gap };
}

/** The view that shows all these places with a margin; the whole world without places. */
export function fitting(places) {
    if (places.length === 0) return wholeWorld;
    const { start, length } = longitudeRange(places.map(({ longitude }) => longitude));
    const heights = places.map((place) => project(place).y);
    const [top, bottom] = [Math.min(...heights), Math.max(...heights)];
    const needed = Math.max(length, (bottom - top) * area.width / area.height) * 1.25;
    if (needed > worldFrom) return wholeWorld;
    return bounded({ x: start + length / 2, y: (top + bottom) / 2, width: Math.max(needed, fitWidth) });
}

/** The distance in meters on the sphere. */
export function distance(one, other) {
    const half = (degrees) => Math.sin(degrees * radians / 2) ** 2;
    const chord = half(other.latitude - one.latitude)
        + Math.cos(one.latitude * radians) * Math.cos(other.latitude * radians) * half(other.longitude - one.longitude);
    return 2 * earthRadius * Math.asin(Math.min(1, Math.sqrt(chord)));
}

/** Places on the circle around `center`, clockwise from the north. */
export function circle(center, meters, count = 72) {
    const angle = meters / earthRadius;
    const [sine, cosine] = [Math.sin(center.latitude * radians), Math.cos(center.latitude * radians)];
    return Array.from({ length: count }, (_, at) => {
        const bearing = 2 * Math.PI * at / count;
        const height = sine * Math.cos(angle) + cosine * Math.sin(angle) * Math.cos(bearing);
        const turn = Math.atan2(Math.sin(bearing) * Math.sin(angle) * cosine, Math.cos(angle) - sine * height);
        const latitude = Math.asin(Math.min(1, Math.max(-1, height))) / radians;
        return { latitude, longitude: wrapped(center.longitude + turn / radians) };
    });
}

/** The box between two points of the drawing area: `{south, west, north, east}`. West of the date line, `west > east`. */
export function boxBetween(view, one, other) {
    const southWest = placeAt(view, { x: Math.min(one.x, other.x), y: Math.max(one.y, other.y) });
    const northEast = placeAt(view, { x: Math.max(one.x, other.x), y: Math.min(one.y, other.y) });
    const isAround = Math.abs(one.x - other.x) * view.width / area.width >= 360;
    return {
        south: southWest.latitude, west: isAround ? -180 : southWest.longitude,
        north: northEast.latitude, east: isAround ? 180 : northEast.longitude,
    };
}

/** The largest circle around the center of the view that the view shows, as `{center, meters}`. */
export function circleInside(view) {
    const center = placeAt(view, { x: area.width / 2, y: area.height / 2 });
    const edges = [{ x: area.width / 2, y: 0 }, { x: area.width / 2, y: area.height }, { x: area.width, y: area.height / 2 }];
    return { center, meters: Math.min(...edges.map((point) => distance(center, placeAt(view, point)))) };
}

/** The distance in degrees between the lines of the graticule, so that about six of them are visible. */
export function graticuleStep({ width }) {
    const steps = [30, 20, 10, 5, 2, 1, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001, 0.0005];
    return steps.find((step) => width / step >= 6) ?? steps.at(-1);
}

/** The graticule of a view: `{meridians, parallels}` in degrees. Meridians may exceed 180. */
export function graticule(view) {
    const step = graticuleStep(view);
    const top = placeAt(view, { x: 0, y: 0 }).latitude;
    const bottom = placeAt(view, { x: 0, y: area.height }).latitude;
    const multiples = (from, to) => {
        const first = Math.ceil(from / step);
        const count = Math.max(0, Math.floor(to / step) - first + 1);
        return Array.from({ length: count }, (_, at) => Number(((first + at) * step).toFixed(4)));
    };
    return {
        meridians: multiples(view.x - view.width / 2, view.x + view.width / 2),
        parallels: multiples(bottom, top),
    };
}

/** A round length for the scale bar: `{meters, width}`, at most a fifth of the drawing area at the center of the view. */
export function scaleBar(view) {
    const { latitude } = placeAt(view, { x: 0, y: area.height / 2 });
    const perUnit = view.width / area.width * radians * earthRadius * Math.cos(latitude * radians);
    const most = perUnit * area.width / 5;
    const power = 10 ** Math.floor(Math.log10(most));
    const meters = [5, 2, 1].find((each) => each * power <= most) * power;
    return { meters, width: meters / perUnit };
}
