import Glibc
import Testing

@testable import Thumbnails

extension ThumbnailTests {
    @Suite struct ThumbnailCacheTests {
        private let directory: TestDirectory
        private let form = ThumbnailForm(width: 10, height: 10, fit: .contain, format: .jpeg)
        /// Says that it ran, then writes a thumbnail of 12 bytes.
        private static let counting = "echo run >>$here/log; \(Beginnings.printedJPEG)"

        init() throws {
            directory = try TestDirectory()
            try directory.write(Beginnings.jpeg, to: "original")
        }

        private var original: String { directory.path + "/original" }
        private var runs: Int { directory.lines(of: "log").count }
        private var stored: [String] { directory.tree("cache").filter { $0 != "unfinished" && $0.contains(".") } }

        private func cache(_ pool: ThumbnailPool, maxBytes: Int = 1 << 20) -> ThumbnailCache {
            ThumbnailCache(directory: directory.path + "/cache", maxBytes: maxBytes, pool: pool)
        }

        private func make(
            _ script: String = counting, limits: ThumbnailLimits = ThumbnailLimits(), maxBytes: Int = 1 << 20
        ) throws -> (cache: ThumbnailCache, pool: ThumbnailPool) {
            let pool = ThumbnailPool(
                program: try directory.script(script), scratch: directory.path + "/scratch", limits: limits)
            return (cache(pool, maxBytes: maxBytes), pool)
        }

        private func ask(
            _ cache: ThumbnailCache, _ key: String = "abcdef", _ form: ThumbnailForm? = nil
        ) async throws(ThumbnailError) -> ThumbnailFile {
            try await cache.thumbnail(of: original, key: key, width: 100, height: 50, form: form ?? self.form)
        }

        private func content(_ file: ThumbnailFile) -> [UInt8] {
            [UInt8](unsafeUninitializedCapacity: 4096) { buffer, count in
                count = max(0, pread(file.descriptor, buffer.baseAddress, buffer.count, 0))
            }
        }

        @Test func `the second request is served from the disk`() async throws {
            let (cache, pool) = try make()
            #expect(content(try await ask(cache)) == Beginnings.jpeg)
            #expect(content(try await ask(cache)) == Beginnings.jpeg)
            #expect(runs == 1)
            #expect(stored == ["ab/cdef/10x10-contain.12.jpeg"])
            #expect(await cache.usage == (1, 8192))
            await pool.shutdown()
            #expect(directory.openFiles == [])
        }

        @Test func `after a start a request is served from the disk, without the program`() async throws {
            let (cache, pool) = try make()
            _ = try await ask(cache)
            await pool.shutdown()
            unlink(directory.path + "/fake")
            let next = ThumbnailPool(program: directory.path + "/fake", scratch: directory.path + "/scratch")
            let again = self.cache(next)
            #expect(content(try await ask(again)) == Beginnings.jpeg)
            await #expect(throws: ThumbnailError.unavailable) { try await ask(again, "abcdee") }
            await again.load()
            #expect(await again.usage == (1, 8192))
            await next.shutdown()
        }

        @Test func `a hundred concurrent requests make a thumbnail once`() async throws {
            let (cache, pool) = try make()
            try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<100 { group.addTask { try await ask(cache).size } }
                for try await size in group { #expect(size == 12) }
            }
            #expect(runs == 1)
            await pool.shutdown()
            #expect(directory.openFiles == [])
        }

        @Test func `each form is made separately, and a box without a side is one form`() async throws {
            let (cache, pool) = try make()
            for fit in ThumbnailForm.Fit.allCases {
                _ = try await ask(cache, "abcdef", ThumbnailForm(width: 10, height: nil, fit: fit, format: .jpeg))
                _ = try await ask(cache, "abcdef", ThumbnailForm(width: nil, height: 10, fit: fit, format: .jpeg))
                _ = try await ask(cache, "abcdef", ThumbnailForm(width: 10, height: 10, fit: fit, format: .jpeg))
            }
            #expect(runs == 4)
            #expect(await cache.usage.files == 4)
            await pool.shutdown()
        }

        @Test(arguments: [(10_001, 10_000), (Int.max, 2), (100_000_001, 1)])
        func `too many pixels are rejected without a process`(width: Int, height: Int) async throws {
            let (cache, pool) = try make()
            await #expect(throws: ThumbnailError.tooManyPixels(limit: 100_000_000)) {
                try await cache.thumbnail(of: original, key: "abc", width: width, height: height, form: form)
            }
            #expect(runs == 0)
            _ = try await cache.thumbnail(of: original, key: "abc", width: 10_000, height: 10_000, form: form)
            #expect(runs == 1)
            await pool.shutdown()
        }

        @Test func `a broken picture costs one process for all its thumbnails`() async throws {
            let (cache, pool) = try make("echo run >>$here/log; exit 1")
            for width in 1...20 {
                await #expect(throws: ThumbnailError.unreadable) {
                    try await ask(cache, "abc", ThumbnailForm(width: width, height: nil, fit: .contain, format: .png))
                }
            }
            #expect(runs == 1)
            await cache.forget(key: "abc")
            await #expect(throws: ThumbnailError.unreadable) { try await ask(cache, "abc") }
            #expect(runs == 2)
            #expect(directory.tree("cache") == [])
            await pool.shutdown()
        }

        @Test func `a picture that takes too long is remembered, too`() async throws {
            // Long enough for the program to say that it runs, also where ten others do.
            let limits = ThumbnailLimits(time: .seconds(1))
            let (cache, pool) = try make("echo run >>$here/log; exec sleep 1000", limits: limits)
            await #expect(throws: ThumbnailError.timedOut) { try await ask(cache) }
            await #expect(throws: ThumbnailError.timedOut) { try await ask(cache) }
            #expect(runs == 1)
            await pool.shutdown()
        }

        @Test func `an original that is not there yet is not remembered`() async throws {
            let (cache, pool) = try make()
            unlink(original)
            await #expect(throws: ThumbnailError.unreadable) { try await ask(cache) }
            try directory.write(Beginnings.jpeg, to: "original")
            _ = try await ask(cache)
            await pool.shutdown()
        }

        @Test func `the least recently used thumbnail is evicted first`() async throws {
            // Each takes 8 KiB; four fit, and nine tenths of their space are three.
            let (cache, pool) = try make(maxBytes: 4 * 8192)
            for key in ["aaa1", "aaa2", "aaa3", "aaa4"] { _ = try await ask(cache, key) }
            let first = try await ask(cache, "aaa1")
            #expect(runs == 4)
            _ = try await ask(cache, "aaa5")
            #expect(await cache.usage == (3, 3 * 8192))
            #expect(Set(stored.map { $0.prefix(5) }) == ["aa/a1", "aa/a4", "aa/a5"])
            // Evicted in the middle of a transfer.
            for number in 6...9 { _ = try await ask(cache, "aaa\(number)") }
            #expect(!stored.contains { $0.hasPrefix("aa/a1") })
            #expect(content(first) == Beginnings.jpeg)
            await pool.shutdown()
        }

        @Test func `a smaller bound holds after a start, and the order of use is known`() async throws {
            let (cache, pool) = try make()
            for key in ["aaa1", "bbb2", "ccc3", "ddd4"] { _ = try await ask(cache, key) }
            await pool.shutdown()
            try directory.run("touch -d '2020-01-02' cache/aa/a1/*; touch -d '2020-01-01' cache/bb/b2/*")
            try directory.run("touch -d '2020-01-03' cache/cc/c3/*; touch -d '2020-01-04' cache/dd/d4/*")

            let (next, nextPool) = try make(maxBytes: 3 * 8192)
            // A use is noted at the file: it is the newest now.
            _ = try await ask(next, "aaa1")
            await next.load()
            #expect(await next.usage == (2, 2 * 8192))
            #expect(Set(stored.map { $0.prefix(2) }) == ["aa", "dd"])
            #expect(runs == 4)
            try directory.run("find cache/aa/a1 -mmin -5 | grep -q jpeg")
            await nextPool.shutdown()
        }

        @Test func `a thumbnail larger than the cache is returned and not kept`() async throws {
            let (cache, pool) = try make(maxBytes: 8191)
            #expect(content(try await ask(cache)) == Beginnings.jpeg)
            #expect(stored == [])
            #expect(await cache.usage == (0, 0))
            await pool.shutdown()
            #expect(directory.openFiles == [])
        }

        @Test(arguments: [
            "truncate -s 5 cache/ab/cdef/*", "truncate -s 0 cache/ab/cdef/*", "rm cache/ab/cdef/*", "rm -r cache",
        ])
        func `a file that a power cut left half is made again`(damage: String) async throws {
            let (cache, pool) = try make()
            _ = try await ask(cache)
            try directory.run(damage)
            // While the server runs, too.
            #expect(content(try await ask(cache)) == Beginnings.jpeg)
            #expect(runs == 2)
            await pool.shutdown()
            try directory.run(damage)
            let (next, nextPool) = try make()
            await next.load()
            #expect(await next.usage == (0, 0))
            #expect(content(try await ask(next)) == Beginnings.jpeg)
            #expect(runs == 3)
            #expect(stored == ["ab/cdef/10x10-contain.12.jpeg"])
            await nextPool.shutdown()
        }

        @Test func `half-written files of a killed server are removed, and foreign files stay`() async throws {
            try directory.run(
                "mkdir -p cache/unfinished cache/ab/cdef cache/notes; touch cache/unfinished/1 cache/ab/cdef/me")
            try directory.run(
                "touch cache/ab/cdef/010x10-contain.0.jpeg cache/ab/cdef/10x10-contain.07.jpeg cache/notes/a.txt")
            let (cache, pool) = try make()
            _ = try await ask(cache)
            await cache.load()
            #expect(await cache.usage.files == 1)
            #expect(directory.tree("cache/unfinished") == [])
            #expect(
                Set(directory.tree("cache/ab/cdef")) == [
                    "me", "010x10-contain.0.jpeg", "10x10-contain.07.jpeg", "10x10-contain.12.jpeg",
                ])
            #expect(directory.tree("cache/notes") == ["a.txt"])
            await pool.shutdown()
        }

        @Test func `a removed original has no thumbnail, and a running read of one continues`() async throws {
            let (cache, pool) = try make()
            let file = try await ask(cache)
            _ = try await ask(cache, "abcdef", ThumbnailForm(width: 5, height: nil, fit: .contain, format: .jpeg))
            _ = try await ask(cache, "abcdee")
            await cache.forget(key: "abcdef")
            #expect(stored == ["ab/cdee/10x10-contain.12.jpeg"])
            #expect(await cache.usage == (1, 8192))
            #expect(content(file) == Beginnings.jpeg)
            await pool.shutdown()

            // Right after a start as well, when the directory is not read yet.
            let (next, nextPool) = try make()
            await next.forget(key: "abcdee")
            #expect(stored == [])
            await nextPool.shutdown()
        }

        /// Removed originals must leave no bytes in memory, even on a server without thumbnails.
        @Test func `removed originals leave nothing in memory`() async throws {
            let (cache, pool) = try make()
            for number in 0..<100 { await cache.forget(key: "abc\(1_000 + number)") }
            #expect(await cache.knownCount == 0)
            await pool.shutdown()
        }

        @Test func `a thumbnail of an original that is removed meanwhile arrives and is not kept`() async throws {
            let script = "echo run >>$here/log; while [ ! -e $here/go ]; do :; done; \(Beginnings.printedJPEG)"
            let (cache, pool) = try make(script)
            let asked = Task { (try? await ask(cache)).map { content($0).count } }
            await eventually("It runs") { runs == 1 }
            await cache.forget(key: "abcdef")
            try directory.write([], to: "go")
            #expect(await asked.value == 12)
            #expect(stored == [])
            await pool.shutdown()
            #expect(directory.openFiles == [])
        }

        @Test func `the process ends when all its requests are canceled, not before`() async throws {
            let script = "echo run >>$here/log; while [ ! -e $here/go ]; do :; done; \(Beginnings.printedJPEG)"
            let (cache, pool) = try make(script)
            let first = Task { try await ask(cache) }
            await eventually("It runs") { runs == 1 }
            let second = Task { try await ask(cache) }
            first.cancel()
            await #expect(throws: ThumbnailError.closed) { try await first.value }
            second.cancel()
            await #expect(throws: ThumbnailError.closed) { try await second.value }
            await eventually("Nothing runs") { pool.load == (0, 0) }
            #expect(directory.children() == [])

            let third = Task { try await ask(cache) }
            await eventually("It runs again") { runs >= 2 && pool.load == (0, 1) }
            let fourth = Task { (try? await ask(cache)).map { content($0).count } }
            third.cancel()
            await #expect(throws: ThumbnailError.closed) { try await third.value }
            try directory.write([], to: "go")
            #expect(await fourth.value == 12)
            await pool.shutdown()
            #expect(directory.openFiles == [])
        }

        @Test func `a directory that cannot be written is a full storage, which costs one process`() async throws {
            let (cache, pool) = try make()
            try directory.write([], to: "cache")
            await #expect(throws: ThumbnailError.storageFull) { try await ask(cache) }
            await #expect(throws: ThumbnailError.storageFull) { try await ask(cache) }
            #expect(runs == 1)
            await pool.shutdown()
            #expect(directory.openFiles == [])
        }

        @Test(.enabled("A small disk needs permission to mount") { mayMount })
        func `a full disk is reported as full storage, and nothing is left on it`() async throws {
            let (cache, pool) = try make("\(Beginnings.printedJPEG); head -c 100000 /dev/zero")
            try directory.run("mkdir cache && mount -t tmpfs -o size=64k none cache")
            defer { try? directory.run("umount cache") }
            await #expect(throws: ThumbnailError.storageFull) { try await ask(cache) }
            #expect(directory.tree("cache") == ["unfinished"])
            await pool.shutdown()
            #expect(directory.openFiles == [])
        }

        private static var mayMount: Bool {
            guard let directory = try? TestDirectory() else { return false }
            return (try? directory.run("mkdir a && mount -t tmpfs -o size=64k none a && umount a")) != nil
        }

        @Test func `a closed cache has ended its work and changes nothing`() async throws {
            let (cache, pool) = try make("echo run >>$here/log; exec sleep 1000")
            let asked = Task { try await ask(cache) }
            await eventually("It runs") { runs == 1 }
            await cache.close()
            await #expect(throws: ThumbnailError.closed) { try await asked.value }
            await #expect(throws: ThumbnailError.closed) { try await ask(cache) }
            #expect(pool.load.running == 0)
            #expect(directory.children(named: "sleep") == [])
            await pool.shutdown()
            #expect(directory.openFiles == [])
        }

        @Test func `a pool that is shut down ends the work of its caches`() async throws {
            let (cache, pool) = try make("echo run >>$here/log; exec sleep 1000")
            let asked = Task { try await ask(cache) }
            await eventually("It runs") { runs == 1 }
            await pool.shutdown()
            await #expect(throws: ThumbnailError.closed) { try await asked.value }
            await #expect(throws: ThumbnailError.closed) { try await ask(cache) }
            #expect(directory.children(named: "sleep") == [])
            #expect(directory.openFiles == [])
        }
    }
}
