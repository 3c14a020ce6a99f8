// The code of the manual's page “Web pages” is one module. It runs here, with the server's address and the modules' place put in.

import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { pathToFileURL } from "node:url";

import { Server } from "./server.js";

const root = new URL("../../", import.meta.url);

test("the code of the manual's page for web pages works as printed, and again", { timeout: 60_000 }, async (context) => {
    const server = await Server.start();
    const directory = await mkdtemp(join(tmpdir(), "fogbase-page-"));
    context.after(async () => {
        await server.end();
        await rm(directory, { recursive: true });
    });
    const page = await readFile(new URL("Sources/fogbase/fogbase.docc/WebPages.md", root), "utf8");
    const blocks = page.split("```js\n").slice(1).map((part) => part.split("```")[0]);
    assert.equal(blocks.length, 4);
    const code = blocks.join("\n").replace("http://127.0.0.1:8080", server.url)
        .replace("./live-query.js", new URL("Public/live-query.js", root).href);
    const file = join(directory, "main.mjs");
    await writeFile(file, `${code}\nexport { attach, call, enter, follow, write };\n`);
    const main = await import(pathToFileURL(file).href);

    for (const round of [1, 2]) {
        await main.enter("wanda", "correct horse battery");
        assert.equal(await main.write(), "Somebody has changed it: Fog");
        const { records } = await main.call("GET", "/records/Sight");
        assert.equal(records.length, round);
        assert.equal(records[0].fields.likes.value, 1);
        const address = `/records/Sight/${records[0].recordName}`;
        await main.attach(new File(["fog"], "fog über.txt", { type: "text/plain" }), address);
        const { fields } = await main.call("GET", address);
        assert.equal(await (await fetch(new URL(fields.picture.value.downloadURL, server.url))).text(), "fog");
    }

    const ends = new AbortController();
    const seen = [];
    let writing;
    await main.follow((sights) => {
        seen.push(sights.length);
        if (seen.length === 1) writing = main.write();
        if (sights.length === 3) ends.abort();
    }, ends.signal);
    await writing;
    assert.equal(seen[0], 2);
    await assert.rejects(main.call("GET", "/records/Sight/none"), (error) => error.status === 404 && error.message.length > 0);
});
