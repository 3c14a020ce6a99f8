import Glibc
import Testing

@testable import Thumbnails

extension ThumbnailTests {
    @Suite struct ThumbnailPoolTests {
        private let directory: TestDirectory
        private let form = ThumbnailForm(width: 10, height: 10, fit: .contain, format: .jpeg)

        init() throws {
            directory = try TestDirectory()
            try directory.write(Beginnings.jpeg, to: "original")
        }

        private var original: String { directory.path + "/original" }

        private func pool(_ program: String, limits: ThumbnailLimits = ThumbnailLimits()) -> ThumbnailPool {
            ThumbnailPool(program: program, scratch: directory.path + "/scratch", limits: limits)
        }

        /// The error of one thumbnail made with a script, after which nothing may be left.
        private func error(of script: String, limits: ThumbnailLimits = ThumbnailLimits()) async throws
            -> ThumbnailError?
        {
            let pool = pool(try directory.script(script), limits: limits)
            var met: ThumbnailError?
            do throws(ThumbnailError) {
                _ = try await pool.thumbnail(of: original, form: form)
            } catch {
                met = error
            }
            await pool.shutdown()
            expectNothingLeft()
            return met
        }

        private func expectNothingLeft() {
            #expect(directory.openFiles == [])
            #expect(directory.children() == [])
            #expect(directory.tree("scratch") == [])
        }

        @Test func `what the program writes to standard output is the thumbnail`() async throws {
            let pool = pool(try directory.script(Beginnings.printedJPEG))
            let file = try await pool.thumbnail(of: original, form: form)
            #expect(file.size == 12)
            #expect(try TestDirectory.read("/proc/self/fd/\(file.descriptor)") == Beginnings.jpeg)
            await pool.shutdown()
        }

        @Test func `the program gets the picture on standard input`() async throws {
            let pool = pool(try directory.script("exec cat"))
            #expect(try await pool.thumbnail(of: original, form: form).size == Beginnings.jpeg.count)
            await pool.shutdown()
        }

        @Test func `a missing program is unavailable until it is installed`() async throws {
            let pool = pool(directory.path + "/fake")
            #expect(!pool.isAvailable)
            await #expect(throws: ThumbnailError.unavailable) { try await pool.thumbnail(of: original, form: form) }
            _ = try directory.script(Beginnings.printedJPEG)
            await eventually("The program is seen") { pool.isAvailable }
            _ = try await pool.thumbnail(of: original, form: form)
            unlink(directory.path + "/fake")
            await #expect(throws: ThumbnailError.unavailable) { try await pool.thumbnail(of: original, form: form) }
            #expect(!pool.isAvailable)
            await pool.shutdown()
            expectNothingLeft()
        }

        @Test func `a program that cannot be run is unavailable`() async throws {
            try directory.write(Array("no program".utf8), to: "fake")
            chmod(directory.path + "/fake", 0o700)
            let pool = pool(directory.path + "/fake")
            await #expect(throws: ThumbnailError.unavailable) { try await pool.thumbnail(of: original, form: form) }
            await pool.shutdown()
            expectNothingLeft()
        }

        @Test func `a program whose libraries are missing is unavailable`() async throws {
            #expect(try await error(of: "exit 127") == .unavailable)
        }

        @Test(arguments: ["<svg xmlns='x'/>", "II*\0........", "%PDF-1.4 ....", "", "P6 1 1 255 ...", "RIFF....WAVE"])
        func `a file that begins like no picture is not shown to the program`(content: String) async throws {
            try directory.write(Array(content.utf8), to: "original")
            #expect(try await error(of: "echo run >>$here/log; \(Beginnings.printedJPEG)") == .unreadable)
            #expect(directory.lines(of: "log") == [])
        }

        @Test func `an original that is gone or a link is unreadable`() async throws {
            unlink(original)
            #expect(try await error(of: Beginnings.printedJPEG) == .unreadable)
            symlink("/etc/passwd", original)
            #expect(try await error(of: Beginnings.printedJPEG) == .unreadable)
        }

        @Test(arguments: [
            "exit 1", "exit 0", "kill -SEGV $$", "kill -KILL $$", "printf GIF89a......", "echo no picture",
            // More than it may write: the kernel ends it.
            "printf '\\377\\330\\377'; exec cat /dev/zero",
            // More than its memory limit: `tail` keeps a line without an end.
            "exec tail -n 1 /dev/zero",
        ])
        func `a program that fails makes the picture unreadable`(script: String) async throws {
            let limits = ThumbnailLimits(time: .seconds(50), memoryBytes: 100 << 20, outputBytes: 1 << 20)
            #expect(try await error(of: script, limits: limits) == .unreadable)
        }

        @Test(arguments: ["exec sleep 1000", "trap '' TERM XCPU; sleep 1000; sleep 1000", "while :; do :; done"])
        func `a program that takes too long is killed`(script: String) async throws {
            #expect(try await error(of: script, limits: ThumbnailLimits(time: .milliseconds(100))) == .timedOut)
        }

        @Test(arguments: ["", "wait"])
        func `the child processes of the program are killed with it`(last: String) async throws {
            let limits = ThumbnailLimits(time: .milliseconds(300))
            let script = "sleep 1000 & echo $! >$here/pid; sleep 1001 & echo $! >>$here/pid; \(last)"
            #expect(try await error(of: script, limits: limits) == (last.isEmpty ? .unreadable : .timedOut))
            let started = directory.lines(of: "pid")
            #expect(started.count == 2)
            await eventually("They are gone, or zombies that wait for the system's first process") {
                started.allSatisfy { number in
                    guard let bytes = try? TestDirectory.read("/proc/\(number)/stat") else { return true }
                    return String(decoding: bytes, as: UTF8.self).contains("(sleep) Z")
                }
            }
        }

        @Test func `the program has limits and inherits nothing from the server`() async throws {
            // Neither closed on exec nor with the signals as they should be: a careless server.
            let leak = open("/usr", O_RDONLY)
            defer { close(leak) }
            setenv("FOGBASE_TEST_SECRET", "secret", 1)
            defer { unsetenv("FOGBASE_TEST_SECRET") }
            // `status` without another process: while the shell starts one, it blocks signals itself.
            let script = """
                tr '\\0' '\\n' </proc/$$/environ >$here/environment
                cat /proc/$$/limits >$here/limits
                while IFS= read -r line; do printf '%s\\n' "$line"; done </proc/$$/status >$here/status
                cat /proc/$$/stat >$here/stat
                for number in /proc/$$/fd/*; do readlink $number; done >$here/descriptors
                readlink /proc/$$/fd/2 >$here/errors
                readlink /proc/$$/cwd >$here/cwd
                printf '%s\\n' "$0" "$@" >$here/arguments
                touch left behind; mkdir folder; ln -s / link
                \(Beginnings.printedJPEG)
                """
            let limits = ThumbnailLimits(memoryBytes: 500 << 20, outputBytes: 1 << 20)
            #expect(try await error(of: script, limits: limits) == nil)

            let cwd = directory.path + "/scratch/1"
            #expect(directory.lines(of: "cwd") == [cwd])
            #expect(
                Set(directory.lines(of: "environment")) == [
                    "VIPS_BLOCK_UNTRUSTED=1", "VIPS_CONCURRENCY=1", "PATH=/usr/local/bin:/usr/bin:/bin",
                    "TMPDIR=" + cwd, "VIPSHOME=" + cwd,
                ])
            // The shell has the script open, under a number of its choice, and where it writes this.
            let own = [directory.path + "/fake", directory.path + "/descriptors"]
            #expect(
                Set(directory.lines(of: "descriptors")).subtracting(own) == [
                    original, "/memfd:thumbnail (deleted)", "/dev/null",
                ])
            #expect(directory.lines(of: "errors") == ["/dev/null"])
            func limit(_ name: String) -> [Substring] {
                let line = directory.lines(of: "limits").first { $0.hasPrefix(name) } ?? ""
                return line.dropFirst(name.count).split(separator: " ").prefix(2).map { $0 }
            }
            #expect(limit("Max cpu time") == ["11", "12"])
            #expect(limit("Max file size") == ["1048576", "1048576"])
            #expect(limit("Max address space") == ["524288000", "524288000"])
            #expect(limit("Max core file size") == ["0", "0"])
            #expect(limit("Max open files") == ["64", "64"])
            let status = directory.lines(of: "status")
            #expect(status.contains("NoNewPrivs:\t1"))
            #expect(status.contains("SigBlk:\t0000000000000000"))
            // The C library keeps signals 32 and 33 to itself.
            let ignored = status.first { $0.hasPrefix("SigIgn:") }.flatMap { UInt64($0.dropFirst(8), radix: 16) }
            #expect(ignored.map { $0 & ~(0b11 << 31) } == 0)
            let stat = try #require(directory.lines(of: "stat").first).split(separator: " ")
            #expect(stat[4] == stat[0], "It leads a process group")
            #expect(stat[18] == "10", "It is nice")
            #expect(directory.lines(of: "arguments").dropFirst() == form.programArguments.dropFirst())
        }

        @Test func `the numbers of running and of waiting processes are limited`() async throws {
            let limits = ThumbnailLimits(processes: 2, queue: 3)
            let pool = pool(try directory.script("echo run >>$here/log; exec sleep 1000"), limits: limits)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<5 {
                    group.addTask { [original, form] in
                        await #expect(throws: ThumbnailError.closed) {
                            try await pool.thumbnail(of: original, form: form)
                        }
                    }
                }
                await eventually("Two run, three wait") {
                    pool.load == (3, 2) && directory.lines(of: "log").count == 2
                }
                await #expect(throws: ThumbnailError.overloaded) {
                    try await pool.thumbnail(of: original, form: form)
                }
                #expect(directory.lines(of: "log").count == 2)
                await pool.shutdown()
                try await group.waitForAll()
            }
            await #expect(throws: ThumbnailError.closed) { try await pool.thumbnail(of: original, form: form) }
            #expect(directory.lines(of: "log").count == 2)
            expectNothingLeft()
        }

        @Test func `a cancelled task's process is killed, and one that waits never starts`() async throws {
            let limits = ThumbnailLimits(processes: 1)
            let pool = pool(try directory.script("echo run >>$here/log; exec sleep 1000"), limits: limits)
            func start() -> Task<ThumbnailError?, Never> {
                Task { [original, form] in
                    do throws(ThumbnailError) {
                        _ = try await pool.thumbnail(of: original, form: form)
                        return nil
                    } catch {
                        return error
                    }
                }
            }
            let running = start()
            await eventually("It runs") { directory.lines(of: "log").count == 1 }
            let waiting = start()
            await eventually("It waits") { pool.load == (1, 1) }
            waiting.cancel()
            #expect(await waiting.value == .closed)
            #expect(pool.load == (0, 1))
            running.cancel()
            #expect(await running.value == .closed)
            await eventually("Nothing runs") { pool.load == (0, 0) }
            #expect(directory.lines(of: "log").count == 1)
            #expect(directory.children(named: "sleep") == [])
            await pool.shutdown()
            expectNothingLeft()
        }

        @Test func `many thumbnails in a row leave nothing behind`() async throws {
            let pool = pool(try directory.script(Beginnings.printedJPEG))
            try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<50 {
                    group.addTask { [original, form] in try await pool.thumbnail(of: original, form: form).size }
                }
                for try await size in group { #expect(size == 12) }
            }
            await pool.shutdown()
            expectNothingLeft()
        }

        @Test func `a pool that made nothing ends at once`() async {
            await pool("/nowhere").shutdown()
        }

        @Test func `directories that a killed server left are removed`() async throws {
            try directory.run("mkdir -p scratch/7/deep; touch scratch/7/deep/file; ln -s /etc scratch/8")
            #expect(try await error(of: Beginnings.printedJPEG) == nil)
        }
    }
}
