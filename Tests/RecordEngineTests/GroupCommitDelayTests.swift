@testable import RecordEngine
import Testing

@Suite struct GatheringTests {
    @Test func `a single writer never waits`() {
        var gathering = GroupCommitDelay()
        for _ in 0..<1_000 {
            let target = gathering.nextTarget()
            #expect(target == 1)
            gathering.didCommit(writes: 1, waiting: 0, target: target)
        }
    }

    @Test func `a commit waits for half of the concurrent writers`() {
        var gathering = GroupCommitDelay()
        gathering.didCommit(writes: 20, waiting: 44, target: 1)
        #expect(gathering.nextTarget() == 32)
        // A group of the expected size does not count as a sign of fewer clients.
        for _ in 0..<100 { gathering.didCommit(writes: 32, waiting: 0, target: 32) }
        #expect(gathering.nextTarget() == 32)
    }

    @Test func `vain waits end when clients have gone`() {
        var gathering = GroupCommitDelay()
        gathering.didCommit(writes: 64, waiting: 0, target: 1)
        var waits = 0
        while case let target = gathering.nextTarget(), target > 1 {
            waits += 1
            gathering.didCommit(writes: 1, waiting: 0, target: target)
            guard waits < 100 else { break }
        }
        #expect((1..<40).contains(waits))
    }

    @Test func `a probe measures how many clients there are`() {
        var gathering = GroupCommitDelay()
        gathering.didCommit(writes: 4, waiting: 4, target: 1)
        var target = 0
        for _ in 0..<1_000 {
            target = gathering.nextTarget()
            if target == Int.max { break }
            gathering.didCommit(writes: target, waiting: 4, target: target)
        }
        #expect(target == Int.max)
        gathering.didCommit(writes: 50, waiting: 0, target: target)
        #expect(gathering.nextTarget() == 25)
        // It also detects that most have disconnected.
        gathering.didCommit(writes: 3, waiting: 0, target: Int.max)
        #expect(gathering.nextTarget() == 1)
    }
}
