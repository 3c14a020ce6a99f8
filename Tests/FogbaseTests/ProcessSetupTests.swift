import Foundation
import Glibc
import TestSupport
import Testing

@testable import fogbase

/// The setup of the process, each test in a separate process. Under a sanitizer, which has its own allocator, the
/// memory tests are skipped.
@Suite struct ProcessSetupTests {
    /// The number of glibc's heaps, and the bytes that they have from the system.
    private static func heaps() throws -> (count: Int, bytes: Int) {
        var text: UnsafeMutablePointer<CChar>?
        var length = 0
        // Swift's Glibc module does not show it.
        let symbol = try #require(dlsym(nil, "malloc_info"))
        let tell = unsafeBitCast(symbol, to: (@convention(c) (Int32, UnsafeMutablePointer<FILE>) -> Int32).self)
        let stream = try #require(open_memstream(&text, &length))
        #expect(tell(0, stream) == 0)
        fclose(stream)
        defer { free(text) }
        let told = String(cString: try #require(text))
        let size = try #require(told.matches(of: /<system type="current" size="(\d+)"/).last?.output.1)
        return (told.ranges(of: "<heap nr=").count, try #require(Int(size)))
    }

    /// Runs `body` on a thread, to its end.
    private static func onThread(_ body: @escaping @Sendable () -> Void) async {
        let end = Gate()
        Thread.detachNewThread {
            body()
            end.open()
        }
        await end.wait()
    }

    /// The threads of a pool must not each have their own heap, with holes that no other thread fills.
    @Test func `threads share one heap per processor and one more`() async {
        await #expect(processExitsWith: .success) {
            ProcessSetup.keepFreedMemory()
            let processors = sysconf(Int32(_SC_NPROCESSORS_ONLN))
            let before = try Self.heaps().count
            let mayEnd = Gate()
            let threads = (0..<4 * (processors + 1)).map { _ in
                let (begun, ended) = (Gate(), Gate())
                Thread.detachNewThread {
                    let piece = malloc(5_000)
                    begun.open()
                    mayEnd.waitBlocking()
                    free(piece)
                    ended.open()
                }
                return (begun, ended)
            }
            for thread in threads { await thread.0.wait() }
            #expect(try Self.heaps().count <= max(before, processors + 1))
            mayEnd.open()
            for thread in threads { await thread.1.wait() }
        }
    }

    /// The end of each heap, up to 8 MiB, must go back to the system; only the first heap has a call for that.
    @Test func `the free end of a heap is returned to the system except for two megabytes`() async {
        await #expect(processExitsWith: .success) {
            ProcessSetup.keepFreedMemory()
            let before = try Self.heaps().bytes
            await Self.onThread {
                // 7 MiB, in pieces below the mapping threshold, and nothing after them.
                let pieces = UnsafeMutablePointer<UnsafeMutableRawPointer?>.allocate(capacity: 112)
                for number in 0..<112 { pieces[number] = malloc(64 << 10) }
                for number in 0..<112 { free(pieces[number]) }
                pieces.deallocate()
            }
            #expect(try Self.heaps().bytes - before < 3 << 20)
        }
    }

    /// `exit` would let libraries free state that ending threads still use.
    @Test func `the process ends without the exit handlers of libraries`() async {
        await #expect(processExitsWith: .exitCode(ExitCode.usage.rawValue)) {
            atexit { _exit(99) }
            // The arguments of the test process are no command.
            await Fogbase.main()
        }
    }
}
