import assert from "node:assert/strict";
import test from "node:test";

const { fitted, narrowest } = await import("../../Public/widths.js");

const column = (min, ideal, more = {}) => ({ min, ideal, ...more });

test("no column is narrower than its minimum, whatever the room", () => {
    // The columns of the settings: under `table-layout: fixed`, the last one had 0 pixels in a room of 744.
    const columns = [column(176, 296), column(104, 224), column(96, 160, { priority: 1 }), column(192, 480, { grow: 1 })];
    for (let room = 0; room <= 2_000; room += 7) {
        const widths = fitted(columns, room);
        widths.forEach((width, at) => {
            if (width !== null) assert.ok(width >= columns[at].min, `${width} in ${room}`);
        });
        const shown = widths.filter((width) => width !== null);
        const sum = shown.reduce((total, width) => total + width, 0);
        assert.ok(sum <= Math.max(room, 472), `${sum} in ${room}`);
        if (room >= 568) assert.ok(shown.length === 4 && room - sum < 4, `${sum} in ${room}`);
        else assert.equal(widths[2], null);
    }
});

test("the least important columns go first, the last of them before the others, and those with 0 stay", () => {
    const columns = [column(100, 100), column(100, 100, { priority: 2 }), column(100, 100, { priority: 1 }), column(100, 100, { priority: 2 })];
    assert.deepEqual(fitted(columns, 400), [100, 100, 100, 100]);
    assert.deepEqual(fitted(columns, 399), [133, 133, 133, null]);
    assert.deepEqual(fitted(columns, 299), [149, null, 149, null]);
    assert.deepEqual(fitted(columns, 199), [199, null, null, null]);
    assert.deepEqual(fitted(columns, 50), [100, null, null, null]);
});

test("room beyond the minimum goes to what columns lack, then to those that grow", () => {
    const columns = [column(100, 200), column(100, 300), column(50, 50, { solid: true })];
    assert.deepEqual(fitted(columns, 400), [150, 200, 50]);
    assert.deepEqual(fitted(columns, 550), [200, 300, 50]);
    assert.deepEqual(fitted(columns, 650), [240, 360, 50]);
    assert.deepEqual(fitted([column(100, 200, { grow: 1 }), column(100, 300)], 600), [300, 300]);
    assert.deepEqual(fitted([], 600), []);
    assert.equal(narrowest, 4);
});
