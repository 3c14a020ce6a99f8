@testable import RecordEngine
import Testing

@Suite struct GatheringTests {
    @Test func `whoever writes alone never waits`() {
        var gathering = Gathering()
        for _ in 0..<1_000 {
            let goal = gathering.nextGoal()
            #expect(goal == 1)
            gathering.didCommit(writes: 1, waiting: 0, goal: goal)
        }
    }

    @Test func `half of those who write at the same time are waited for`() {
        var gathering = Gathering()
        gathering.didCommit(writes: 20, waiting: 44, goal: 1)
        #expect(gathering.nextGoal() == 32)
        // Groups that are as large as was waited for do not look like fewer clients.
        for _ in 0..<100 { gathering.didCommit(writes: 32, waiting: 0, goal: 32) }
        #expect(gathering.nextGoal() == 32)
    }

    @Test func `waits in vain end, when clients have gone`() {
        var gathering = Gathering()
        gathering.didCommit(writes: 64, waiting: 0, goal: 1)
        var waits = 0
        while case let goal = gathering.nextGoal(), goal > 1 {
            waits += 1
            gathering.didCommit(writes: 1, waiting: 0, goal: goal)
            guard waits < 100 else { break }
        }
        #expect((1..<40).contains(waits))
    }

    @Test func `a sounding finds out how many clients there are`() {
        var gathering = Gathering()
        gathering.didCommit(writes: 4, waiting: 4, goal: 1)
        var goal = 0
        for _ in 0..<1_000 {
            goal = gathering.nextGoal()
            if goal == Int.max { break }
            gathering.didCommit(writes: goal, waiting: 4, goal: goal)
        }
        #expect(goal == Int.max)
        gathering.didCommit(writes: 50, waiting: 0, goal: goal)
        #expect(gathering.nextGoal() == 25)
        // It also finds out that most have gone.
        gathering.didCommit(writes: 3, waiting: 0, goal: Int.max)
        #expect(gathering.nextGoal() == 1)
    }
}
