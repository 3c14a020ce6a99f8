import assert from "node:assert/strict";
import test from "node:test";

import "./page.js";
const { watcher } = await import("../../Public/connection.js");

/** A watcher with a clock of its own. `pass(ms)` lets time go by. */
function scripted() {
    const system = { time: 1_000, isThere: true, visible: true, probes: 0, timers: [] };
    const connection = watcher({
        now: () => system.time, isVisible: () => system.visible,
        probe: async () => {
            system.probes += 1;
            return system.isThere;
        },
        setTimeout: (work, milliseconds) => { system.timers.push({ at: system.time + milliseconds, work }); },
    });
    async function pass(milliseconds) {
        const end = system.time + milliseconds;
        for (;;) {
            const next = system.timers.filter(({ at }) => at <= end).sort((one, other) => one.at - other.at)[0];
            if (next === undefined) break;
            system.timers.splice(system.timers.indexOf(next), 1);
            system.time = next.at;
            await next.work();
        }
        system.time = end;
    }
    const told = [];
    connection.listen((since) => told.push(since));
    return { system, connection, pass, told };
}

test("a lost connection has the time of the first failure, and ends with the next response", async () => {
    const { system, connection, told } = scripted();
    connection.reached();
    assert.deepEqual(told, []);
    connection.lost();
    system.time = 9_000;
    connection.lost();
    assert.deepEqual(told, [1_000]);
    assert.equal(connection.since(), 1_000);
    connection.reached();
    connection.reached();
    assert.deepEqual(told, [1_000, null]);
});

test("a page that calls nothing notices within 8 seconds that the server is gone, and that it is back", async () => {
    const { system, connection, pass, told } = scripted();
    connection.begin();
    connection.begin();
    system.isThere = false;
    await pass(8_000);
    assert.equal(told.length, 1);
    assert.ok(told[0] >= 6_000 && told[0] <= 9_000, String(told[0]));
    system.isThere = true;
    await pass(2_000);
    assert.deepEqual(told.slice(1), [null]);
});

test("nothing is asked while other calls get responses, or while the page is hidden", async () => {
    const { system, connection, pass, told } = scripted();
    connection.begin();
    for (let round = 0; round < 20; round += 1) {
        await pass(1_000);
        connection.reached();
    }
    assert.equal(system.probes, 0);
    [system.visible, system.isThere] = [false, false];
    await pass(60_000);
    assert.deepEqual([system.probes, told], [0, []]);
    system.visible = true;
    await pass(4_000);
    assert.equal(told.length, 1);
});

test("the end of a stream is a doubt: the server is asked once", async () => {
    const { system, connection, told } = scripted();
    await connection.doubt();
    assert.deepEqual([system.probes, told], [1, []]);
    system.isThere = false;
    await Promise.all([connection.doubt(), connection.doubt()]);
    assert.deepEqual([system.probes, told], [2, [1_000]]);
});
