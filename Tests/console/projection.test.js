import assert from "node:assert/strict";
import test from "node:test";

import { coasts } from "../../Public/map/coasts.js";
import * as projection from "../../Public/map/projection.js";

const { area, wholeWorld } = projection;
const tokyo = { latitude: 35.68, longitude: 139.77 };
const oslo = { latitude: 59.91, longitude: 10.75 };
const views = [wholeWorld, { x: 139, y: -36, width: 4 }, { x: -179.5, y: 18, width: 30 }, { x: 10, y: -60, width: 0.01 }];

function near(actual, wanted, tolerance = 1e-6) {
    assert.ok(Math.abs(actual - wanted) <= tolerance, `${actual} is not ${wanted}`);
}

test("a place that is projected and read back is the same place, also at the poles", () => {
    for (const place of [tokyo, oslo, { latitude: -90, longitude: 0 }, { latitude: 90, longitude: -180 }, { latitude: 0, longitude: 0 }]) {
        const back = projection.unproject(projection.project(place));
        near(back.latitude, place.latitude);
        near(back.longitude, place.longitude);
    }
    near(projection.project({ latitude: 0, longitude: 7 }).y, 0);
    assert.ok(projection.project(oslo).y < projection.project(tokyo).y, "north is up");
});

test("a point of the drawing area is where its place is drawn, in each view", () => {
    for (const view of views) {
        for (const point of [{ x: 0.5, y: 300 }, { x: 500, y: 280 }, { x: 999, y: 200 }]) {
            const back = projection.onScreen(view, projection.placeAt(view, point));
            near(back.x, point.x, 1e-4);
            near(back.y, point.y, 1e-4);
        }
    }
});

test("a place beyond the date line is drawn beside its neighbors", () => {
    const view = { x: 179, y: 0, width: 10 };
    near(projection.onScreen(view, { latitude: 0, longitude: -179 }).x, 700, 1e-6);
    near(projection.onScreen(view, { latitude: 0, longitude: 178 }).x, 400, 1e-6);
});

test("zooming keeps the place under the pointer", () => {
    for (const view of views.slice(1, 3)) {
        const point = { x: 800, y: 100 };
        const before = projection.placeAt(view, point);
        const after = projection.placeAt(projection.zoomed(view, 2, point), point);
        near(after.latitude, before.latitude);
        near(after.longitude, before.longitude);
        near(projection.zoomed(view, 2, point).width, view.width / 2);
    }
});

test("moving and zooming never leave the world", () => {
    const top = projection.moved({ x: 0, y: 0, width: 90 }, 0, 1e6);
    near(projection.placeAt(top, { x: 0, y: 0 }).latitude, 90);
    near(projection.placeAt(projection.moved(top, 0, -1e7), { x: 0, y: area.height }).latitude, -90);
    assert.equal(projection.zoomed(wholeWorld, 1 / 8).width, 360);
    assert.equal(projection.zoomed(wholeWorld, 1e9).width, 0.002);
    const around = projection.moved({ x: 170, y: 0, width: 100 }, -200, 0);
    near(around.x, -170);
});

test("a view that fits places shows all of them", () => {
    for (const places of [
        [tokyo], [tokyo, oslo], [{ latitude: -17.7, longitude: 178 }, { latitude: -13.8, longitude: -171.8 }],
        [{ latitude: 89, longitude: 0 }, { latitude: 70, longitude: 100 }], [tokyo, { ...tokyo, latitude: 35.6801 }],
    ]) {
        const view = projection.fitting(places);
        for (const place of places) assert.ok(projection.isOnScreen(projection.onScreen(view, place)), JSON.stringify([view, place]));
        assert.ok(view.width < 280, `${view.width}`);
    }
    assert.ok(projection.fitting([{ latitude: 0, longitude: 178 }, { latitude: 0, longitude: -178 }]).width < 10);
    assert.deepEqual(projection.fitting([]), wholeWorld);
    assert.deepEqual(projection.fitting([-150, -60, 30, 120].map((longitude) => ({ latitude: 0, longitude }))), wholeWorld);
});

test("the shortest range of longitudes crosses the date line where that is shorter", () => {
    assert.deepEqual(projection.longitudeRange([170, -170]), { start: 170, length: 20 });
    assert.deepEqual(projection.longitudeRange([-10, 20, 5]), { start: -10, length: 30 });
    assert.deepEqual(projection.longitudeRange([180, -180]), { start: -180, length: 0 });
});

test("distances are those of the server's sphere", () => {
    near(projection.distance({ latitude: 0, longitude: 0 }, { latitude: 0, longitude: 90 }), Math.PI / 2 * projection.earthRadius, 1e-3);
    near(projection.distance({ latitude: 90, longitude: 0 }, { latitude: -90, longitude: 50 }), Math.PI * projection.earthRadius, 1e-3);
    near(projection.distance(tokyo, oslo) / 1000, 8409, 15);
    assert.equal(projection.distance(tokyo, tokyo), 0);
});

test("all places of a circle have its distance from the center", () => {
    for (const [center, meters] of [[tokyo, 5000], [oslo, 3_000_000], [{ latitude: 89.9, longitude: 12 }, 100_000],
        [{ latitude: -17, longitude: 179.9 }, 400_000], [tokyo, 15_000_000]]) {
        const places = projection.circle(center, meters);
        assert.equal(places.length, 72);
        for (const place of places) near(projection.distance(center, place), meters, 0.01);
    }
});

test("a box is named by its edges, across the date line from east to west", () => {
    const view = { x: 180, y: 0, width: 20 };
    const [one, other] = [{ x: 750, y: 100 }, { x: 250, y: 400 }];
    const box = projection.boxBetween(view, one, other);
    near(box.west, 175);
    near(box.east, -175);
    assert.ok(box.south < box.north);
    assert.deepEqual(projection.boxBetween(view, other, one), box, "in whichever direction it is drawn");
    const all = projection.boxBetween(wholeWorld, { x: 0, y: 0 }, { x: area.width, y: area.height });
    assert.deepEqual([all.west, all.east], [-180, 180]);
});

test("the circle in the middle of a view is visible as a whole", () => {
    for (const view of views) {
        const { center, meters } = projection.circleInside(view);
        const points = projection.circle(center, meters * 0.999).map((place) => projection.onScreen(view, place));
        for (const { y } of points) assert.ok(y >= -0.5 && y <= area.height + 0.5, `${JSON.stringify(view)} ${y}`);
    }
});

test("the graticule has round degrees, a few of them in each view", () => {
    for (const view of views) {
        const { meridians, parallels } = projection.graticule(view);
        assert.ok(meridians.length >= 5 && meridians.length <= 16, `${meridians}`);
        assert.ok(parallels.length >= 2 && parallels.length <= 16, `${parallels}`);
        for (const degrees of meridians) assert.ok(Math.abs(degrees - view.x) <= view.width / 2 + 1e-9);
    }
    assert.deepEqual(projection.graticule({ x: 179, y: 0, width: 12 }).meridians, [174, 176, 178, 180, 182, 184]);
});

test("the scale bar has a round length that fits", () => {
    for (const view of views) {
        const { meters, width } = projection.scaleBar(view);
        assert.match(String(meters), /^[125]0*$/);
        assert.ok(width > area.width / 20 && width <= area.width / 5, `${width}`);
    }
});

test("the coasts are closed lines on the globe, and land is where it should be", () => {
    const isLand = ({ latitude, longitude }) => coasts.reduce((isInside, corners) => {
        let crossings = 0;
        corners.forEach((one, at) => {
            const other = corners[(at + 1) % corners.length];
            if ((one.latitude > latitude) === (other.latitude > latitude)) return;
            const part = (latitude - one.latitude) / (other.latitude - one.latitude);
            if (one.longitude + part * (other.longitude - one.longitude) > longitude) crossings += 1;
        });
        return crossings % 2 === 1 ? !isInside : isInside;
    }, false);
    for (const corners of coasts) {
        assert.ok(corners.length >= 2);
        for (const { latitude, longitude } of corners) {
            assert.ok(Math.abs(latitude) <= 90 && Math.abs(longitude) <= 190, `${longitude} ${latitude}`);
        }
    }
    const land = { Denver: [39.7, -105], Brasilia: [-15.8, -47.9], Berlin: [52.5, 13.4], Nairobi: [-1.3, 36.8], Delhi: [28.6, 77.2],
        Beijing: [39.9, 116.4], "Alice Springs": [-23.7, 133.9], Antarctica: [-85, 0], Nagano: [36.6, 138.2], Ankara: [39.9, 32.9],
        Madrid: [40.4, -3.7], Leeds: [53.8, -1.5], Reykjavik: [64.5, -19], Antananarivo: [-18.9, 47.5] };
    for (const [name, [latitude, longitude]] of Object.entries(land)) assert.ok(isLand({ latitude, longitude }), name);
    const sea = { Atlantic: [30, -40], Pacific: [0, -150], "Indian Ocean": [-20, 80], Mediterranean: [35, 18], "North Sea": [56, 3],
        "Black Sea": [43, 34], "Caspian Sea": [42, 51], "Hudson Bay": [60, -85], "Gulf of Mexico": [25, -90], "Red Sea": [20, 38.5],
        "Sea of Japan": [40, 134], "Bay of Bengal": [15, 88], "Persian Gulf": [27, 51.5], "Baltic Sea": [58.5, 20], Arctic: [85, 0] };
    for (const [name, [latitude, longitude]] of Object.entries(sea)) assert.ok(!isLand({ latitude, longitude }), name);
});
