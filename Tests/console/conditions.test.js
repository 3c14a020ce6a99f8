import assert from "node:assert/strict";
import test from "node:test";

import * as conditions from "../../Public/conditions.js";

const tokyo = { latitude: 35.681236, longitude: 139.767125 };

test("texts are quoted so that they stay texts", () => {
    assert.equal(conditions.quoted("sea"), "'sea'");
    assert.equal(conditions.quoted("it's"), "'it\\'s'");
    assert.equal(conditions.quoted("a\\' OR good > 0"), "'a\\\\\\' OR good > 0'");
    assert.equal(conditions.quoted("one\ntwo\t\u0007"), "'one\\ntwo\\t\\u0007'");
    assert.equal(conditions.quoted("%@ $x \"q\" 船"), "'%@ $x \"q\" 船'");
});

test("a field with the name of a keyword has a #", () => {
    assert.equal(conditions.field("place"), "place");
    assert.equal(conditions.field("Some"), "#Some");
    assert.equal(conditions.field("in"), "#in");
    assert.equal(conditions.field("inside"), "inside");
});

test("times are dates within the years that have one", () => {
    assert.equal(conditions.time(1767225600000), "date('2026-01-01T00:00:00Z')");
    assert.equal(conditions.time(1767225600250), "date('2026-01-01T00:00:00.250Z')");
    assert.equal(conditions.time(-1), "date('1969-12-31T23:59:59.999Z')");
    assert.equal(conditions.time(-62135596800001), "-62135596800001");
});

test("a condition that is added applies to all alternatives of the others", () => {
    assert.equal(conditions.both("", "b"), "b");
    assert.equal(conditions.both("a > 1", "b"), "a > 1 AND b");
    assert.equal(conditions.both("a > 1 OR c", "b"), "(a > 1 OR c) AND b");
    assert.equal(conditions.both("a||c", "b"), "(a||c) AND b");
    assert.equal(conditions.both("(a or c)", "b"), "(a or c) AND b");
    assert.equal(conditions.both("(a) OR (c)", "b"), "((a) OR (c)) AND b");
    assert.equal(conditions.both("(a == ')' OR c == 'x\\'(')", "b"), "(a == ')' OR c == 'x\\'(') AND b");
    assert.equal(conditions.both("color == 1", "b"), "color == 1 AND b");
});

test("a circle is a distance with the digits that the map can show", () => {
    assert.equal(conditions.inCircle("place", { center: tokyo, meters: 5234 }, 0.01),
        "distance(place, loc(35.68, 139.77)) <= 5.23 km");
    assert.equal(conditions.inCircle("place", { center: tokyo, meters: 86.44 }, 1e-6),
        "distance(place, loc(35.681236, 139.767125)) <= 86.4 m");
    assert.equal(conditions.inCircle("in", { center: { latitude: -0.001, longitude: -180 }, meters: 12_345_678 }, 0.36),
        "distance(#in, loc(0, -180)) <= 12300 km");
    assert.equal(conditions.distanceText(999.6), "1 km");
});

test("a box has its south, west, north and east", () => {
    assert.equal(conditions.inBox("place", { south: 35, west: 139.123, north: 36.5, east: 140 }, 0.1),
        "place IN box(35, 139.1, 36.5, 140)");
    assert.equal(conditions.inBox("place", { south: -1, west: 179, north: 1, east: -179 }, 0.1), "place IN box(-1, 179, 1, -179)");
});

test("a drawn condition replaces the one before it, and nothing else", () => {
    const circle = "distance(place, loc(35.68, -139.77)) <= 5.23 km";
    const box = "place IN box(35, -139.1, 36.5, 140)";
    assert.equal(conditions.withDrawn("", "place", circle), circle);
    assert.equal(conditions.withDrawn(circle, "place", box), box);
    assert.equal(conditions.withDrawn(box, "place", circle), circle);
    assert.equal(conditions.withDrawn(`good > 3 AND ${box}`, "place", circle), `good > 3 AND ${circle}`);
    assert.equal(conditions.withDrawn(`(a OR b) AND ${circle}`, "place", box), `(a OR b) AND ${box}`);
    assert.equal(conditions.withDrawn(`good > 3 AND ${box}`, "home", circle), `good > 3 AND ${box} AND ${circle}`);
    assert.equal(conditions.withDrawn(`${box} AND good > 3`, "place", circle), `${box} AND good > 3 AND ${circle}`);
    // Here the box belongs to the second alternative.
    assert.equal(conditions.withDrawn(`a OR b AND ${box}`, "place", circle), `(a OR b AND ${box}) AND ${circle}`);
    assert.equal(conditions.withDrawn("distance(place, loc(1, 2)) <= 3 km OR a", "place", box),
        `(distance(place, loc(1, 2)) <= 3 km OR a) AND ${box}`);
});
