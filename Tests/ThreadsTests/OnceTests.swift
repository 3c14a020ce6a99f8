import Testing
import Threads

@Suite struct OnceTests {
    @Test func `a value is made by its first use, and by no other`() async {
        let made = Locked(0)
        let once = Once {
            made.withLock { made in
                made += 1
                return made
            }
        }
        #expect(made.withLock { $0 } == 0)
        await withTaskGroup(of: Int.self) { group in
            for _ in 0..<20 { group.addTask { once.value } }
            for await value in group { #expect(value == 1) }
        }
        #expect(once.value == 1 && made.withLock { $0 } == 1)
    }
}
