/// Decides how long the writer waits for company before it takes the next group.
///
/// Clients that have just been answered are about to write again. On a fast disk the next commit would begin before they
/// have, and every sync would serve a few. So the writer waits for half of those who write at the same time: a little
/// later for each, and far fewer syncs and wake-ups for all. Whoever writes alone never waits.
struct Gathering {
    /// How many clients write at the same time, as far as is known.
    private var expected = 0
    private var groupsSinceSounding = 0

    /// The longest that the writer waits.
    static let patience = Duration.milliseconds(2)
    /// Small groups look like few clients. Once in so many groups the writer waits its full time, to see how many there are.
    private static let groupsBetweenSoundings = 256

    /// How many writes to wait for. A goal of 1 means: do not wait.
    mutating func nextGoal() -> Int {
        guard expected > 2 else { return 1 }
        groupsSinceSounding += 1
        if groupsSinceSounding >= Self.groupsBetweenSoundings {
            groupsSinceSounding = 0
            return Int.max
        }
        return expected / 2
    }

    /// - Parameters:
    ///   - writes: The writes of the group that was committed.
    ///   - waiting: Those that came meanwhile.
    ///   - goal: What was waited for.
    mutating func didCommit(writes: Int, waiting: Int, goal: Int) {
        let seen = writes + waiting
        if goal == Int.max {
            expected = seen
        } else if writes < goal {
            // In vain: there are fewer by now.
            expected = max(seen, expected - expected / 8 - 1)
        } else {
            expected = max(seen, expected)
        }
    }
}
