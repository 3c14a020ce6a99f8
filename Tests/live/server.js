// The real server, with a data directory of its own.

import { spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

const program = process.env.FOGBASE ?? new URL("../../.build/release/fogbase", import.meta.url).pathname;
const modules = new URL("../../Public", import.meta.url).pathname;
export const admin = "fogadm_live_0123456789abcdefghijklmnopqr";

/** A port below the range of ephemeral ports: while the server restarts, no client can take it. */
async function freePort() {
    for (;;) {
        const port = 15_000 + randomInt(17_000);
        const probe = createServer();
        const isFree = await new Promise((resolve) => {
            probe.once("error", () => resolve(false));
            probe.listen(port, "127.0.0.1", () => resolve(true));
        });
        await new Promise((resolve) => probe.close(resolve));
        if (isFree) return port;
    }
}

export class Server {
    #child;
    #directory;
    #port;

    static async start() {
        const server = new Server();
        server.#directory = await mkdtemp(join(tmpdir(), "fogbase-live-"));
        server.#port = await freePort();
        await server.restart();
        return server;
    }

    get url() {
        return `http://127.0.0.1:${this.#port}`;
    }

    /** Starts the process, and returns when it is ready. */
    async restart() {
        const settings = {
            PATH: process.env.PATH, FOGBASE_ADMIN_TOKEN: admin, FOGBASE_LOG_ACCESS: "off", FOGBASE_LIMITS_RATES: "off",
        };
        const child = this.#child = spawn(program, [
            "serve", "--host", "127.0.0.1", "--port", String(this.#port), "--data", join(this.#directory, "data"),
            "--public", modules,
        ], { env: settings, stdio: ["ignore", "ignore", "pipe"] });
        let words = "";
        let problem;
        child.stderr.on("data", (text) => { words += text; });
        child.on("error", (error) => { problem = error; });
        for (;;) {
            if (problem !== undefined) throw problem;
            if (child.exitCode !== null) throw new Error(`The server has ended: ${words}`);
            const response = await fetch(`${this.url}/health/ready`).catch(() => null);
            await response?.arrayBuffer();
            if (response?.status === 200) return;
            await new Promise((resolve) => setTimeout(resolve, 10));
        }
    }

    /** Ends the process as `kill -9` does, or in order with SIGTERM. */
    async kill(signal = "SIGKILL") {
        if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
        const ended = new Promise((resolve) => this.#child.once("exit", resolve));
        this.#child.kill(signal);
        await ended;
    }

    async end() {
        await this.kill();
        await rm(this.#directory, { recursive: true });
    }

    /** Sends a request as the administrator, or with another token, and returns the JSON of the response. */
    async call(method, path, body, token = admin) {
        const response = await fetch(this.url + path, {
            method, body: JSON.stringify(body),
            headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
        });
        const text = await response.text();
        if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
        return text === "" ? undefined : JSON.parse(text);
    }

    put(name, fields) {
        return this.call("PUT", `/records/Post/${name}`, { fields });
    }

    remove(name) {
        return this.call("DELETE", `/records/Post/${name}`);
    }
}
