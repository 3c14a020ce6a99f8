import Foundation
import Glibc
import TestSupport
import Testing

@testable import fogbase

/// What the process arranges with the system, each in a process of its own. Under a sanitizer, whose allocator is another
/// one, nothing is shown of memory.
@Suite struct ProcessSetupTests {
    /// What glibc tells of its heaps: how many there are, and the bytes that they have of the system.
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

    /// Before, each of a pool's threads had a heap of its own, with holes that no other thread filled.
    @Test func `threads share as many heaps as can run at once, and one`() async {
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

    /// Before, up to 8 MiB at the end of each heap stayed for good: no call gives them back, other than in the first one.
    @Test func `the end of a heap goes back to the system as it becomes free, but for two megabytes`() async {
        await #expect(processExitsWith: .success) {
            ProcessSetup.keepFreedMemory()
            let before = try Self.heaps().bytes
            await Self.onThread {
                // 7 MiB, in pieces that are no mappings of their own, and nothing behind them.
                let pieces = UnsafeMutablePointer<UnsafeMutableRawPointer?>.allocate(capacity: 112)
                for number in 0..<112 { pieces[number] = malloc(64 << 10) }
                for number in 0..<112 { free(pieces[number]) }
                pieces.deallocate()
            }
            #expect(try Self.heaps().bytes - before < 3 << 20)
        }
    }

    /// `exit` would have libraries take down what threads that are just ending still use.
    @Test func `the process ends without what libraries have left for its end`() async {
        await #expect(processExitsWith: .exitCode(ExitCode.usage.rawValue)) {
            atexit { _exit(99) }
            // The words of whoever runs tests are no command.
            await Fogbase.main()
        }
    }
}
